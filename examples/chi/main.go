//go:build !wasm

// Command chi is a payments API on chi: POST /payments with an Idempotency-Key runs once, however often a client sends
// it, and so do the events of a webhook sender. Several of these processes may share one PostgreSQL.
//
//	DATABASE_URL=postgres://localhost/shop SINGLESHOT_SECRET=$(openssl rand -hex 32) go run ./examples/chi
//	curl -i localhost:8082/payments -H 'Idempotency-Key: 0f5c6f2e-9a77-4c06' -H 'Authorization: Bearer me' --json '{"amount":5}'
//
// Without DATABASE_URL it keeps everything in memory.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/singleshot-edge/singleshot/edge"
	"github.com/singleshot-edge/singleshot/edge/sqlstore"
)

func main() {
	addr := flag.String("addr", "localhost:8082", "`address` to listen on")
	flag.Parse()
	options := edge.Options{Secret: os.Getenv("SINGLESHOT_SECRET")}
	if source := os.Getenv("DATABASE_URL"); source != "" {
		db, err := sql.Open("pgx", source)
		if err != nil {
			log.Fatal(err)
		}
		store, err := sqlstore.Open(context.Background(), db, sqlstore.PostgreSQL)
		if err != nil {
			log.Fatal(err)
		}
		options.Store = store
		if err := options.Check(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("http://%s\n", *addr)
	server := &http.Server{Addr: *addr, Handler: router(options, new(payments)), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// router puts the guard between what belongs to every answer, compression among it, and the routes.
func router(options edge.Options, p *payments) http.Handler {
	options.Rules = []edge.Rule{
		{Match: "/payments", Key: "header", Required: true, Unknown: "hold"},
		{Match: "/hooks/**", Key: "header:webhook-id", Required: true},
	}
	r := chi.NewRouter()
	r.Use(middleware.RequestID, middleware.Recoverer, middleware.Compress(5))
	r.Use(func(next http.Handler) http.Handler { return edge.Handler(next, options) })
	r.Post("/payments", p.create)
	r.Post("/hooks/orders", p.event)
	return r
}

// payments makes up numbers where a real one would move money.
type payments struct{ made atomic.Int64 }

func (p *payments) create(w http.ResponseWriter, r *http.Request) {
	var order struct{ Amount int }
	if err := json.NewDecoder(r.Body).Decode(&order); err != nil || order.Amount < 1 {
		answer(w, http.StatusUnprocessableEntity, map[string]any{"error": "amount must be a number above 0"})
		return
	}
	// The provider gets the same key, so that it holds there too.
	n := p.made.Add(1)
	w.Header().Set("Location", fmt.Sprintf("/payments/%d", n))
	answer(w, http.StatusCreated, map[string]any{"payment": n, "amount": order.Amount, "key": r.Header.Get("Idempotency-Key")})
}

func (p *payments) event(w http.ResponseWriter, _ *http.Request) {
	p.made.Add(1)
	w.WriteHeader(http.StatusNoContent)
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}
