package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"syscall/js"

	"github.com/singleshot-edge/singleshot/edge/internal/promise"
)

// logger writes what the suite reads of the guard's log: one object a line.
func logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey && a.Value.String() == "singleshot" {
			return slog.Attr{}
		}
		return a
	}}))
}

// origin asks the application behind url by the platform's fetch: a connection that breaks is a panic, as it would
// be an application that dies.
func origin(url string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers := js.Global().Get("Headers").New()
		for name, values := range r.Header {
			for _, value := range values {
				headers.Call("append", name, value)
			}
		}
		headers.Call("set", "X-Forwarded-Host", r.Host)
		headers.Call("set", "X-Forwarded-Proto", "http")
		headers.Call("set", "X-Forwarded-For", "127.0.0.1")
		init := map[string]any{"method": r.Method, "headers": headers, "redirect": "manual"}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			init["body"] = sent(r)
		}
		answer, err := promise.Await(context.Background(), js.Global().Get("fetch").Invoke(url+r.URL.RequestURI(), init))
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		lines := js.Global().Get("Array").Call("from", answer.Get("headers"))
		for i := range lines.Length() {
			name, value := lines.Index(i).Index(0).String(), lines.Index(i).Index(1).String()
			if !strings.EqualFold(name, "Transfer-Encoding") && !strings.EqualFold(name, "Connection") {
				w.Header().Add(name, value)
			}
		}
		if w.Header().Get("Content-Encoding") != "" {
			w.Header().Del("Content-Length") // fetch has undone it, and the platform does it again
		}
		w.WriteHeader(answer.Get("status").Int())
		if body := answer.Get("body"); !body.IsNull() {
			receive(w, body)
		}
	})
}

// sent is a body for fetch: with its length where that is known.
func sent(r *http.Request) js.Value {
	class, arguments := "IdentityTransformStream", []any(nil)
	if r.ContentLength >= 0 {
		class, arguments = "FixedLengthStream", []any{r.ContentLength}
	}
	stream := js.Global().Get(class).New(arguments...)
	writer := stream.Get("writable").Call("getWriter")
	go func() {
		for piece := make([]byte, 64<<10); ; {
			n, err := r.Body.Read(piece)
			if n > 0 {
				array := js.Global().Get("Uint8Array").New(n)
				js.CopyBytesToJS(array, piece[:n])
				if _, err := promise.Await(context.Background(), writer.Call("write", array)); err != nil {
					return // the origin answers, or does not, without the rest
				}
			}
			switch {
			case err == io.EOF:
				_, _ = promise.Await(context.Background(), writer.Call("close"))
				return
			case err != nil:
				_, _ = promise.Await(context.Background(), writer.Call("abort", err.Error()))
				return
			}
		}
	}()
	return stream.Get("readable")
}

// receive copies an answer's body as it comes, in pieces as large as it is fast: every piece costs turns of the
// runtime, which others on the machine make long.
func receive(w http.ResponseWriter, body js.Value) {
	reader := body.Call("getReader", map[string]any{"mode": "byob"})
	room := js.Global().Get("ArrayBuffer").New(64 << 10)
	piece := make([]byte, 64<<10)
	for {
		step, err := promise.Await(context.Background(), reader.Call("read", js.Global().Get("Uint8Array").New(room)))
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if step.Get("done").Bool() {
			return
		}
		value := step.Get("value")
		if _, err := w.Write(piece[:js.CopyBytesToGo(piece, value)]); err != nil {
			return
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		room = value.Get("buffer")
	}
}
