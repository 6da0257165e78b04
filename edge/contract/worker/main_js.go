// Program worker is a Go application on Workers for the contract suite: edge.Handler around a proxy to the suite's
// origin, with its records in Durable Objects and its large answers in KV. (edge/host's cell_test.go reaches the
// store alone through it.)
package main

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"

	"github.com/singleshot-edge/singleshot/edge"
)

func main() {
	options := edge.Options{
		Secret: cloudflare.Getenv("SINGLESHOT_SECRET"), PreviousSecret: cloudflare.Getenv("SINGLESHOT_SECRET_PREVIOUS"),
		AdminSecret: cloudflare.Getenv("SINGLESHOT_ADMIN"), RulesText: cloudflare.Getenv("RULES"),
		Store: edge.DurableObject("CLAIMS"), Answers: edge.KV("ANSWERS"), KeepLargeOnly: cloudflare.Getenv("KEEP") == "large",
		InjectScript: cloudflare.Getenv("INJECT_SCRIPT") == "true", Shards: shards(),
		Logger: logger(),
	}
	h := edge.Handler(origin(cloudflare.Getenv("ORIGIN_URL")), options)
	workers.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if call := r.Header.Values("Call"); len(call) > 0 {
			// The bindings split headers at their commas.
			serveStore(options.Store, w, r, strings.Join(call, ","))
			return
		}
		h.ServeHTTP(w, r)
	}))
}

// shards is the variable SHARDS; 0 where it is not there.
func shards() int {
	n, err := strconv.Atoi(cloudflare.Getenv("SHARDS"))
	if err != nil {
		return 0
	}
	return n
}
