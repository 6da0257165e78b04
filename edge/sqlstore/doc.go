// Package sqlstore keeps the records of edge.Handler in PostgreSQL or SQLite, by database/sql and whatever driver the
// application has. Any number of processes share one database; all times are the database's.
//
//	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
//	…
//	store, err := sqlstore.Open(ctx, db, sqlstore.PostgreSQL) // makes its three tables
//	…
//	http.ListenAndServe(":8080", edge.Handler(mux, edge.Options{Secret: secret, Store: store}))
//
// # Exactly once
//
// With Transact the effect of a submission and the record of its answer are committed in one transaction:
//
//	func place(w http.ResponseWriter, r *http.Request) {
//		err := store.Transact(r.Context(), func(tx *sql.Tx) error {
//			_, err := tx.ExecContext(r.Context(), "INSERT INTO orders …")
//			return err
//		})
//		…
//	}
//
// A process that dies before the commit leaves neither: the next submit of the key runs when the lease is over. One
// that dies after it leaves both: the next submit replays. A run that lost its claim to another is rolled back. So the
// effect is there once, without a unique constraint of the application's; only what lies outside of the database is not
// part of it.
//
// # Connections
//
// A duplicate that waits holds no connection: it looks now and then, ever less often, up to twice a second, and is woken
// at once by a commit in its own process. SQLite needs a busy timeout, and a transaction that reads before it writes
// needs to begin immediately; for modernc.org/sqlite:
//
//	file:shop.db?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_txlock=immediate
package sqlstore
