# Singleshot. `make` alone lists the commands.

# The port of `make dev`.
PORT ?= 8787
# Who compiles the engine of the guard: tinygo (or go, with a notice, where there is none), or go.
ENGINE ?= tinygo

# Nothing is sent home, nothing asks, and nothing needs the network once it is installed.
export WRANGLER_SEND_METRICS := false
export WRANGLER_HIDE_BANNER := true
export CLOUDFLARE_CF_FETCH_ENABLED := false
# npm's Node 22 comes before the machine's, which wrangler may find too old.
MACHINE_PATH := $(PATH)
export PATH := $(CURDIR)/node_modules/.bin:$(MACHINE_PATH)

NPM := node_modules/.package-lock.json
export STATICCHECK := build/staticcheck-0.8.2
ENGINE_SOURCES := go.mod go.sum $(shell find core edge/guard -name '*.go' -not -name '*_test.go' 2>/dev/null)
BROWSER_SOURCES := go.mod go.sum scripts/engine.sh $(shell find core wasm -name '*.go' -not -name '*_test.go' -not -path 'core/coretest/*' 2>/dev/null)
# Go applications on Workers: package edge around them.
WORKERS := edge/contract/worker examples/worker
EDGE_SOURCES := go.mod go.sum scripts/worker.sh $(shell find core internal edge/*.go $(WORKERS) -name '*.go' -not -name '*_test.go' 2>/dev/null)
SITE_SOURCES := go.mod go.sum $(shell find site internal -type f -not -name '*_test.go' -not -path 'site/build/*' -not -path 'site/assets/*' -not -path '*/.*' 2>/dev/null)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help dev build site workers test check lint browsers frameworks simulate bench size doctor deploy clean FORCE

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

dev: build site ## guard and demo on http://localhost:8787 (PORT=... to change)
	@scripts/dev.sh $(PORT)

build: build/guard.wasm build/browser/files.js $(NPM) ## the guard; then npx wrangler dev -c wrangler.toml guards any origin

site: site/build/app.wasm $(NPM) ## the demo application

workers: $(WORKERS:%=%/build/app.wasm) $(NPM) ## the Go applications on Workers: the example and the contract suite's

test: build/guard.wasm build/browser/files.js build/guard-go.wasm build/browser-go.wasm build/vectors.wasm build/vectors-go.wasm site workers $(STATICCHECK) $(NPM) ## everything: lint, race, both engines, workerd, browser
	@scripts/test.sh all

check: $(STATICCHECK) $(NPM) ## lint, and the tests of core, in under a minute
	@scripts/test.sh check

lint: $(STATICCHECK) $(NPM) ## gofmt, vet and staticcheck, native and wasm; syntax of scripts
	@scripts/test.sh lint

browsers: build ## the browser module in Firefox and in WebKit, which make test leaves out
	@scripts/browsers.sh

frameworks: build ## the guard in front of Rails, Django, Laravel, Express and Go, which make test leaves out but for Go
	@scripts/frameworks.sh

simulate: ## ten million exchanges with faults (ARGS='-story 17': one seed's story)
	@go run ./core/coretest/simulator/cmd/simulate $(ARGS)

bench: build/guard.wasm build/guard-go.wasm $(NPM) ## figures side by side, six minutes (QUICK=1: one)
	@bench/run.sh $(if $(QUICK),quick)

size: build/guard.wasm build/guard-go.wasm build/browser/files.js $(NPM) ## bytes of what is shipped; fails where the browser module is above its budget
	@node scripts/size.mjs

doctor: ## what is wrong with wrangler.toml, and (URL=https://... PAGE=/orders/new) with a running guard
	@go run ./edge/doctor -config '$(or $(CONFIG),wrangler.toml)' -env '$(CLOUDFLARE_ENV)' -url '$(URL)' -page '$(or $(PAGE),/)'

deploy: build site ## demo and guard to Cloudflare
	npx wrangler deploy -c site/wrangler.toml
	npx wrangler d1 migrations apply ORDERS --remote -c site/wrangler.toml
	npx wrangler deploy -c wrangler.toml --var "RULES:$$(cat site/rules.json)" --var INJECT_SCRIPT:true

clean: ## remove what was built (not node_modules, not the compiler in the cache folder)
	rm -rf build $(WORKERS:%=%/build) site/build site/assets .wrangler site/.wrangler

# npm writes this file last, so it stands for a whole install.
$(NPM): package.json package-lock.json
	@echo 'npm ci ...'
	@PATH='$(MACHINE_PATH)' npm ci --loglevel=error
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 12) ? 0 : 1)' || \
		{ echo 'wrangler needs Node 22.12 or newer; npm did not install its own (were install scripts off?)'; exit 1; }
	@touch $@

# Changes only when another compiler is asked for.
build/engine: FORCE
	@mkdir -p build
	@echo $(ENGINE) | cmp -s - $@ || echo $(ENGINE) >$@

build/guard.wasm: $(ENGINE_SOURCES) build/engine
	@scripts/engine.sh $(ENGINE) $@

build/guard-go.wasm: $(ENGINE_SOURCES)
	@scripts/engine.sh go $@

# The browser module: for size, where the guard is for speed.
build/browser.wasm: $(BROWSER_SOURCES) build/engine
	@scripts/engine.sh $(ENGINE) $@ ./wasm -opt=z

build/browser/files.js: build/browser.wasm $(wildcard wasm/*.js wasm/*.mjs wasm/package/*) LICENSE $(NPM)
	@node wasm/build.mjs build/browser.wasm build/browser

build/browser-go.wasm: $(BROWSER_SOURCES)
	@scripts/engine.sh go $@ ./wasm

# Core as each compiler builds it, for the shared vectors.
build/vectors.wasm: $(ENGINE_SOURCES) core/coretest/vectors/main.go build/engine
	@scripts/engine.sh $(ENGINE) $@ ./core/coretest/vectors

build/vectors-go.wasm: $(ENGINE_SOURCES) core/coretest/vectors/main.go
	@scripts/engine.sh go $@ ./core/coretest/vectors

site/build/app.wasm: $(SITE_SOURCES) $(NPM)
	@go run ./site/gather
	@go tool workers-assets-gen -mode=go -o site/build
	@GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o $@ ./site

%/build/app.wasm: $(EDGE_SOURCES)
	@scripts/worker.sh $*

# Built for this machine once; it is run with GOOS=js too.
$(STATICCHECK):
	@GOBIN=$(CURDIR)/build go install honnef.co/go/tools/cmd/staticcheck@v$(subst build/staticcheck-,,$@)
	@mv build/staticcheck $@
