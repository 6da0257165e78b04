package simulator

import (
	"encoding/base64"
	"strings"
	"sync"

	"github.com/singleshot-edge/singleshot/core"
)

// visitor is a person with a browser, or a program.
type visitor struct {
	name        string
	cookie      string // name=value of the guard's cookie; "" for a browser that takes none
	cookieBytes []byte // its value
	id          []byte // what the guard reads out of it
	bearer      string
}

var visitorNames = [...]string{"Ada", "Ben", "Cleo", "Dai"}

const (
	mostVisitors = len(visitorNames)
	mostPayloads = 3
	mostVisits   = 14
	mostGuards   = 4
)

// visit is one request of a visitor.
type visit struct {
	form     *form
	payload  int8
	visitor  int8
	htmx     bool
	script   bool // fetch() of the page, not a navigation: repeat mode
	other    bool // to the other path, by a button's formaction
	override bool // with _method=put: repeat mode
	looking  bool // the wait link of a visit before
	onward   bool // with looking: that visit was in repeat mode, perhaps after a download
	large    bool
	link     string

	forgetting bool // it is the operator's: DELETE of the key
}

// scopeOf is where the oracle puts a carrier's record.
func (w *world) scopeOf(c *carrier) *scope {
	v, f := &c.visit, c.form
	n := int(v.visitor)
	if f.rule.keying == keyEvent || f.rule.keying != keyHeader && w.visitors[v.visitor].cookie == "" {
		// A webhook has no subject; a browser without the cookie has the key alone, and so have others like it.
		n = 0
		for i := range w.visitors {
			if f.rule.keying != keyEvent && w.visitors[i].cookie == "" {
				n = i
				break
			}
		}
	}
	n = n*2 + bit(v.other)
	n = n*2 + bit(v.override)
	n *= mostPayloads + 1
	if c.repeat {
		n += 1 + int(v.payload)
	}
	s := &f.scopes[n]
	s.form, s.visitor = f, v.visitor
	return s
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

// repeats says whether a visit is in repeat mode (contract §1): from a script, by another button, or as an
// update, where the key is in a field and the body small.
func (v *visit) repeats() bool {
	f := v.form
	switch {
	case v.looking && v.onward: // a large one too, after a download was committed
		return true
	case v.large || !f.rule.inField():
		return false
	case v.script && !v.htmx, v.override:
		return true
	}
	return v.other && f.rule.keying == keyField
}

// begin sends a visit to one of the guards.
func (w *world) begin(v *visit) {
	g := &w.guards[w.chance.pick(len(w.guards))]
	if w.now < g.frozen {
		g = &w.guards[0]
	}
	c := w.newCarrier()
	c.guard, c.visit, c.form, c.began = g, *v, v.form, w.now
	c.repeat = v.repeats()
	w.ticks++
	c.asked = w.ticks
	w.write(c)
	w.tally.Exchanges++
	if w.story != nil {
		w.say(c.scopeRecord(w), "%s", w.visitText(c))
		c.line = len(w.story.lines)
	}
	r := &w.sent
	*r = core.Request{Method: "POST", URL: w.url(v), Headers: c.headers, Region: w.chance.pick(3) - 1, Length: int64(len(c.body))}
	switch {
	case v.looking:
		r.Method, r.URL = "GET", site+v.link
	case v.forgetting:
		r.Method, r.URL, r.Headers = "DELETE", site+core.OwnPath+"keys/"+v.form.key, adminHeaders
	}
	random := w.chance.bytes32()
	if w.seams.begin != nil {
		random = w.tampered(c, r, random)
	}
	c.e = c.x.Begin(g.core, r, w.now+g.skew, random)
	if w.chance.hits(w.weather.leaves) {
		w.queueCarrier(w.now+w.chance.between(1, 400), cutDue, c)
	}
	w.proceed(c)
}

// tampered lets a planted defect at the beginning; random is another one here, so that it stays off the heap
// where there is none.
func (w *world) tampered(c *carrier, r *core.Request, random [32]byte) [32]byte {
	w.seams.begin(w, c, r, &random)
	return random
}

func (w *world) url(v *visit) string {
	if v.other {
		return otherURLs[v.form.rule.index()]
	}
	return formURLs[v.form.rule.index()]
}

func (r *ruling) index() int {
	for i := range rulings {
		if r == &rulings[i] {
			return i
		}
	}
	return -1
}

var formURLs, otherURLs = func() (a, b [len(rulings)]string) {
	for i := range rulings {
		a[i], b[i] = site+rulings[i].path, site+rulings[i].other
	}
	return a, b
}()

var payloadTexts = [mostPayloads]string{"amount=5&name=" + mark, "amount=6&name=" + mark, "amount=5&name=" + mark + "&more=1"}

// write writes the head and the body of a visit.
func (w *world) write(c *carrier) {
	v, f := &c.visit, c.form
	h := append(c.headers, core.Header{Name: "Content-Type", Value: "application/x-www-form-urlencoded"})
	if cookie := w.visitors[v.visitor].cookie; cookie != "" {
		h = append(h, core.Header{Name: "Cookie", Value: cookie})
	}
	mode := "navigate"
	if v.script {
		mode = "cors"
	}
	switch f.rule.keying {
	case keyHeader:
		h = append(h, core.Header{Name: "Idempotency-Key", Value: f.key}, core.Header{Name: "Authorization", Value: w.visitors[v.visitor].bearer},
			core.Header{Name: "Accept", Value: "application/json"})
	case keyEvent:
		h = append(h, core.Header{Name: "webhook-id", Value: f.key})
	default:
		h = append(h, core.Header{Name: "Sec-Fetch-Site", Value: "same-origin"}, core.Header{Name: "Sec-Fetch-Mode", Value: mode})
		if v.htmx {
			h = append(h, core.Header{Name: "HX-Request", Value: "true"})
		}
	}
	c.headers = h
	if v.looking || v.forgetting {
		return
	}
	b := c.body
	if f.rule.inField() {
		b = append(append(append(b, core.KeyFieldName...), '='), f.key...)
		b = append(b, '&')
	}
	if v.override {
		b = append(b, "_method=put&"...)
	}
	b = append(b, payloadTexts[v.payload]...)
	c.body = b
}

// people are the visitors with the cookies that the guard has given them, once for all simulations.
var people = sync.OnceValue(func() (all [mostVisitors]visitor) {
	for i, name := range visitorNames {
		chance := newChance(uint64(i))
		_, e := guards()[0][0][oldAndNew].Begin(&core.Request{Method: "GET", URL: keyURLs[0], Region: -1}, epoch, chance.bytes32())
		cookie, _, _ := strings.Cut(e.Headers.Get("Set-Cookie"), ";")
		_, value, _ := strings.Cut(cookie, "=")
		all[i] = visitor{name: name, bearer: "Bearer " + mark + "-" + name, cookie: cookie, cookieBytes: []byte(value)}
		if raw, err := base64.RawURLEncoding.DecodeString(value); err == nil && len(raw) >= 16 {
			all[i].id = raw[:16]
		}
	}
	return all
})

// meet is a visitor, or one whose browser refuses the guard's cookie.
func (w *world) meet(i int) {
	v := &w.visitors[i]
	*v = people()[i]
	if w.chance.pick(5) == 0 {
		v.cookie, v.cookieBytes, v.id = "", nil, nil
	}
}

var adminHeaders = core.Headers{{Name: "Authorization", Value: "Bearer " + adminSecret}}
