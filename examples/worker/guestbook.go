package main

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"
)

// guestbook is an ordinary http.Handler. What it does with an entry is to say when it was written: two runs never
// look alike.
func guestbook() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, `<form method="post" action="/entries"><label>Your name <input name="name" required></label> <button>Sign</button></form>`)
	})
	mux.HandleFunc("POST /entries", func(w http.ResponseWriter, r *http.Request) {
		name := r.FormValue("name")
		if name == "" {
			write(w, http.StatusUnprocessableEntity, `<p role="alert">Please give a name.</p>`)
			return
		}
		write(w, http.StatusOK, fmt.Sprintf(`<p>Thank you, %s. Signed at <time>%s</time>.</p><p><a href="/">Back</a></p>`,
			html.EscapeString(name), time.Now().UTC().Format(time.RFC3339Nano)))
	})
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "robots.txt", time.Time{}, strings.NewReader("User-agent: *\nDisallow: /entries\n"))
	})
	return mux
}

func write(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprint(w, `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Guestbook</title>
<style>body{font:1.1rem/1.5 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}</style>
<h1>Guestbook</h1>`, body)
}
