// Package promise waits for promises of JavaScript in Go on Workers. Elsewhere it is empty.
package promise
