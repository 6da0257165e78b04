// Package edge makes the form submissions of a Go application single-shot: Handler wraps any http.Handler, puts a key
// into every form that it renders, lets each key commit once, and gives a duplicate the first answer back. It needs no
// change in the application and no JavaScript in the page. It is the second way in, beside the Worker in front of an
// application of any kind, and makes the same decisions: both are loops over core.Exchange.
//
//	mux := http.NewServeMux()
//	mux.HandleFunc("GET /orders/new", form)
//	mux.HandleFunc("POST /orders", place)
//
//	store, err := sqlstore.Open(ctx, db, sqlstore.PostgreSQL)
//	…
//	options := edge.Options{Secret: os.Getenv("SINGLESHOT_SECRET"), Store: store}
//	if err := options.Check(); err != nil {
//		log.Fatal(err)
//	}
//	http.ListenAndServe(":8080", edge.Handler(mux, options))
//
// Without options it works too, for development: records in memory, and a secret of the process.
//
// What is guarded, Rules say; without any it is every POST of a form. APIs are guarded by the header Idempotency-Key
// and webhooks by their event's id, where a rule says so.
//
// # Stores
//
// A Store holds the records: MemoryStore for one process, package sqlstore for PostgreSQL and SQLite, DurableObject on
// Cloudflare Workers. With sqlstore, what the application does and the record of it can be committed in one
// transaction, so that a process that dies at any moment leaves both or neither. A store of one's own passes
// coretest.TestStore.
//
// # On Workers
//
// Under GOOS=js, with github.com/syumai/workers, the package has two more names:
//
//	workers.Serve(edge.Handler(mux, edge.Options{
//		Secret:  cloudflare.Getenv("SINGLESHOT_SECRET"),
//		Store:   edge.DurableObject("CLAIMS"), // the class of host/cell.js
//		Answers: edge.KV("ANSWERS"),
//	}))
//
// # What it does not promise
//
// An effect outside of the database of the store, an email or a payment, may happen and its process die before anybody
// can note it. Then the outcome is unknown when the lease ends; the next submit runs with the same Idempotency-Key and a
// higher Idempotency-Attempt, so that the provider's own key or a unique constraint is the backstop; under Unknown
// "hold" it gets 409 instead.
package edge
