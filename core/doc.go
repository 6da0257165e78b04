// Package core is Singleshot's whole decision: keys, fingerprints, records, rules, the exchange, the keys put
// into forms, and the answers that the guard gives itself. It is pure. Time and random bytes come in as
// arguments; nothing here reads a clock, the environment or the network, starts a goroutine or holds a
// package variable that changes. The same source runs at the edge (TinyGo and standard Go wasm), in the
// browser, in Go servers and in the simulator of core/coretest.
//
// # Words
//
// A key is the opaque token of one rendered form, one API call or one webhook event. The subject is who
// submits. The form is method and path of the action. The scope, subject × form, is where a record is found.
// The fingerprint is the digest of the submitted payload in canonical form. A record is what is kept for a
// key in a scope; it is absent, claimed, committed or released. The first request claims the key for a
// bounded and renewed time, the lease. Commit keeps the answer for replay, release gives the key back. A
// replay sends the committed answer again. A mismatch is a committed key that arrives with another
// fingerprint. A takeover is a claim after the lease ran out. A tombstone is a committed record whose body
// could not be kept.
package core
