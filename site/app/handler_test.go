//go:build !js && !wasip1

package app

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/site/store"
)

// With -origin the tests of HTTP behaviour run against a server that is up already, such as wrangler dev:
//
//	go test ./site/app -run HTTP -origin http://127.0.0.1:8787
var originFlag = flag.String("origin", "", "`URL` of a running demo origin to test instead of one of our own")

// origin returns the URL of the demo under test.
func origin(t *testing.T) string {
	t.Helper()
	if *originFlag != "" {
		return strings.TrimSuffix(*originFlag, "/")
	}
	server := httptest.NewServer(demo(t, nil))
	t.Cleanup(server.Close)
	return server.URL
}

// demo is the application with a database of its own. change, where there is one, changes what it needs.
func demo(t *testing.T, change func(*Config)) http.Handler {
	t.Helper()
	memory, err := store.Memory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { memory.Close() })
	config := Config{Store: memory, Now: clock, ID: NewID}
	if change != nil {
		change(&config)
	}
	return Handler(config)
}

// place is where the first recipe's form posts to.
const place = "/api/recipes/idempotency-key/orders"

func clock() time.Time { return time.Date(2026, 11, 30, 9, 5, 7, 123, time.UTC) }

// exchange is one request and what came back.
type exchange struct {
	status int
	header http.Header
	body   string
}

// send makes a request without following redirects. Headers are "Name: value".
func send(t *testing.T, method, address, body string, headers ...string) exchange {
	t.Helper()
	request, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return exchange{response.StatusCode, response.Header, string(content)}
}

const htmx = "HX-Request: true"

var (
	numberAttribute = regexp.MustCompile(`data-order-number="(\d+)"`)
	countAttribute  = regexp.MustCompile(`data-order-count="(\d+)"`)
)

// found returns the only value of an attribute in a page.
func found(t *testing.T, attribute *regexp.Regexp, body string) string {
	t.Helper()
	all := attribute.FindAllStringSubmatch(body, -1)
	if len(all) != 1 {
		t.Fatalf("%v stands %d times in the answer; want once:\n%s", attribute, len(all), body)
	}
	return all[0][1]
}

func TestHTTPHtmxOrderIsAFragment(t *testing.T) {
	base := origin(t)
	got := send(t, "POST", base+place, "item=tea&amount=2%2C400", htmx)
	if got.status != 200 || strings.Contains(got.body, "<html") {
		t.Fatalf("POST = %d %s; want a 200 fragment", got.status, got.body)
	}
	number := found(t, numberAttribute, got.body)
	for _, part := range []string{`class="hc-card`, "Green tea", "¥2,400", `href="/orders/` + number + `"`, "Order <strong"} {
		if !strings.Contains(got.body, part) {
			t.Errorf("the fragment lacks %q:\n%s", part, got.body)
		}
	}
	var events map[string]map[string]string
	if err := json.Unmarshal([]byte(got.header.Get("HX-Trigger")), &events); err != nil {
		t.Fatalf("HX-Trigger: %v", err)
	}
	if toast := events["hc:toast"]; toast["message"] != "Order "+number+" is placed." || toast["variant"] != "success" {
		t.Errorf("HX-Trigger hc:toast = %v; want the order's number and success", toast)
	}
	if _, ok := events["orders-changed"]; !ok {
		t.Error("HX-Trigger does not make the list read itself again")
	}
	if record := got.header.Get("Idempotency-Record"); record != "</orders/"+number+`>; title="Order `+number+`"` {
		t.Errorf("Idempotency-Record = %s", record)
	}
}

func TestHTTPPlainOrderLeadsToItsReceipt(t *testing.T) {
	base := origin(t)
	got := send(t, "POST", base+place, "item=lamp&amount=990")
	place := got.header.Get("Location")
	if got.status != 303 || !regexp.MustCompile(`^/orders/\d+$`).MatchString(place) {
		t.Fatalf("POST = %d to %q; want 303 to /orders/<number>", got.status, place)
	}
	if record := got.header.Get("Idempotency-Record"); !strings.HasPrefix(record, "<"+place+">; title=") {
		t.Errorf("Idempotency-Record = %s; want it to name %s", record, place)
	}
	receipt := send(t, "GET", base+place, "")
	if receipt.status != 200 || "/orders/"+found(t, numberAttribute, receipt.body) != place {
		t.Fatalf("GET %s = %d; want the receipt", place, receipt.status)
	}
	for _, part := range []string{"Desk lamp", "¥990", "<time datetime="} {
		if !strings.Contains(receipt.body, part) {
			t.Errorf("the receipt lacks %q", part)
		}
	}
}

