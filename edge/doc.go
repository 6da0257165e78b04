// Package edge has what a Go host needs around core's exchange. Store is the claim store that the exchange
// asks for; MemoryStore keeps it in this process, and the Durable Object in host/cell.js is the one behind the
// guard. Both pass the same suite, coretest.TestStore.
package edge
