//go:build !wasm

// Command nethttp is a shop on net/http whose forms are single-shot: orders and records are in one SQLite file, and an
// order and the record of its submission are committed in one transaction.
//
//	go run ./examples/nethttp            # http://localhost:8081
//
// Press "Place order" twice, go back and press it again, change the amount: there is one order a form.
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"os"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/singleshot-edge/singleshot/edge"
	"github.com/singleshot-edge/singleshot/edge/sqlstore"
)

func main() {
	addr := flag.String("addr", "localhost:8081", "`address` to listen on")
	file := flag.String("db", "shop.db", "SQLite `file`")
	flag.Parse()
	handler, err := open(context.Background(), *file, os.Getenv("SINGLESHOT_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", *addr)
	server := &http.Server{Addr: *addr, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// open makes the shop over a file.
func open(ctx context.Context, file, secret string) (http.Handler, error) {
	// WAL and a busy timeout for readers and writers side by side; a transaction takes its lock when it begins.
	db, err := sql.Open("sqlite", "file:"+file+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(5000)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS orders (
		number INTEGER PRIMARY KEY, item TEXT NOT NULL, amount TEXT NOT NULL)`)
	if err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(ctx, db, sqlstore.SQLite)
	if err != nil {
		return nil, err
	}
	s := &shop{db: db, store: store}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.form)
	mux.HandleFunc("POST /orders", s.place)
	mux.HandleFunc("GET /orders/{number}", s.order)
	options := edge.Options{Secret: secret, Store: store}
	if secret == "" {
		log.Print("SINGLESHOT_SECRET is not set: this example uses one that everybody knows")
		options.Secret = "an-example-is-no-place-for-a-secret"
	}
	return edge.Handler(mux, options), options.Check()
}

type shop struct {
	db    *sql.DB
	store *sqlstore.Store
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<style>body{font:1.1rem/1.5 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}label{display:block;margin:1rem 0}</style>
<h1>{{.Title}}</h1>
{{with .Wrong}}<p role="alert">{{.}}</p>{{end}}
{{if .Form}}<form method="post" action="/orders">
<label>Item <input name="item" value="tea" required></label>
<label>Amount <input name="amount" value="1" required></label>
<button>Place order</button>
</form>{{else}}<p>{{.Amount}} of {{.Item}}.</p><p><a href="/">Another order</a></p>{{end}}
`))

type view struct {
	Title, Wrong, Item, Amount string
	Form                       bool
}

func show(w http.ResponseWriter, status int, v view) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = page.Execute(w, v) // the visitor may be gone
}

func (s *shop) form(w http.ResponseWriter, _ *http.Request) {
	show(w, http.StatusOK, view{Title: "A cup of tea", Form: true})
}

// place is an ordinary handler: that a submission runs once is not its business.
func (s *shop) place(w http.ResponseWriter, r *http.Request) {
	item, amount := r.FormValue("item"), r.FormValue("amount")
	var n int
	if _, err := fmt.Sscan(amount, &n); err != nil || n < 1 {
		// The form can be corrected and sent again: a 422 spends nothing.
		show(w, http.StatusUnprocessableEntity, view{Title: "A cup of tea", Wrong: "The amount must be a number.", Form: true})
		return
	}
	var number int64
	err := s.store.Transact(r.Context(), func(tx *sql.Tx) error {
		return tx.QueryRowContext(r.Context(), "INSERT INTO orders (item, amount) VALUES (?, ?) RETURNING number", item, amount).Scan(&number)
	})
	if err != nil {
		log.Print(err)
		http.Error(w, "The order could not be placed. Please try again.", http.StatusServiceUnavailable)
		return
	}
	place := fmt.Sprintf("/orders/%d", number)
	w.Header().Set("Idempotency-Record", fmt.Sprintf(`<%s>; title="Order %d"`, place, number)) // what a changed resubmit is told
	http.Redirect(w, r, place, http.StatusSeeOther)
}

func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	v := view{Title: "Order " + r.PathValue("number")}
	err := s.db.QueryRowContext(r.Context(), "SELECT item, amount FROM orders WHERE number = ?", r.PathValue("number")).Scan(&v.Item, &v.Amount)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	show(w, http.StatusOK, v)
}
