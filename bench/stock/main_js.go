// Program stock is the same flow as the hand-written JavaScript Worker, as a Go handler on stock syumai/workers:
// an instance of Go for each request. Only the benchmark runs it.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"
	"github.com/syumai/workers/cloudflare/fetch"
	"github.com/syumai/workers/cloudflare/kv"
)

func main() { workers.Serve(http.HandlerFunc(guard)) }

// record is what the claim store keeps, and how it is asked.
type record struct {
	Name    string      `json:"name,omitempty"`
	Old     string      `json:"old"`
	Version string      `json:"version"`
	Print   string      `json:"print"`
	Status  int         `json:"status,omitempty"`
	Headers http.Header `json:"headers,omitempty"`
	Body    string      `json:"body,omitempty"`
}

func guard(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		page(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(w, err)
		return
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		fail(w, err)
		return
	}
	key := form.Get("idempotency_key")
	if key == "" {
		answer, bytes, err := forward(r, body)
		if err != nil {
			fail(w, err)
			return
		}
		write(w, answer.StatusCode, answer.Header, bytes)
		return
	}
	sum := sha256.Sum256(body)
	claim := record{Name: r.URL.Path + ":" + key, Version: rand.Text(), Print: hex.EncodeToString(sum[:])}
	found, err := swap(key, &claim)
	switch {
	case err != nil:
		fail(w, err)
		return
	case found != nil && found.Print != claim.Print:
		http.Error(w, "This form was sent before, with other values.", http.StatusUnprocessableEntity)
		return
	case found != nil && found.Status == 0:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Still running.", http.StatusConflict)
		return
	case found != nil:
		w.Header().Set("Idempotency-Replayed", "true")
		w.Header().Set("Cache-Control", "no-store")
		write(w, found.Status, found.Headers, []byte(found.Body))
		return
	}
	answer, kept, err := forward(r, body)
	if err != nil {
		fail(w, err)
		return
	}
	commit := record{Name: claim.Name, Old: claim.Version, Print: claim.Print, Status: answer.StatusCode, Headers: http.Header{}, Body: string(kept)}
	for name, lines := range answer.Header {
		if name == "Content-Type" || name == "Location" || strings.HasPrefix(name, "Hx-") {
			commit.Headers[name] = lines
		}
	}
	if answer.StatusCode < 400 {
		commit.Version = rand.Text()
	}
	if _, err := swap(key, &commit); err != nil {
		fail(w, err)
		return
	}
	if commit.Version != "" {
		cloudflare.WaitUntil(func() {
			answers, err := kv.NewNamespace("ANSWERS")
			if err == nil {
				err = answers.PutString(claim.Name, commit.Body, &kv.PutOptions{ExpirationTTL: 86400})
			}
			if err != nil {
				fmt.Println("stock:", err)
			}
		})
	}
	write(w, answer.StatusCode, answer.Header, kept)
}

// swap asks the claim store of a key. It returns nil, or what is stored instead.
func swap(key string, next *record) (*record, error) {
	stores, err := cloudflare.NewDurableObjectNamespace("CLAIMS")
	if err != nil {
		return nil, err
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	store, err := stores.Get(stores.IdFromName(fmt.Sprintf("shard-%d", h.Sum32()%32)))
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(next)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, "http://store/", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	answer, err := store.Fetch(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var found *record
	err = json.NewDecoder(answer.Body).Decode(&found)
	return found, err
}

func forward(r *http.Request, body []byte) (*http.Response, []byte, error) {
	target := cloudflare.Getenv("ORIGIN_URL") + r.URL.RequestURI()
	var sent io.Reader
	if r.Method == http.MethodPost {
		sent = bytes.NewReader(body)
	}
	request, err := fetch.NewRequest(r.Context(), r.Method, target, sent)
	if err != nil {
		return nil, nil, err
	}
	request.Header = r.Header.Clone()
	request.Header.Del("Content-Length")
	answer, err := fetch.NewClient().Do(request, &fetch.RequestInit{Redirect: fetch.RedirectModeManual})
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	bytes, err := io.ReadAll(answer.Body)
	return answer, bytes, err
}

// page puts a key into each form of a page.
func page(w http.ResponseWriter, r *http.Request) {
	answer, html, err := forward(r, nil)
	if err != nil {
		fail(w, err)
		return
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
		var out bytes.Buffer
		for {
			before, rest, ok := bytes.Cut(html, []byte("<form "))
			out.Write(before)
			if !ok {
				break
			}
			tag, after, _ := bytes.Cut(rest, []byte(">"))
			out.WriteString("<form " + string(tag) + ">")
			if bytes.Contains(tag, []byte(`method="post"`)) {
				out.WriteString(`<input type="hidden" name="idempotency_key" value="` + rand.Text() + `">`)
			}
			html = after
		}
		html = out.Bytes()
		answer.Header.Set("Cache-Control", "private, no-cache")
	}
	write(w, answer.StatusCode, answer.Header, html)
}

func write(w http.ResponseWriter, status int, headers http.Header, body []byte) {
	for name, lines := range headers {
		if name != "Content-Length" && name != "Content-Encoding" {
			w.Header()[name] = lines
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the visitor is gone
}

func fail(w http.ResponseWriter, err error) {
	http.Error(w, err.Error(), http.StatusBadGateway)
}
