//go:build !js && !wasip1

// Command site is the demo origin. Natively it keeps everything in memory and serves until it is stopped:
//
//	go run ./site/gather && go run ./site
//
// With a guard in front of it, -guard and SINGLESHOT_ADMIN let its pages show the trail of a key. On Cloudflare
// Workers (main_js.go) it keeps everything in D1.
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
	"github.com/singleshot-edge/singleshot/site/store"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 takes a free one")
	assets := flag.String("assets", "site/assets", "`folder` made by go run ./site/gather")
	guard := flag.String("guard", "", "`URL` of the guard in front, to ask for trails with SINGLESHOT_ADMIN")
	flag.Parse()
	if err := serve(*addr, *assets, *guard); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func serve(addr, assets, guard string) error {
	if _, err := os.Stat(filepath.Join(assets, "static", "site.css")); err != nil {
		return fmt.Errorf("no files to serve in %s: run npm ci and go run ./site/gather first", assets)
	}
	memory, err := store.Memory()
	if err != nil {
		return err
	}
	defer memory.Close()
	config := app.Config{Store: memory, Now: time.Now, ID: app.NewID}
	if secret := os.Getenv("SINGLESHOT_ADMIN"); guard != "" && secret != "" {
		config.Trail = trailOf(http.DefaultTransport, secret, guard)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: pages(assets, config), ReadHeaderTimeout: 10 * time.Second}
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
