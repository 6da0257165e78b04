package edge

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
)

// mended makes up for what syumai/workers v0.33.0 does differently from net/http's server. Everything that works
// around its requests and answers is here.
//   - It splits every request header at its commas: the parts are joined again.
//   - A request without a body has a nil Body, and one without Transfer-Encoding an empty one.
//   - The last status that is written counts, an informational one too: here it is the first final one.
//   - The body of an answer to HEAD is handed to the platform, with a length that it then waits for.
//   - A panic ends the whole instance, and the visitor waits until the platform gives up: it is logged, and answered
//     with 500 if nothing was.
func mended(log *slog.Logger, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
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
		m := &mendedWriter{ResponseWriter: w, head: r.Method == http.MethodHead}
		defer func() {
			if cause := recover(); cause != nil {
				if cause != http.ErrAbortHandler {
					log.Error("edge: panic", slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
				}
				m.WriteHeader(http.StatusInternalServerError)
			}
		}()
		serve(m, r)
	}
}

type mendedWriter struct {
	http.ResponseWriter
	head, wrote bool
}

// WriteHeader is http.ResponseWriter's.
func (m *mendedWriter) WriteHeader(status int) {
	if m.wrote || status < 200 {
		return
	}
	m.wrote = true
	if m.head {
		m.Header().Del("Content-Length")
	}
	m.ResponseWriter.WriteHeader(status)
}

// Write is http.ResponseWriter's.
func (m *mendedWriter) Write(p []byte) (int, error) {
	m.WriteHeader(http.StatusOK)
	if m.head {
		return len(p), nil
	}
	return m.ResponseWriter.Write(p)
}

// Flush is http.Flusher's. What was written is on its way already.
func (m *mendedWriter) Flush() {}
