//go:build !js

// Command site is the demo origin. Natively it keeps its orders in memory and serves until it is stopped:
//
//	go run ./site/gather && go run ./site
//
// On Cloudflare Workers (main_js.go) it keeps them in D1.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/singleshot-edge/singleshot/site/app"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 takes a free one")
	assets := flag.String("assets", "site/assets", "`folder` made by go run ./site/gather")
	flag.Parse()
	if err := serve(*addr, *assets); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func serve(addr, assets string) error {
	if _, err := os.Stat(filepath.Join(assets, "static", "site.css")); err != nil {
		return fmt.Errorf("no files to serve in %s: run npm ci and go run ./site/gather first", assets)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	handler := pages(assets, app.Config{Ledger: new(app.Memory), Now: time.Now})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	fmt.Printf("http://%s\n", listener.Addr())
	return server.Serve(listener)
}

// pages is the application with its files beside it, as the platform serves them.
func pages(assets string, config app.Config) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /static/", http.FileServer(http.Dir(assets)))
	mux.Handle("/", app.Handler(config))
	return mux
}