// The origin itself knows no duplicates: that is what the guard is for.
func TestHTTPEveryRequestIsAnOrderOfItsOwn(t *testing.T) {
	base := origin(t)
	first := send(t, "POST", base+place, "item=tea&amount=5", htmx, "Idempotency-Key: same")
	second := send(t, "POST", base+place, "item=tea&amount=5", htmx, "Idempotency-Key: same")
	if a, b := found(t, numberAttribute, first.body), found(t, numberAttribute, second.body); a == b {
		t.Errorf("two requests got one number %s; want two", a)
	}
}

func TestHTTPListFollowsTheOrders(t *testing.T) {
	base := origin(t)
	placed := send(t, "POST", base+place, "item=coffee&amount=7", htmx)
	number := found(t, numberAttribute, placed.body)
	fragment := send(t, "GET", base+"/orders", "", htmx)
	if fragment.status != 200 || strings.Contains(fragment.body, "<html") {
		t.Fatalf("GET /orders by htmx = %d %s; want a fragment", fragment.status, fragment.body)
	}
	if !strings.Contains(fragment.body, `href="/orders/`+number+`"`) {
		t.Errorf("the list lacks order %s:\n%s", number, fragment.body)
	}
	for _, path := range []string{idempotencyKey.path, "/orders"} {
		page := send(t, "GET", base+path, "")
		if found(t, countAttribute, page.body) != found(t, countAttribute, fragment.body) {
			t.Errorf("%s and the fragment count differently", path)
		}
		if !strings.Contains(page.body, "<html") {
			t.Errorf("GET %s is no full page", path)
		}
		// On the page of orders every row names its order; on the recipe's only an answer does.
		if got := strings.Contains(page.body, `data-order-number="`+number+`"`); got != (path == "/orders") {
			t.Errorf("GET %s marks order %s: %v", path, number, got)
		}
	}
}

func TestHTTPRefusedEntry(t *testing.T) {
	base := origin(t)
	tests := []struct {
		why     string
		body    string
		headers []string
		want    []string
		lacks   []string
	}{
		{"htmx gets a fragment that names the field", "item=tea&amount=ten", []string{htmx},
			[]string{`data-field="amount"`, "such as 2400", "data-hc-field-errors"}, []string{"<html", `data-field="item"`}},
		{"both fields are named", "item=x&amount=", []string{htmx},
			[]string{`data-field="item"`, `data-field="amount"`}, nil},
		{"a plain post gets its page back, marked and linked", "item=tea&amount=ten", nil,
			[]string{`<html`, `aria-invalid="true" aria-describedby="amount-hint amount-error"`, `id="amount-error"`,
				`role="alert"`, `value="ten"`, `<option value="tea" selected>`, `href="#amount"`, " autofocus", "<title>Please check: "}, nil},
		{"what was typed is kept as text", `item=tea&amount=` + url.QueryEscape(`"><script>x</script>`), nil,
			[]string{`value="&quot;&gt;&lt;script&gt;x&lt;/script&gt;"`}, []string{"<script>x"}},
		{"an unknown item is marked and not shown", `item=` + url.QueryEscape(`<b>`) + `&amount=1`, nil,
			[]string{`aria-invalid="true" aria-describedby="item-error"`}, []string{"&lt;b", "<b>"}},
		{"a Japanese visitor is told in Japanese", "item=tea&amount=ten", []string{htmx, "Accept-Language: ja"},
			[]string{"整数で入力してください"}, []string{"whole number"}},
		{"a boosted form wants a page", "item=tea&amount=ten", []string{htmx, "HX-Boosted: true"}, []string{"<html"}, nil},
	}
	before := found(t, countAttribute, send(t, "GET", base+"/orders", "").body)
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got := send(t, "POST", base+place, tt.body, tt.headers...)
			if got.status != http.StatusUnprocessableEntity {
				t.Fatalf("POST = %d; want 422", got.status)
			}
			for _, part := range tt.want {
				if !strings.Contains(got.body, part) {
					t.Errorf("the answer lacks %q:\n%s", part, got.body)
				}
			}
			for _, part := range tt.lacks {
				if strings.Contains(got.body, part) {
					t.Errorf("the answer has %q", part)
				}
			}
			if got.header.Get("Idempotency-Record") != "" {
				t.Error("a refused entry names a record")
			}
		})
	}
	if after := found(t, countAttribute, send(t, "GET", base+"/orders", "").body); after != before {
		t.Errorf("refused entries made the orders go from %s to %s", before, after)
	}
}

