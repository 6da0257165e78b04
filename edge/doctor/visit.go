package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// patience bounds each request, readLimit each answer.
const (
	patience  = 20 * time.Second
	readLimit = 8 << 20
)

// deployment is a guard, seen from outside.
type deployment struct {
	base   string // scheme and host
	page   string // path of the page to look at
	client *http.Client
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// visit finds out where a deployment is: it follows redirects of the page on the same host, from http to https too.
func visit(address, page string) (*deployment, error) {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address: want https://shop.example.com", address)
	}
	if len(u.Path) > 1 {
		page = u.RequestURI()
	}
	if !strings.HasPrefix(page, "/") {
		return nil, fmt.Errorf("the page %q is no path: want /orders/new", page)
	}
	d := &deployment{base: u.Scheme + "://" + u.Host, page: page, client: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for range 5 {
		a, err := d.ask(http.MethodGet, d.page, "")
		if err != nil {
			return nil, err
		}
		to, err := url.Parse(a.header.Get("Location"))
		if a.status/100 != 3 || err != nil {
			return d, nil
		}
		here, err := url.Parse(d.base + d.page)
		if err != nil {
			return nil, err
		}
		if to = here.ResolveReference(to); to.Hostname() != here.Hostname() {
			return d, nil
		}
		d.base, d.page = to.Scheme+"://"+to.Host, to.RequestURI()
	}
	return nil, errors.New("redirects in circles")
}

// ask sends one request as a browser of the same site would, without cookies.
func (d *deployment) ask(method, path, body string, headers ...string) (*answer, error) {
	q, err := http.NewRequest(method, d.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("User-Agent", "singleshot-doctor")
	q.Header.Set("Accept", "text/html")
	q.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	res, err := d.client.Do(q)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		if errors.Is(err, http.ErrSchemeMismatch) {
			err = errors.New("plain http is spoken there: want URL=http://" + q.URL.Host)
		}
		return nil, fmt.Errorf("cannot be reached: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, readLimit))
	if err != nil {
		return nil, fmt.Errorf("broke off: %w", err)
	}
	return &answer{res.StatusCode, res.Header, text}, nil
}

// secure says whether a browser trusts the address with Secure cookies.
func (d *deployment) secure() bool { return strings.HasPrefix(d.base, "https://") }

// local says whether the address is this machine.
func (d *deployment) local() bool {
	u, err := url.Parse(d.base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// problem is the type of an answer of the guard's own, without "urn:singleshot:", or "".
func (a *answer) problem() string {
	var p struct{ Type string }
	if json.Unmarshal(a.body, &p) != nil {
		return ""
	}
	kind, ok := strings.CutPrefix(p.Type, "urn:singleshot:")
	if !ok {
		return ""
	}
	return kind
}

// cookie is the visitor cookie that an answer sets, or nil.
func (a *answer) cookie() *http.Cookie {
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if strings.TrimPrefix(c.Name, "__Host-") == "singleshot" {
			return c
		}
	}
	return nil
}

// form is one form of a page that posts.
type form struct{ action, key string }

// forms reads the forms of a page that post.
func (a *answer) forms() []form {
	var all []form
	tokens := html.NewTokenizer(bytes.NewReader(a.body))
	posts := false
	for tokens.Next() != html.ErrorToken {
		token := tokens.Token()
		attributes := map[string]string{}
		for _, x := range token.Attr {
			attributes[x.Key] = x.Val
		}
		switch {
		case token.Data == "form" && token.Type == html.StartTagToken:
			action := attributes["action"]
			for _, name := range []string{"hx-post", "data-hx-post"} {
				if attributes[name] != "" {
					action = attributes[name]
				}
			}
			if posts = strings.EqualFold(attributes["method"], "post") || action != attributes["action"]; posts {
				all = append(all, form{action: action})
			}
		case token.Data == "form":
			posts = false
		case token.Data == "input" && posts && attributes["name"] == "idempotency_key" && all[len(all)-1].key == "":
			all[len(all)-1].key = attributes["value"]
		}
	}
	return all
}
