//go:build !js

package edge

import "net/http"

// region is where the visitor is, as an index into core.Regions: outside of the edge nobody knows.
func region(*http.Request) int { return -1 }
