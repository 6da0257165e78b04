#!/usr/bin/env bash
# tinygo.sh prints the path of a TinyGo that compiles for this Go.
#
# The one on PATH is taken if it can; else the one of an earlier run; else one is
# built (scripts/tinygo/build.sh: Debian bookworm, about a minute, 125 MB to
# download, 300 MB kept). Exit status 1 and one line on stderr: there is none, use
# standard Go.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
fail() {
	echo "tinygo.sh: $1" >&2
	exit 1
}

# compiles TINYGO: true if it builds a reactor with the flags of the guard.
compiles() {
	local out
	out=$(mktemp -d)
	(cd "$here/tinygo" && "$1" build -target=wasip1 -buildmode=c-shared -scheduler=none -gc=precise -opt=2 \
		-panic=trap -no-debug -o "$out/check.wasm" ./check) >"$out/log" 2>&1 && [ -s "$out/check.wasm" ]
	local status=$?
	rm -rf "$out"
	return $status
}

command -v go >/dev/null || fail "go is missing"
if found=$(command -v tinygo) && compiles "$found"; then
	echo "$found"
	exit
fi

# The name holds everything that the result depends on, so a change of the recipe or of
# Go builds a new compiler beside the old one, which another clone may be using.
for tool in apt-get dpkg-deb flock sha256sum; do
	command -v "$tool" >/dev/null || fail "no TinyGo on PATH compiles for $(go env GOVERSION), and none can be built: $tool is missing"
done
hash=$({
	go env GOVERSION GOHOSTARCH
	find "$here/tinygo.sh" "$here/tinygo" -type f -print0 | LC_ALL=C sort -z | xargs -0 cat
} | sha256sum | cut -c1-12)
dest=${XDG_CACHE_HOME:-$HOME/.cache}/singleshot/tinygo-$hash
if [ -x "$dest/bin/tinygo" ]; then
	echo "$dest/bin/tinygo"
	exit
fi
mkdir -p "$(dirname "$dest")"

# One build at a time; whoever waited finds the result. The folder gets its name when it
# is whole, so a killed build leaves only a .part that the next one removes. The recipe
# inherits the lock: a build whose parent was killed holds it until it ends.
exec 9>"$dest.lock"
flock 9
if [ ! -x "$dest/bin/tinygo" ]; then
	echo "building TinyGo, once (about a minute) ..." >&2
	rm -rf "$dest.part" "$dest"
	if ! "$here/tinygo/build.sh" "$dest.part" >"$dest.log" 2>&1; then
		rm -rf "$dest.part"
		fail "$(tail -n 1 "$dest.log") (all of it: $dest.log)"
	fi
	if ! compiles "$dest.part/bin/tinygo"; then
		rm -rf "$dest.part"
		fail "the TinyGo that was built does not compile scripts/tinygo/check"
	fi
	mv -T "$dest.part" "$dest"
	rm -f "$dest.log"
fi
echo "$dest/bin/tinygo"
