#!/usr/bin/env bash
# worker.sh FOLDER builds the Go program in FOLDER for Workers, into FOLDER/build: the wasm, and
# the JavaScript that workers-assets-gen puts around it.
set -euo pipefail
cd "$(dirname "$0")/.."
go tool workers-assets-gen -mode=go -o "$1/build"
GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o "$1/build/app.wasm" "./$1"
