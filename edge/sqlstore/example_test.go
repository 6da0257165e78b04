//go:build unix

package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/singleshot-edge/singleshot/edge"
	"github.com/singleshot-edge/singleshot/edge/sqlstore"
)

// The payment and the record of its answer are committed in one step.
func ExampleStore_Transact() {
	folder, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(folder, "shop.db")+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_txlock=immediate")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE payments (amount INTEGER NOT NULL)"); err != nil {
		panic(err)
	}
	store, err := sqlstore.Open(context.Background(), db, sqlstore.SQLite)
	if err != nil {
		panic(err)
	}
	pay := func(w http.ResponseWriter, r *http.Request) {
		err := store.Transact(r.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(r.Context(), "INSERT INTO payments VALUES (5)")
			return err
		})
		if err != nil {
			http.Error(w, "please try again", http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusCreated)
	}
	h := edge.Handler(http.HandlerFunc(pay), edge.Options{
		Secret: "thirty-two random bytes, or more of them", Store: store, Logger: slog.New(slog.DiscardHandler),
		Rules: []edge.Rule{{Match: "/payments", Key: "header", Required: true, Subject: "none"}},
	})
	for range 2 {
		r := httptest.NewRequest("POST", "/payments", strings.NewReader(`{"amount":5}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "0f5c6f2e-9a77-4c06")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get("Idempotency-Status"))
	}
	var n int
	if err := db.QueryRow("SELECT count(*) FROM payments").Scan(&n); err != nil {
		panic(err)
	}
	fmt.Println(n, "payment")
	// Output:
	// 201 created
	// 201 replayed
	// 1 payment
}
