#!/usr/bin/env bash
# dev.sh PORT serves the guard and the demo on http://localhost:PORT in one workerd, with
# local KV, Durable Objects and D1 below .wrangler/state. It makes the secrets it needs:
# the guard reads them from .dev.vars, and the demo, whose pages show trails, has the
# admin's in site/.dev.vars. make dev runs it, with wrangler on PATH.
set -euo pipefail

cd "$(dirname "$0")/.."

# secret NAME appends a fresh random value to .dev.vars, unless there is one.
secret() {
	grep -q "^$1=" .dev.vars 2>/dev/null && return
	(umask 077 && echo "$1=$(node -p 'crypto.randomBytes(32).toString("base64url")')" >>.dev.vars)
	echo "wrote $1 to .dev.vars"
}
secret SINGLESHOT_SECRET
secret SINGLESHOT_ADMIN
(umask 077 && grep '^SINGLESHOT_ADMIN=' .dev.vars >site/.dev.vars)

# The demo's tables. Without standard input wrangler does not ask.
wrangler d1 migrations apply ORDERS --local -c site/wrangler.toml --persist-to .wrangler/state </dev/null >/dev/null

# The demo's own rules, and the browser module in its pages.
exec wrangler dev -c wrangler.toml -c site/wrangler.toml --port "$1" --persist-to .wrangler/state \
	--var "RULES:$(cat site/rules.json)" --var INJECT_SCRIPT:true
