#!/usr/bin/env bash
# browsers.sh tries the browser module in Firefox and in WebKitGTK, whose engine is Safari's, against the guard in
# workerd. As root on Debian it installs what is missing.
set -euo pipefail

missing=()
command -v firefox-esr >/dev/null || command -v firefox >/dev/null || missing+=(firefox-esr)
command -v WebKitWebDriver >/dev/null || missing+=(webkit2gtk-driver)
command -v xvfb-run >/dev/null || missing+=(xvfb xauth)
if [ ${#missing[@]} -gt 0 ]; then
	if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
		echo "browsers.sh: please install ${missing[*]}" >&2
		exit 1
	fi
	echo "installing ${missing[*]} ..." >&2
	apt-get update -q >/dev/null
	DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}" >/dev/null
fi
# WebKit's sandbox needs rights that a container does not give; the pages are our own.
export BROWSERS=firefox,webkit LIBGL_ALWAYS_SOFTWARE=1 WEBKIT_DISABLE_COMPOSITING_MODE=1 WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1
xvfb-run -a go test -count=1 -v -run '^(TestFirefox|TestWebKit)$' ./edge/contract
