//go:build !js

package edge

import "net/http"

// onWorkers: net/http serves.
const onWorkers = false

// region is where the visitor is, as an index into core.Regions: outside of the edge nobody knows.
func region(*http.Request) int { return -1 }

// keepAlive does nothing: net/http does not end a handler with its visitor.
func keepAlive() (release func()) { return func() {} }
