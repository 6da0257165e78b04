// Program worker is a guestbook on Cloudflare Workers in Go whose form is single-shot: its records are in Durable
// Objects, its large answers in KV, and no Worker stands in front of it.
//
//	scripts/worker.sh examples/worker
//	npx wrangler dev -c examples/worker/wrangler.toml --var SINGLESHOT_SECRET:$(openssl rand -hex 32)
package main

import (
	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"

	"github.com/singleshot-edge/singleshot/edge"
)

func main() {
	workers.Serve(edge.Handler(guestbook(), edge.Options{
		Secret:    cloudflare.Getenv("SINGLESHOT_SECRET"),
		RulesText: cloudflare.Getenv("RULES"),
		Store:     edge.DurableObject("CLAIMS"),
		Answers:   edge.KV("ANSWERS"),
	}))
}
