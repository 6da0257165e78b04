package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

const asProblem = "application/problem+json"

// examine looks at a deployment from outside.
func (d *deployment) examine(r *report) {
	if d.secure() {
		r.ok("TLS", "%s", d.base)
	} else if d.local() {
		r.note("TLS", "plain http, on this machine: the visitor cookie has no Secure")
	} else {
		r.fault("TLS", "plain http: the visitor cookie has no Secure, and everybody on the way can read the forms")
	}
	action, found := d.lookAtKey(r)
	if !found {
		return
	}
	if keyed := d.lookAtPage(r); keyed != "" {
		action = keyed
	}
	d.forge(r, action)
	d.lookAtTrail(r)
}

// lookAtKey asks for a key as a script would, which only a guard answers. It returns a path that the guard gave a
// key for, and whether there is a guard at all.
func (d *deployment) lookAtKey(r *report) (action string, found bool) {
	path, _, _ := strings.Cut(d.page, "?")
	a, err := d.ask(http.MethodGet, "/_singleshot/key?action="+url.QueryEscape(path), "", "Accept", asProblem)
	if err != nil {
		r.unable("guard", "%v", err)
		return "", false
	}
	var given struct{ Key string }
	switch kind := a.problem(); {
	case a.status == http.StatusOK && json.Unmarshal(a.body, &given) == nil && strings.HasPrefix(given.Key, "ik_"):
		r.ok("guard", "is there, and gives keys")
		d.lookAtCookie(r, a)
		if a.header.Get("Cache-Control") != "no-store" {
			r.fault("in front", "something changes Cache-Control: a key came with %q; want no-store", a.header.Get("Cache-Control"))
		}
		return path, true
	case kind == "config":
		r.fault("guard", "is there, and closed: its configuration is wrong, and guarded posts are answered with 503 (config); its log says what")
		return "", false
	case kind == "not-found":
		r.ok("guard", "is there; posts to %s are not guarded by a field", path)
		return "", true
	case kind != "":
		r.fault("guard", "is there, and answers %d %s instead of a key", a.status, kind)
		return "", false
	}
	r.fault("guard", "is not there: /_singleshot/key is answered with %d by something else; does the route cover the whole host?", a.status)
	return "", false
}

// lookAtCookie looks at the visitor cookie that comes with a key.
func (d *deployment) lookAtCookie(r *report, a *answer) {
	c := a.cookie()
	if c == nil {
		r.fault("cookie", "none came with a key: something in front takes Set-Cookie away")
		return
	}
	before := r.faults
	want := "singleshot"
	if d.secure() {
		want = "__Host-singleshot"
		if !c.Secure {
			r.fault("cookie", "is not Secure")
		}
	}
	if c.Name != want {
		r.fault("cookie", "is called %s; want %s: does the guard see another scheme than the browser?", c.Name, want)
	}
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
		r.fault("cookie", "%q; want HttpOnly, SameSite=Lax, Path=/ and no Domain", strings.Replace(c.Raw, c.Value, "…", 1))
	}
	if r.faults == before {
		r.ok("cookie", "%s", strings.Replace(c.Raw, c.Value, "…", 1))
	}
}

// lookAtPage opens the page twice and returns the action of a form that has a key.
func (d *deployment) lookAtPage(r *report) (action string) {
	a, err := d.ask(http.MethodGet, d.page, "")
	if err != nil {
		r.unable("page", "%v", err)
		return ""
	}
	if a.status == http.StatusBadGateway {
		if why, err := d.ask(http.MethodGet, d.page, "", "Accept", asProblem); err == nil && why.problem() == "origin" {
			r.fault("application", "cannot be reached by the guard: %s is 502; does it listen where ORIGIN_URL (or the binding, or the zone) says?", d.page)
			return ""
		}
	}
	if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		r.note("page", "%s is %d %s; name a page that has a form: PAGE=/orders/new", d.page, a.status, a.header.Get("Content-Type"))
		return ""
	}
	forms := a.forms()
	if len(forms) == 0 {
		r.note("page", "%s has no form that posts; name one that has: PAGE=/orders/new", d.page)
		return ""
	}
	keys := map[string]bool{}
	for _, f := range forms {
		if strings.HasPrefix(f.key, "ik_") {
			keys[f.key] = true
			if action == "" {
				action = d.pathOf(f.action)
			}
		}
	}
	if len(keys) == 0 {
		r.fault("keys", "none of the %d forms of %s got one: is it marked off, under a rule \"off\", for another site, or does the guard not see this page?", len(forms), d.page)
		return ""
	}
	r.ok("keys", "in %d of %d forms of %s", len(keys), len(forms), d.page)
	d.lookAtCaching(r, a)
	again, err := d.ask(http.MethodGet, d.page, "")
	if err != nil {
		r.unable("page", "%v", err)
		return action
	}
	for _, f := range again.forms() {
		if keys[f.key] {
			r.fault("in front", "something caches the page: two visitors got the same key, and one would get the other's answer refused or replayed")
			return action
		}
	}
	r.ok("in front", "each visitor gets keys of their own")
	return action
}

