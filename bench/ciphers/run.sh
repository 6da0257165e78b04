#!/usr/bin/env bash
# run.sh prints the figures of docs/decisions/0003: what it costs, in wasm, to seal a record.
set -euo pipefail

cd "$(dirname "$0")"
out=../../build/bench
mkdir -p "$out"
tinygo=$(../../scripts/tinygo.sh)
for cipher in plain ascon chacha gcm; do
	"$tinygo" build -tags "$cipher" -target=wasip1 -buildmode=c-shared -scheduler=none -gc=precise -opt=2 -panic=trap \
		-no-debug -o "$out/$cipher.wasm" .
	GOOS=wasip1 GOARCH=wasm go build -tags "$cipher" -buildmode=c-shared -trimpath -ldflags='-s -w' -o "$out/$cipher-go.wasm" .
done
node --no-warnings run.mjs
