//go:build !wasm

package main

import (
	"fmt"
	"log"
	"net/http"

	"github.com/singleshot-edge/singleshot/edge"
)

// Outside of Workers it is the same, for development.
func main() {
	const addr = "localhost:8083"
	fmt.Printf("http://%s\n", addr)
	log.Fatal(http.ListenAndServe(addr, edge.Handler(guestbook(), edge.Options{})))
}
