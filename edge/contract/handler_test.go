//go:build unix

package contract_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/singleshot-edge/singleshot/edge"
	"github.com/singleshot-edge/singleshot/edge/sqlstore"
	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// handlerProcess is a Go server that wraps a reverse proxy to the origin with edge.Handler: this test binary,
// started once more.
type handlerProcess struct {
	command *exec.Cmd
	leash   io.WriteCloser // the process ends when this closes
}

// serve starts the process, on the port it had if it had one, over the same stored state.
func (g *guard) serve() error {
	address := "127.0.0.1:0"
	if g.base != "" {
		address = strings.TrimPrefix(g.base, "http://")
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "HANDLER_STATE="+g.state, "HANDLER_ADDRESS="+address)
	for name, value := range g.vars {
		if value != "-" {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	g.log = workerd.NewLog()
	c.Stdout, c.Stderr = g.log, g.log
	leash, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	g.child = &handlerProcess{c, leash}
	line, err := g.log.Wait(0, regexp.MustCompile(`^ready (http://.*)`), time.Minute)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, g.log.Tail(30))
	}
	g.base = strings.TrimPrefix(line, "ready ")
	return nil
}

// stop ends the process at once, as a crash would.
func (p *handlerProcess) stop() {
	_ = p.command.Process.Kill() // it may have ended by itself
	p.leash.Close()
	_ = p.command.Wait() // "killed"
}

// serveHandler is that process. Its variables have the names of the guard's.
func serveHandler() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // who started it is gone
	}()
	if err := listenAndServe(); err != nil {
		fmt.Fprintln(os.Stderr, "contract:", err)
	}
	os.Exit(1)
}

func listenAndServe() error {
	origin, err := url.Parse(os.Getenv("ORIGIN_URL"))
	if err != nil {
		return err
	}
	store, err := openStore()
	if err != nil {
		return err
	}
	// As the guard has it: one object a line, and the platform adds the time.
	logger := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey && a.Value.String() == "singleshot" {
			return slog.Attr{}
		}
		return a
	}}))
	options := edge.Options{
		Secret: os.Getenv("SINGLESHOT_SECRET"), PreviousSecret: os.Getenv("SINGLESHOT_SECRET_PREVIOUS"),
		AdminSecret: os.Getenv("SINGLESHOT_ADMIN"), RulesText: os.Getenv("RULES"), Store: store, Logger: logger,
		Module: os.DirFS(filepath.Join(root(), "build/browser")), InjectScript: os.Getenv("INJECT_SCRIPT") == "true",
	}
	if n, err := strconv.Atoi(os.Getenv("SHARDS")); err == nil {
		options.Shards = n
	}
	l, err := net.Listen("tcp", os.Getenv("HANDLER_ADDRESS"))
	if err != nil {
		return err
	}
	fmt.Printf("ready http://%s\n", l.Addr())
	return (&http.Server{
		Handler: edge.Handler(proxyTo(origin), options), ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelInfo),
	}).Serve(l)
}

// proxyTo is the application that edge.Handler wraps: it asks the origin, and tells a connection that was never
// made, which it answers itself, from one that broke.
func proxyTo(origin *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(origin)
			r.SetXForwarded()
			for _, name := range []string{"User-Agent"} { // nothing is added to what the visitor sent
				if _, ok := r.In.Header[name]; !ok {
					r.Out.Header[name] = nil
				}
			}
		},
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64},
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			panic(http.ErrAbortHandler)
		},
	}
}

// openStore is a store that outlives the process.
func openStore() (edge.Store, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(os.Getenv("HANDLER_STATE"), "records")+
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite lets one write and is not fair to who waits; database/sql is, so that renewals come in time
	return sqlstore.Open(context.Background(), db, sqlstore.SQLite)
}
