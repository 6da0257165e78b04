#!/usr/bin/env bash
# engine.sh tinygo|go OUT [PACKAGE [FLAG...]] compiles edge/guard, or another wasip1 reactor,
# to OUT. The flags are for TinyGo alone.
#
# TinyGo's is what ships: about 1/50 of the size and of the memory of standard Go's.
# Where there is no TinyGo, standard Go's stands in, and says so. An engine that does not
# compile is an error with either.
set -euo pipefail

cd "$(dirname "$0")/.."
compiler=$1 out=$2 package=${3:-./edge/guard}
mkdir -p "$(dirname "$out")"
trap 'rm -f "$out.part"' EXIT

if [ "$compiler" = tinygo ] && ! tinygo=$(scripts/tinygo.sh); then
	compiler=fallback
fi
if [ "$compiler" = tinygo ]; then
	# No scheduler: the engine starts no goroutine. wasm-opt is run by TinyGo itself. The
	# names of functions stay in (5%): a trap is unreadable without.
	"$tinygo" build -target=wasip1 -buildmode=c-shared -scheduler=none -gc=precise -opt=2 -panic=trap -no-debug \
		"${@:4}" -o "$out.part" "$package"
else
	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -ldflags='-s -w' -o "$out.part" "$package"
fi
mv "$out.part" "$out"
echo "$out: $(($(wc -c <"$out"))) bytes"
if [ "$compiler" = fallback ]; then
	echo "notice: no TinyGo, so this is standard Go's. It does the same, but is some 50 times larger, takes" \
		"10 MB of memory instead of 0.2, and starts in 30 ms instead of 5." >&2
fi
