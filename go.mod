module github.com/singleshot-edge/singleshot

go 1.26.0

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/anishathalye/porcupine v1.3.1
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/cloudflare/circl v1.6.5
	github.com/google/uuid v1.6.0
	github.com/syumai/workers v0.33.0
	golang.org/x/net v0.62.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

tool github.com/syumai/workers/cmd/workers-assets-gen

// npm packages may hold Go files; ./... is this project's code only.
ignore (
	./build
	./node_modules
)