// lookAtCaching looks at the head of a page that has keys (contract §6).
func (d *deployment) lookAtCaching(r *report, a *answer) {
	before := r.faults
	control := strings.ToLower(a.header.Get("Cache-Control"))
	if !strings.Contains(control, "no-store") && !(strings.Contains(control, "private") && strings.Contains(control, "no-cache")) {
		r.fault("in front", "something changes Cache-Control: a page with keys came with %q; want private, no-cache", control)
	}
	for _, name := range []string{"ETag", "Last-Modified", "CDN-Cache-Control", "Cloudflare-CDN-Cache-Control"} {
		if a.header.Get(name) != "" {
			r.fault("in front", "something adds %s to a page with keys", name)
		}
	}
	for _, name := range []string{"CF-Cache-Status", "X-Cache"} {
		if strings.Contains(strings.ToUpper(a.header.Get(name)), "HIT") {
			r.fault("in front", "a page with keys came from a cache: %s: %s", name, a.header.Get(name))
		}
	}
	if a.header.Get("Age") != "" {
		r.fault("in front", "a page with keys came from a cache: Age: %s", a.header.Get("Age"))
	}
	if a.cookie() == nil {
		r.fault("in front", "a page with keys came without the visitor cookie: something takes Set-Cookie away")
	}
	if r.faults == before {
		r.ok("page", "Cache-Control: %s", control)
	}
}

// pathOf is where a form of the page goes, or "" for another site.
func (d *deployment) pathOf(action string) string {
	here, err := url.Parse(d.base + d.page)
	if err != nil {
		return ""
	}
	to, err := here.Parse(action)
	if err != nil || to.Host != here.Host {
		return ""
	}
	return to.RequestURI()
}

// forge sends a key that nobody minted. Where the guard gives keys it must refuse this one by itself; the body
// holds nothing else, in case it does not.
func (d *deployment) forge(r *report, action string) {
	if action == "" {
		r.note("forged key", "not tried: no place is known that takes keys")
		return
	}
	a, err := d.ask(http.MethodPost, action, "idempotency_key=ik_"+strings.Repeat("A", 64), "Accept", asProblem, "Content-Type", "application/x-www-form-urlencoded")
	if err != nil {
		r.unable("forged key", "%v", err)
		return
	}
	switch kind := a.problem(); {
	case kind == "forged-key" && a.status == http.StatusForbidden && a.header.Get("Idempotency-Status") == "refused":
		r.ok("forged key", "is refused with 403 before the application is called")
	case kind == "forged-key" && a.status == http.StatusForbidden:
		r.fault("in front", "something takes Idempotency-Status away: it is %q on a refusal", a.header.Get("Idempotency-Status"))
	case kind != "":
		r.fault("forged key", "is answered with %d %s; want 403 forged-key", a.status, kind)
	default:
		r.fault("forged key", "is answered with %d by something else than the guard: posts to %s do not go through it", a.status, action)
	}
}

// lookAtTrail says whether the trail of a key can be looked at.
func (d *deployment) lookAtTrail(r *report) {
	a, err := d.ask(http.MethodGet, "/_singleshot/keys/doctor", "", "Accept", asProblem)
	switch {
	case err != nil:
		r.unable("trail", "%v", err)
	case a.status == http.StatusUnauthorized:
		r.ok("trail", "asks for SINGLESHOT_ADMIN")
	case a.status == http.StatusNotFound:
		r.note("trail", "closed: SINGLESHOT_ADMIN is not set")
	default:
		r.fault("trail", "is answered with %d; want 401 or 404", a.status)
	}
}
