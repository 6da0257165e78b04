package main

import (
	"log"
	"net/http"
	"runtime/debug"
	"strings"
)

// mended makes up for what syumai/workers v0.33.0 does differently from net/http's server. Everything that
// works around the platform's bindings is here.
//   - It splits every header at its commas. The parts are joined again: in HTTP each request header that
//     this application reads is one value.
//   - A request without a body has a nil Body.
//   - A panic ends the whole instance, and whoever asked gets an error of the platform instead of an answer: it is
//     logged and answered with 500. http.ErrAbortHandler asks for exactly that, as it does of net/http's server.
//   - The body of an answer to HEAD is handed to the platform: it is dropped.
func mended(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.Header {
			if len(values) > 1 {
				r.Header[name] = []string{strings.Join(values, ",")}
			}
		}
		if r.Body == nil {
			r.Body = http.NoBody
		}
		if r.Method == http.MethodHead {
			w = headOnly{w}
		}
		defer func() {
			switch cause := recover(); cause {
			case nil:
			case http.ErrAbortHandler:
				panic(cause)
			default:
				log.Printf("site: panic: %v\n%s", cause, debug.Stack())
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// headOnly drops the body of an answer.
type headOnly struct{ http.ResponseWriter }

func (h headOnly) Write(p []byte) (int, error) { return len(p), nil }
