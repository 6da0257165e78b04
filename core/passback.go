package core

import "strings"

// This file brings unguarded answers back: byte for byte, but for the keys in rendered forms (contract §6)
// and the places that name the origin's own host (contract §7).

// passBack has the head of the origin's answer to an unguarded request.
func (x *Exchange) passBack(e *Event) *Effect {
	if e.Kind == EventOriginFailed {
		return x.originFailed(e.Sent)
	}
	x.at = stageEnd
	do := x.do(DoRespond)
	do.Source = SourceOrigin
	if e.Status == 101 {
		return do
	}
	do.Edit = x.originEdit(e.Headers, nil)
	if len(x.guard.faults) > 0 {
		return do
	}
	if x.signsOut(e.Status, e.Headers) {
		do.Edit.Set = append(do.Edit.Set, x.freshVisitor())
	}
	x.ending = &ending{page: PlanPage(e.Status, e.Headers)}
	if !x.page.Inject {
		return do
	}
	if x.method != "HEAD" {
		x.inject = NewInjector(x.injection(e.Headers))
		do.Inject = true
	}
	if x.page.Hold {
		x.at = stageHold
		do.Hold, do.Held, do.Limit = x.method != "HEAD", x.keyedEdit(), HoldLimit
		for _, name := range x.page.Edit.Delete {
			// A cacheable page stays so, but what describes its old bytes goes.
			if !sameName(name, "Cache-Control") && !strings.Contains(name, "CDN") {
				do.Altered.Delete = append(do.Altered.Delete, name)
			}
		}
	} else {
		do.Edit = JoinEdits(do.Edit, x.keyedEdit())
	}
	return do
}

// keyedEdit makes a page with keys private to the visitor, and gives a new visitor a cookie.
func (x *Exchange) keyedEdit() HeaderEdit {
	edit := x.page.Edit
	if x.visitor == "" {
		edit = JoinEdits(edit, HeaderEdit{Set: Headers{x.freshVisitor()}})
	}
	return edit
}

// freshVisitor is the header line of a new visitor cookie.
func (x *Exchange) freshVisitor() Header {
	return Header{"Set-Cookie", visitorSetCookie(x.scheme, mintVisitor(x.guard.config.Secret, x.fresh()))}
}

// signsOut says whether this answer ended a session: the next visitor of the browser is somebody else.
func (x *Exchange) signsOut(status int, h Headers) bool {
	if status >= 400 {
		return false
	}
	if h.Has("Clear-Site-Data") {
		return true
	}
	return (x.method == "POST" || x.method == "DELETE") && IsSignOut(x.path)
}

// injection says how the keys of this exchange's html answer are made.
func (x *Exchange) injection(h Headers) Injection {
	n := Injection{
		Page:     x.pageOfForms(),
		Site:     x.scheme + "://" + x.host,
		Upstream: x.guard.config.OriginURL,
		Mint:     x.mintForForm,
		Keep:     x.keepsOwnKey,
		Turbo:    x.page.Turbo,
	}
	if x.rule != nil {
		n.Redisplay = x.rule.Redisplay
	}
	if x.guard.config.InjectScript && x.shape == ShapePage && !x.htmx {
		n.Script = scriptTag
		n.Nonce = CSPNonce(h)
	}
	return n
}

// pageOfForms is where forms without an action of their own post to: this page, or for htmx the page that the
// fragment comes into.
func (x *Exchange) pageOfForms() string {
	if x.shape == ShapeFragment && x.back != "" {
		return x.back
	}
	return x.action()
}

const scriptTag = `<script src="/_singleshot/singleshot.js" defer></script>`

// mintForForm returns a key for a form that a rule guards by its field, or "".
func (x *Exchange) mintForForm(method, path string, repeat bool) string {
	path = NormalPath(path)
	rule := x.guard.config.Rules.Find(method, path)
	if rule == nil || rule.Key.Kind != KeyField || rule.MintByOrigin {
		return ""
	}
	return x.mint(method, path, repeat)
}

// keepsOwnKey says whether the origin renders the keys of a form itself.
func (x *Exchange) keepsOwnKey(method, path string) bool {
	rule := x.guard.config.Rules.Find(method, NormalPath(path))
	return rule != nil && rule.MintByOrigin
}

// mint makes a key for a form at a normalised path. Region and shard go in now: every submit of the key meets
// in one claim store near the visitor (ARCHITECTURE.md).
func (x *Exchange) mint(method, path string, repeat bool) string {
	random := x.fresh()
	shard := (uint16(random[14])<<8 | uint16(random[15])) % uint16(x.guard.config.Shards)
	return MintKey(x.guard.config.Secret, Key{
		ID: uuid4(x.fresh()), Minted: x.now / 1000,
		Region: x.region, Shard: shard,
		Form: formDigest(method, path), Repeat: repeat,
	})
}

// action is where this request went, as a form on the same site would name it.
func (x *Exchange) action() string {
	if x.query == "" {
		return x.path
	}
	return x.path + "?" + x.query
}

// forwarded tells an origin behind ORIGIN_URL what the visitor asked for: a Worker cannot set Host.
func (x *Exchange) forwarded(h Headers) {
	x.edit.Set = append(x.edit.Set, Header{"X-Forwarded-Host", x.host}, Header{"X-Forwarded-Proto", x.scheme})
	if address := h.Get("CF-Connecting-IP"); address != "" {
		x.edit.Set = append(x.edit.Set, Header{"X-Forwarded-For", strings.Clone(address)})
	}
}

// originEdit takes out what the origin said to the guard alone and what else is named, and turns places at the
// origin's own host into the visitor's (contract §7).
func (x *Exchange) originEdit(h Headers, gone []string) (edit HeaderEdit) {
	edit.Delete = gone
	for _, line := range h {
		switch {
		case sameName(line.Name, "Idempotency-Outcome"), sameName(line.Name, "Idempotency-Record"),
			sameName(line.Name, "Idempotency-TTL"):
			edit.Delete = append(edit.Delete, line.Name)
		case leads(line.Name):
			if moved := x.movePlace(line.Value); moved != line.Value {
				edit.Set = append(edit.Set, Header{line.Name, moved})
			}
		}
	}
	return edit
}

// leads says whether a header names a place that the browser goes to.
func leads(name string) bool {
	return sameName(name, "Location") || sameName(name, "HX-Redirect") || sameName(name, "HX-Location")
}

// movePlace turns an address at the origin behind ORIGIN_URL into one at the visitor's side; HX-Location may
// hold it inside JSON.
func (x *Exchange) movePlace(value string) string {
	upstream, site := x.guard.config.OriginURL, x.scheme+"://"+x.host
	i := strings.Index(value, upstream)
	if upstream == "" || i < 0 || i > 0 && value[i-1] != '"' {
		return value
	}
	rest := value[i+len(upstream):]
	if rest != "" && !strings.ContainsRune("/?#\"", rune(rest[0])) {
		return value // another port or host that only begins the same
	}
	return value[:i] + site + rest
}

// JoinEdits is a and then b.
func JoinEdits(a, b HeaderEdit) HeaderEdit {
	return HeaderEdit{
		Delete: append(a.Delete[:len(a.Delete):len(a.Delete)], b.Delete...),
		Set:    append(a.Set[:len(a.Set):len(a.Set)], b.Set...),
	}
}
