#!/usr/bin/env bash
# frameworks.sh tries the guard in workerd in front of Rails, Django, Laravel, Express and net/http. As root on Debian it
# installs the first three where they are missing; Express comes from npm.
set -euo pipefail

cd "$(dirname "$0")/../examples/frameworks"
packages=(ruby-railties ruby-activerecord ruby-actionpack ruby-sqlite3 puma python3-django php-laravel-framework php-cli php-sqlite3 php-xml)
missing=()
for package in "${packages[@]}"; do
	dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
	if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
		echo "frameworks.sh: please install ${missing[*]} (Debian's names)" >&2
		exit 1
	fi
	echo "installing ${missing[*]} ..." >&2
	apt-get update -q >/dev/null
	DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}" >/dev/null
fi
npm ci --loglevel=error
FRAMEWORKS=1 go test -count=1 -v -run '^TestFrameworks$' .
