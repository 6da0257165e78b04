#!/usr/bin/env bash
# chromium.sh prints the path of a Chromium for the browser tests. As root on Debian it
# installs one where there is none, and a Japanese font, without which the Japanese pages
# are boxes.
set -euo pipefail

find_chromium() {
	local name
	for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
		'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome' \
		/Applications/Chromium.app/Contents/MacOS/Chromium; do
		[ -n "$name" ] && command -v "$name" && return
	done
	return 1
}

missing=()
find_chromium >/dev/null || missing+=(chromium)
[ "$(uname)" != Linux ] || fc-list :lang=ja 2>/dev/null | grep -q . || missing+=(fontconfig fonts-ipafont-gothic)
if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
	echo "installing ${missing[*]} ..." >&2
	log=$(mktemp)
	install() {
		DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
			-o DPkg::Lock::Timeout=300 "${missing[@]}" >"$log" 2>&1
	}
	# Old package lists name packages that are gone; a fresh image has none.
	install || { apt-get update -q >"$log" 2>&1 && install; } || echo "chromium.sh: $(tail -n 1 "$log")" >&2
	rm -f "$log"
fi
find_chromium || {
	echo "chromium.sh: no Chromium: install chromium (Debian: apt-get install chromium fonts-ipafont-gothic) or set CHROMIUM to its path" >&2
	exit 1
}
