package app

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
)

// maxForm bounds the body of a form, in bytes.
const maxForm = 64 << 10

// readForm reads a form, urlencoded or multipart, into r.PostForm, or says with which status to refuse it.
func readForm(w http.ResponseWriter, r *http.Request) (status int) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	var err error
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/x-www-form-urlencoded":
		err = r.ParseForm()
	case "multipart/form-data":
		err = r.ParseMultipartForm(maxForm)
	case "":
		if r.ContentLength != 0 {
			return http.StatusUnsupportedMediaType
		}
		r.PostForm = url.Values{} // a form without fields
	default:
		return http.StatusUnsupportedMediaType
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return http.StatusBadRequest
	}
	return 0
}

// posted lets a handler work on a form that could be read.
func (a *app) posted(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if status := readForm(w, r); status != 0 {
			a.refuse(w, r, status)
			return
		}
		handle(w, r)
	}
}

// entryOf is what an order form brought.
func entryOf(r *http.Request) entry {
	return entry{item: r.PostForm.Get("item"), amount: r.PostForm.Get("amount"), trouble: r.PostForm.Get("trouble")}
}
