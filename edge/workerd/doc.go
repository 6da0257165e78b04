// Package workerd runs a Worker for tests in the runtime that production uses: `wrangler dev` with the Node
// that npm installed, on a free port of 127.0.0.1, with nothing sent home and nothing of the developer's own
// set-up read. It is for tests only and needs a Unix system.
package workerd
