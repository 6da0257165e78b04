//go:build js && wasm

package main

import (
	"time"

	"github.com/syumai/workers"

	"github.com/singleshot-edge/singleshot/site/app"
)

// A stock worker starts one Go instance for every request, so nothing is kept between two requests but what
// is in D1.
func main() {
	workers.Serve(mended(app.Handler(app.Config{Ledger: orders{}, Now: time.Now})))
}
