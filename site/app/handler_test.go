//go:build !js && !wasip1

package app

import (
	"bytes"
	"log"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHTTPRefusals(t *testing.T) {
	base := origin(t)
	large := "item=tea&amount=" + strings.Repeat("1", maxForm)
	tests := []struct {
		why     string
		method  string
		path    string
		body    string
		headers []string
		status  int
		allow   string
	}{
		{"no such page", "GET", "/nowhere", "", nil, 404, ""},
		{"no such order", "GET", "/orders/1", "", nil, 404, ""},
		{"no number", "GET", "/orders/abc", "", nil, 404, ""},
		{"a number beyond numbers", "GET", "/orders/99999999999999999999", "", nil, 404, ""},
		{"a post to the index", "POST", "/", "a=b", nil, 405, "GET, HEAD"},
		{"orders are placed elsewhere", "POST", "/orders", "a=b", nil, 405, "GET, HEAD"},
		{"an order is not read where it is placed", "GET", "/api/recipes/idempotency-key/orders", "", nil, 405, "POST"},
		{"a form that is read and posted", "PUT", "/api/recipes/edit-conflict/none", "a=b", nil, 405, "GET, HEAD, POST"},
		{"no such job's result", "GET", "/recipes/async-job/none/result", "", nil, 404, ""},
		{"no such request", "GET", "/recipes/workflow-actions/none", "", nil, 404, ""},
		{"a receipt is not deleted", "DELETE", "/orders/1042", "", nil, 405, "GET, HEAD"},
		{"a broken body", "POST", place, "amount=%zz", nil, 400, ""},
		{"a multipart body without its boundary", "POST", place, "x", []string{"Content-Type: multipart/form-data"}, 400, ""},
		{"no form at all", "POST", place, "{}", []string{"Content-Type: application/json"}, 415, ""},
		{"a form without end", "POST", place, large, nil, 413, ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got := send(t, tt.method, base+tt.path, tt.body, tt.headers...)
			if got.status != tt.status || got.header.Get("Allow") != tt.allow {
				t.Errorf("%s %s = %d, Allow %q; want %d, %q", tt.method, tt.path, got.status, got.header.Get("Allow"), tt.status, tt.allow)
			}
			if !strings.Contains(got.body, "<h1>") {
				t.Error("a person gets no page")
			}
			fragment := send(t, tt.method, base+tt.path, tt.body, append(tt.headers, htmx)...)
			if fragment.status != tt.status || !strings.HasPrefix(fragment.body, `<div class="hc-alert"`) {
				t.Errorf("htmx gets %d %s; want %d and an alert", fragment.status, fragment.body, tt.status)
			}
		})
	}
}

func TestHTTPMultipartFormIsRead(t *testing.T) {
	body := "--x\r\nContent-Disposition: form-data; name=\"item\"\r\n\r\ntea\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"amount\"\r\n\r\n5\r\n--x--\r\n"
	got := send(t, "POST", origin(t)+place, body, "Content-Type: multipart/form-data; boundary=x")
	if got.status != 303 {
		t.Errorf("POST = %d; want 303", got.status)
	}
}

func TestHTTPHeadHasNoBody(t *testing.T) {
	got := send(t, "HEAD", origin(t)+"/", "")
	if got.status != 200 || got.body != "" || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("HEAD / = %d %q %q; want the headers alone", got.status, got.header.Get("Content-Type"), got.body)
	}
}

func TestHTTPEveryPageIsGuardedByItsHeaders(t *testing.T) {
	base := origin(t)
	for _, path := range []string{"/", "/orders", "/nowhere"} {
		h := send(t, "GET", base+path, "").header
		if !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") || strings.Contains(h.Get("Content-Security-Policy"), "unsafe-inline") {
			t.Errorf("%s: Content-Security-Policy = %q", path, h.Get("Content-Security-Policy"))
		}
		if h.Get("Cache-Control") != "private, no-cache" || !strings.Contains(h.Get("Vary"), "HX-Request") {
			t.Errorf("%s: Cache-Control = %q, Vary = %q", path, h.Get("Cache-Control"), h.Get("Vary"))
		}
	}
}

func TestStoreOutOfReachIs503AndLogged(t *testing.T) {
	var logged bytes.Buffer
	server := httptest.NewServer(demo(t, func(c *Config) {
		c.Log = log.New(&logged, "", 0)
		c.Store.Close()
	}))
	defer server.Close()
	for _, tt := range []struct{ method, path, body string }{
		{"GET", "/orders", ""}, {"GET", "/orders/1042", ""}, {"POST", place, "item=tea&amount=77"},
	} {
		logged.Reset()
		got := send(t, tt.method, server.URL+tt.path, tt.body)
		if got.status != 503 || got.header.Get("Retry-After") == "" {
			t.Errorf("%s %s = %d, Retry-After %q; want 503 and when to come back", tt.method, tt.path, got.status, got.header.Get("Retry-After"))
		}
		if line := logged.String(); !strings.Contains(line, "closed") || strings.Contains(line, "77") {
			t.Errorf("logged %q; want the cause and no value", line)
		}
		if strings.Contains(got.body, "closed") {
			t.Error("the visitor sees the cause")
		}
	}
}
