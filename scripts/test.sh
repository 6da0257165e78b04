#!/usr/bin/env bash
# test.sh lint|check|all runs the steps of `make lint`, `make check` and `make test`, which
# build what they need first (STATICCHECK is the path of that tool). A green step is one
# line; a red one shows all it said, and the steps after it still run.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
level=$1
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=()

# step NAME COMMAND... runs a command in silence.
step() {
	local name=$1 start=$SECONDS
	shift
	printf '%-22s ' "$name"
	if "$@" >"$output" 2>&1; then
		printf 'ok      %4d s\n' $((SECONDS - start))
	else
		printf 'FAILED  %4d s\n' $((SECONDS - start))
		sed 's/^/    /' "$output"
		failed+=("$name")
	fi
}
wasm() { GOOS=$1 GOARCH=wasm "${@:2}"; }
formatted() {
	local files
	files=$(find . -name '*.go' -not -path './node_modules/*' -not -path './build/*' -exec gofmt -s -l {} +) || return
	[ -z "$files" ] || { echo "gofmt -s -w $files" && false; }
}
scripts_parse() {
	local file shell=(scripts/*.sh scripts/*/*.sh .ci/run)
	find . \( -name node_modules -o -name build -o -name assets -o -name '.?*' \) -prune -o \
		\( -name '*.js' -o -name '*.mjs' \) -print0 | xargs -0 -n 1 node --check || return
	for file in "${shell[@]}"; do bash -n "$file" || return; done
	! command -v shellcheck >/dev/null || shellcheck "${shell[@]}"
}
tests_in_wasm() { wasm js go test -exec="$(go env GOROOT)/lib/wasm/go_js_wasm_exec" -short ./core/...; }

step gofmt formatted
step 'scripts' scripts_parse
step vet go vet ./...
step 'vet js' wasm js go vet ./...
step 'vet wasip1' wasm wasip1 go vet ./...
step staticcheck "$STATICCHECK" ./...
step 'staticcheck js' wasm js "$STATICCHECK" ./...
# staticcheck takes what only a go:wasmexport reaches for unused.
step 'staticcheck wasip1' wasm wasip1 "$STATICCHECK" -checks inherit,-U1000 ./...

case $level in
check)
	step 'test core' go test -short ./core/...
	;;
all)
	if CHROMIUM=$(scripts/chromium.sh); then export CHROMIUM; fi
	step 'test core in wasm' tests_in_wasm
	step 'both modules' node scripts/browser-engines.mjs build/browser.wasm build/browser-go.wasm
	step 'both engines' node scripts/engines.mjs build/vectors.wasm build/vectors-go.wasm build/guard.wasm build/guard-go.wasm
	step 'benchmarks run' go test -run='^$' -bench=. -benchtime=1ms ./core ./edge
	# Never from the cache: go does not see that a test depends on the wasm and the host's JavaScript.
	# One package after the other: two that each keep a browser and workerd busy starve each other's clocks.
	step 'test with race' go test -race -count=1 -p 1 -timeout 14m ./...
	;;
esac

if [ ${#failed[@]} -gt 0 ]; then
	echo "failed: ${failed[*]}"
	exit 1
fi
