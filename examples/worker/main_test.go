//go:build unix

package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

func TestTheGuestbookIsSignedOnceInWorkerd(t *testing.T) {
	if testing.Short() {
		t.Skip("needs workerd: not part of -short")
	}
	root, err := workerd.Root()
	if err != nil {
		t.Fatal(err)
	}
	const built = "examples/worker/build/app.wasm"
	if _, err := os.Stat(filepath.Join(root, built)); err != nil {
		if out, err := exec.Command("make", "-C", root, built).CombinedOutput(); err != nil {
			t.Fatalf("make %s: %v\n%s", built, err, out)
		}
	}
	w, err := workerd.Start(workerd.Options{State: t.TempDir(), Args: []string{"dev", "-c", "examples/worker/wrangler.toml",
		"--var", "SINGLESHOT_SECRET:a-secret-for-tests-0123456789abcdef"}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	send := func(r *http.Request, err error) (*http.Response, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(body)
	}
	_, text := send(http.NewRequest("GET", w.URL+"/robots.txt", nil))
	head, none := send(http.NewRequest("HEAD", w.URL+"/robots.txt", nil))
	if head.StatusCode != 200 || none != "" || head.ContentLength != int64(len(text)) || len(text) == 0 {
		t.Errorf("HEAD = %d, %q of %d bytes; want 200, nothing of %d", head.StatusCode, none, head.ContentLength, len(text))
	}
	page, body := send(http.NewRequest("GET", w.URL, nil))
	key := regexp.MustCompile(`ik_[A-Za-z0-9_-]+`).FindString(body)
	if key == "" {
		t.Fatalf("page = %q; want a key in its form\n%s", body, w.Log.Tail(20))
	}
	var first string
	for _, c := range []struct {
		name, outcome string
		status        int
	}{{"", "released", 422}, {"Ada", "created", 200}, {"Ada", "replayed", 200}, {"Eve", "mismatch", 422}} {
		form := url.Values{"idempotency_key": {key}, "name": {c.name}}
		r, err := http.NewRequest("POST", w.URL+"/entries", strings.NewReader(form.Encode()))
		if err == nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Cookie", page.Cookies()[0].String())
		}
		res, body := send(r, err)
		if got := res.Header.Get("Idempotency-Status"); res.StatusCode != c.status || got != c.outcome {
			t.Errorf("%q = %d %q; want %d %q", c.name, res.StatusCode, got, c.status, c.outcome)
		}
		switch c.outcome {
		case "created":
			first = body
		case "replayed":
			if body != first {
				t.Errorf("replay = %q; want the first answer %q", body, first)
			}
		}
	}
}
