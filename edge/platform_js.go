package edge

import (
	"net/http"

	"github.com/syumai/workers/cloudflare"
	"github.com/syumai/workers/cloudflare/fetch"

	"github.com/singleshot-edge/singleshot/core"
)

// onWorkers: syumai/workers serves, an instance for each request, which ends with the answer's body.
const onWorkers = true

// region is where the visitor is, as an index into core.Regions.
func region(r *http.Request) int {
	near, err := fetch.NewIncomingProperties(r.Context())
	if err != nil {
		return -1
	}
	return core.RegionNear(near.Continent, near.Longitude)
}

// keepAlive asks the platform not to end the request with its visitor, until the returned function is called
// (contract §1.8). The platform gives it half a minute.
func keepAlive() (release func()) {
	over := make(chan struct{})
	cloudflare.WaitUntil(func() { <-over })
	return func() { close(over) }
}
