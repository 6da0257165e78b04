//go:build !wasm

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestAFormThatIsSentTwiceIsOneOrder(t *testing.T) {
	h, err := open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), "a-secret-for-tests-0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	defer s.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page, err := client.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(page.Body)
	page.Body.Close()
	key := regexp.MustCompile(`ik_[A-Za-z0-9_-]+`).FindString(string(body))
	if err != nil || key == "" {
		t.Fatalf("page = %q, %v; want a key in its form", body, err)
	}
	for _, c := range []struct {
		amount, place, outcome string
		status                 int
	}{
		{"many", "", "released", 422},
		{"2", "/orders/1", "created", 303},
		{"2", "/orders/1", "replayed", 303},
		{"3", "", "mismatch", 422},
	} {
		form := url.Values{"idempotency_key": {key}, "item": {"tea"}, "amount": {c.amount}}
		r, err := http.NewRequest("POST", s.URL+"/orders", strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, cookie := range page.Cookies() {
			r.AddCookie(cookie)
		}
		got, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(got.Body)
		got.Body.Close()
		if got.StatusCode != c.status || got.Header.Get("Location") != c.place || got.Header.Get("Idempotency-Status") != c.outcome {
			t.Errorf("amount %s = %d %v; want %d %s, %s", c.amount, got.StatusCode, got.Header, c.status, c.place, c.outcome)
		}
		if c.outcome == "mismatch" && !strings.Contains(string(text), "Order 1") {
			t.Errorf("mismatch = %q; want Order 1 named", text)
		}
	}
}
