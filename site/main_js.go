//go:build js && wasm

package main

import (
	"database/sql"
	"log/slog"
	"net/http"
	"time"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"
	_ "github.com/syumai/workers/cloudflare/d1" // the driver "d1"
	"github.com/syumai/workers/cloudflare/fetch"

	"github.com/singleshot-edge/singleshot/internal/bindings"
	"github.com/singleshot-edge/singleshot/site/app"
	"github.com/singleshot-edge/singleshot/site/store"
)

// A stock worker starts one Go instance for every request, so nothing is kept between two requests but what
// is in D1.
func main() {
	workers.Serve(bindings.Mend(slog.Default(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Opening costs no round trip. ORDERS is the D1 database's name in wrangler.toml.
		db, err := sql.Open("d1", "ORDERS")
		if err != nil {
			panic(err) // the binding is missing: a mistake in wrangler.toml
		}
		config := app.Config{Store: store.New(db), Now: time.Now, ID: app.NewID}
		if secret := cloudflare.Getenv("SINGLESHOT_ADMIN"); secret != "" {
			// The platform, not the visitor, says which host this Worker is reached by.
			config.Trail = trailOf(fetch.NewClient().HTTPClient(fetch.RedirectModeManual).Transport, secret, "")
		}
		app.Handler(config).ServeHTTP(w, r)
	})))
}