func TestHTTPLanguages(t *testing.T) {
	base := origin(t)
	tests := []struct {
		why     string
		path    string
		headers []string
		want    string
	}{
		{"English by default", "/", nil, `<html lang="en">`},
		{"Japanese by the browser", "/", []string{"Accept-Language: ja-JP,ja;q=0.9,en;q=0.8"}, `<html lang="ja">`},
		{"Japanese by the switch", "/?lang=ja", nil, `<html lang="ja">`},
		{"Japanese by the choice made before", "/", []string{"Cookie: a=b; lang=ja"}, `<html lang="ja">`},
		{"the button as the tests press it", "/api/recipes/idempotency-key/form", nil, ">Place order</button>"},
		{"the button in Japanese", "/api/recipes/idempotency-key/form?lang=ja", nil, ">注文を確定</button>"},
		{"the 404 page too", "/none?lang=ja", nil, "ページが見つかりません"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if got := send(t, "GET", base+tt.path, "", tt.headers...); !strings.Contains(got.body, tt.want) {
				t.Errorf("GET %s lacks %q", tt.path, tt.want)
			}
		})
	}

	chosen := send(t, "GET", base+"/?lang=ja", "")
	if cookie := chosen.header.Get("Set-Cookie"); cookie != "lang=ja; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly" {
		t.Errorf("Set-Cookie = %q; want the choice remembered", cookie)
	}
	if cookie := send(t, "GET", base+"/", "").header.Get("Set-Cookie"); cookie != "" {
		t.Errorf("Set-Cookie = %q; want none where nothing was chosen", cookie)
	}
	placed := send(t, "POST", base+place, "item=tea&amount=3", htmx, "Accept-Language: ja")
	for _, c := range placed.header.Get("HX-Trigger") {
		if c > '~' {
			t.Fatalf("HX-Trigger has %q; headers are ASCII", c)
		}
	}
	number := found(t, numberAttribute, placed.body)
	if record := placed.header.Get("Idempotency-Record"); !strings.HasSuffix(record, `; title*=UTF-8''%E6%B3%A8%E6%96%87%20`+number) {
		t.Errorf("Idempotency-Record = %s; want the title in Japanese as well", record)
	}
}

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

func TestPlacedTimeIsTheClock(t *testing.T) {
	server := httptest.NewServer(demo(t, nil))
	defer server.Close()
	send(t, "POST", server.URL+place, "item=tea&amount=5")
	for lang, want := range map[string]string{"en": "30 November 2026, 09:05:07 UTC", "ja": "2026年11月30日 09:05:07 UTC"} {
		if got := send(t, "GET", server.URL+"/orders/1042?lang="+lang, ""); !strings.Contains(got.body, `<time datetime="2026-11-30T09:05:07Z">`+want) {
			t.Errorf("the %s receipt lacks %q", lang, want)
		}
	}
}

func TestJSONTextIsASCIIAndReadsBack(t *testing.T) {
	for _, text := range []string{"Order 1", `"\` + "\n\x00\x7f", "注文 1", "😀"} {
		quoted := jsonText(text)
		var back string
		if err := json.Unmarshal([]byte(quoted), &back); err != nil || back != text {
			t.Errorf("jsonText(%q) = %s, reads back as %q, %v", text, quoted, back, err)
		}
		for _, c := range quoted {
			if c < ' ' || c > '~' {
				t.Errorf("jsonText(%q) = %s; want ASCII", text, quoted)
			}
		}
	}
}
