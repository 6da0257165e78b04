// Package bindings mends what syumai/workers v0.33.0 does differently from net/http's server, for the applications
// of this module that are served by it: so that they see the requests, and their visitors the answers, that they
// would with http.Serve.
package bindings

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
)

// Mend returns a handler for workers.Serve that serves next as net/http would.
//   - The bindings split every request header at its commas: the parts are joined again.
//   - A request without a body has a nil Body, and one without Transfer-Encoding an empty one.
//   - The last status that is written counts, an informational one too: here it is the first final one.
//   - The body of an answer to HEAD is handed to the platform, which waits for as many bytes as Content-Length
//     says: it is dropped, and the length stays.
//   - A panic ends the whole instance, and the visitor waits until the platform gives up: it is logged, and answered
//     with 500 if nothing was. An answer that had begun breaks off, so that nobody takes a part for the whole.
//
// http.ErrAbortHandler is not logged, and breaks off what is not whole, also an answer that has not begun.
func Mend(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.Header {
			if len(values) > 1 {
				r.Header[name] = []string{strings.Join(values, ",")}
			}
		}
		r.Header.Del("Host") // it is r.Host
		if r.Body == nil {
			r.Body = http.NoBody
		}
		if len(r.TransferEncoding) == 1 && r.TransferEncoding[0] == "" {
			r.TransferEncoding = nil
		}
		m := &writer{ResponseWriter: w, head: r.Method == http.MethodHead}
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if cause != http.ErrAbortHandler {
				log.Error("panic", slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
				if m.status == 0 {
					clear(m.Header())
					m.WriteHeader(http.StatusInternalServerError)
					return
				}
			}
			if !m.whole() {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(m, r)
	})
}
