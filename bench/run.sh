#!/usr/bin/env bash
# run.sh [quick] prints every figure of docs/benchmarks.md, side by side in one run: about
# five minutes, or one. build/guard.wasm and build/guard-go.wasm must be there.
set -euo pipefail

cd "$(dirname "$0")/.."
quick=${1:+quick}
time=${1:+50ms}

echo "## In Go, on this machine"
echo
go test -run='^$' -bench='Begin|Exchange|Seal|Open|Digest|InjectForms' -benchmem -benchtime="${time:-1s}" ./core |
	sed -n 's/^Benchmark/    /p'
echo
echo "## A Go server"
echo
go test -run='^$' -bench='Handler' -benchmem -benchtime="${time:-1s}" ./edge | sed -n 's/^BenchmarkHandler/    /p'
echo
echo "## The engine in wasm"
echo
node bench/engine.mjs $quick
echo
echo "## In workerd"
echo
mkdir -p build/bench
go tool workers-assets-gen -mode=go -o build/bench/assets
GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o build/bench/stock.wasm ./bench/stock
go run ./bench ${quick:+-quick}
