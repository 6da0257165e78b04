//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

const testSecret = "doctor-test-secret-0123456789abcdef"

// shop is the application: a page with a form, one without, and a count of what was posted.
func shop(t *testing.T) (s *httptest.Server, posts func() int) {
	n := 0
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			n++
		case r.URL.Path == "/old":
			http.Redirect(w, r, "/orders/new", http.StatusFound)
		case r.URL.Path == "/about":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!doctype html><p>No form</p>")
		default:
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<!doctype html><form method="get"></form><form method="post" action="/orders"><input name="amount"></form>`)
		}
	}))
	t.Cleanup(s.Close)
	return s, func() int { return n }
}

// look runs the doctor over a deployment, with a configuration that is whole.
func look(t *testing.T, address, page string) (status int, said string) {
	t.Helper()
	return diagnose(t, []string{"-url", address, "-page", page}, "wrangler.toml", wholeConfig, "entry.js", "")
}

// front stands between the doctor and a guard, and does to answers what it is told.
func front(t *testing.T, guard string, change func(*http.Response)) string {
	to, err := url.Parse(guard)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: func(r *http.Response) error {
			change(r)
			return nil
		},
	})
	t.Cleanup(s.Close)
	return s.URL
}

// caching answers every GET of a path with what the first one got.
func caching(t *testing.T, guard string) string {
	kept := map[string]*httptest.ResponseRecorder{}
	to, err := url.Parse(guard)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			proxy.ServeHTTP(w, r)
			return
		}
		if kept[r.URL.Path] == nil {
			kept[r.URL.Path] = httptest.NewRecorder()
			proxy.ServeHTTP(kept[r.URL.Path], r)
		}
		for name, values := range kept[r.URL.Path].Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(kept[r.URL.Path].Code)
		w.Write(kept[r.URL.Path].Body.Bytes())
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestADeploymentFromOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the guard in workerd: not part of -short")
	}
	origin, posts := shop(t)
	g, err := workerd.Start(workerd.Options{State: t.TempDir(), Args: []string{"dev", "-c", "wrangler.toml",
		"--var", "ORIGIN_URL:" + origin.URL, "--var", "SINGLESHOT_SECRET:" + testSecret,
		"--var", `RULES:[{"match":"/elsewhere","key":"off"}]`}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Stop)
	set := func(name, value string) func(*http.Response) {
		return func(r *http.Response) { r.Header.Set(name, value) }
	}
	without := func(name string) func(*http.Response) {
		return func(r *http.Response) { r.Header.Del(name) }
	}
	for _, c := range []struct {
		why, address, page string
		status             int
		says               []string
	}{
		{"a good one", g.URL, "/orders/new", 0, []string{"ok     guard", "ok     cookie", "ok     keys               in 1 of 1 forms",
			"private, no-cache", "keys of their own", "ok     forged key", "note   trail", "Nothing is wrong"}},
		{"a page that leads to one", g.URL, "/old", 0, []string{"in 1 of 1 forms of /orders/new", "Nothing is wrong"}},
		{"a page without a form", g.URL, "/about", 0, []string{"note   page", "no form that posts", "ok     forged key"}},
		{"a page whose posts are off", g.URL, "/elsewhere", 0, []string{"posts to /elsewhere are not guarded by a field", "ok     keys"}},
		{"no guard", origin.URL, "/orders/new", 1, []string{"FAULT  guard", "is not there"}},
		{"a cache in front", caching(t, g.URL), "/orders/new", 1, []string{"FAULT  in front", "caches the page"}},
		{"a cache that says so", front(t, g.URL, set("Age", "12")), "/orders/new", 1, []string{"FAULT  in front", "Age: 12"}},
		{"something makes pages cacheable", front(t, g.URL, set("Cache-Control", "max-age=60")), "/orders/new", 1, []string{"FAULT  in front", `"max-age=60"; want private, no-cache`}},
		{"something adds validators", front(t, g.URL, set("ETag", `"x"`)), "/orders/new", 1, []string{"adds ETag"}},
		{"something takes cookies away", front(t, g.URL, without("Set-Cookie")), "/orders/new", 1, []string{"FAULT  cookie", "takes Set-Cookie away"}},
		{"something takes our words away", front(t, g.URL, without("Idempotency-Status")), "/orders/new", 1, []string{"takes Idempotency-Status away"}},
		{"something rewrites cookies", front(t, g.URL, set("Set-Cookie", "singleshot=x; Domain=example.com; Path=/")), "/orders/new", 1, []string{"FAULT  cookie", "want HttpOnly"}},
		{"plain http without the word", strings.TrimPrefix(g.URL, "http://"), "/", 2, []string{"plain http is spoken there", "URL=" + g.URL}},
		{"no address", "ftp://example.com", "/", 2, []string{"is no address"}},
		{"no path", g.URL, "orders", 2, []string{"is no path"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			status, said := look(t, c.address, c.page)
			if status != c.status {
				t.Errorf("exit status = %d; want %d", status, c.status)
			}
			for _, part := range c.says {
				if !strings.Contains(said, part) {
					t.Errorf("no %q in what it says", part)
				}
			}
			if t.Failed() {
				t.Log(said)
			}
		})
	}
	if posts() != 0 {
		t.Errorf("the application got %d posts; want none from a doctor", posts())
	}
	t.Run("no application", func(t *testing.T) {
		origin.Close()
		if status, said := look(t, g.URL, "/orders/new"); status != 1 || !strings.Contains(said, "FAULT  application") {
			t.Errorf("exit status %d, %s; want 1 and what is away", status, said)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		g.Stop()
		if status, said := look(t, g.URL, "/"); status != 2 || !strings.Contains(said, "cannot be reached") {
			t.Errorf("exit status %d, %s; want 2 and the reason", status, said)
		}
	})
}

// What is wrong in a configuration, the guard and the doctor say in the same words, and the guard is seen to be
// closed from outside.
func TestTheGuardSaysTheSameOfAWrongConfiguration(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the guard in workerd: not part of -short")
	}
	root, err := workerd.Root()
	if err != nil {
		t.Fatal(err)
	}
	origin, posts := shop(t)
	config := strings.Replace(wholeConfig, `"entry.js"`, fmt.Sprintf("%q\ncompatibility_date = %q", filepath.Join(root, "edge/host/entry.js"), "2026-11-17"), 1) + `
[vars]
SHARDS = 0
KEEP = "some"
REGION = "mars"
INJECT_SCRIPT = "yes"
SINGLESHOT_SECRET_PREVIOUS = "short"
[[vars.RULES]]
match = "/a"
[[vars.RULES]]
match = "b"
lees = 30
ttl = 5
`
	folder := t.TempDir()
	file := filepath.Join(folder, "wrangler.toml")
	if err := os.WriteFile(file, []byte("name = \"doctor\"\n"+config), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := workerd.Start(workerd.Options{State: t.TempDir(), Args: []string{"dev", "-c", file, "--var", "ORIGIN_URL:" + origin.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Stop)
	var out bytes.Buffer
	if status := run([]string{"-config", file, "-url", g.URL}, &out, &out); status != 1 {
		t.Errorf("exit status = %d; want 1", status)
	}
	if _, err := g.Log.Wait(0, regexp.MustCompile("core: INJECT_SCRIPT"), time.Minute); err != nil { // the last one
		t.Fatal(err)
	}
	said, log, n := out.String(), g.Log.Since(0), 0
	for line := range strings.Lines(said) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, why, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if why = strings.TrimSpace(why); word != "FAULT" || name == "guard" || strings.Contains(why, "stands in the file") {
			continue
		}
		n++
		if !strings.Contains(log, "core: "+name+" "+why) {
			t.Errorf("the guard does not say %q", name+" "+why)
		}
	}
	if want := strings.Count(log, "core: "); n < 8 || n != want-1 { // the doctor cannot see whether a secret is missing
		t.Errorf("the doctor finds %d faults, the guard %d; want all but the secret", n, want)
	}
	if !strings.Contains(said, "FAULT  guard              is there, and closed") {
		t.Error("the doctor does not see from outside that the guard is closed")
	}
	if t.Failed() {
		t.Logf("%s\n%s", said, log)
	}
	if posts() != 0 {
		t.Errorf("the application got %d posts; want none", posts())
	}
}
