//go:build !js && !wasip1

package app

import (
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
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
