package simulator

import (
	"strings"

	"github.com/singleshot-edge/singleshot/core"
)

// form is one rendered form, one API call or one webhook event: a key, and all that is sent with it.
type form struct {
	index    int
	rule     *ruling
	key      string
	keyBytes []byte
	owner    int8
	large    bool
	trail    trail
	left     int // visits that may still come
	scopes   [mostVisitors * 2 * 2 * (mostPayloads + 1)]scope
}

// open renders a form: its key comes from the guard itself, as a page's script gets one.
func (w *world) open(rule *ruling, owner int8) *form {
	f := w.newForm()
	f.rule, f.owner, f.left = rule, owner, mostVisits
	f.large = w.chance.pick(10) == 0
	switch rule.keying {
	case keyField:
		g := &w.guards[w.chance.pick(len(w.guards))]
		f.key = w.rendered(rendering{g.core, rule, w.chance.pick(2), 16*w.chance.pick(4) + f.index})
	case keyOrigin:
		f.key = "own-" + mark + "-" + hex(w.chance.next())
	default:
		f.key = "evt-" + hex(w.chance.next()) + hex(w.chance.next())
	}
	f.keyBytes = append(f.keyBytes[:0], f.key...)
	return f
}

// rendering is one time that a guard renders a form. In one simulation no two have the same number.
type rendering struct {
	guard  *core.Guard
	rule   *ruling
	region int
	number int
}

// rendered is the key of a rendering. The guard mints it once for all simulations.
func (w *world) rendered(r rendering) string {
	if key, ok := w.keys[r]; ok {
		return key
	}
	chance := newChance(uint64(r.number))
	_, e := r.guard.Begin(&core.Request{Method: "GET", URL: keyURLs[r.rule.index()], Headers: sameOrigin, Region: r.region}, epoch, chance.bytes32())
	_, key, _ := strings.Cut(string(e.Inline), `{"key":"`)
	key, _, _ = strings.Cut(key, `"`)
	w.keys[r] = key
	return key
}

var sameOrigin = core.Headers{{Name: "Sec-Fetch-Site", Value: "same-origin"}}

var keyURLs = func() (a [len(rulings)]string) {
	for i := range rulings {
		a[i] = site + core.OwnPath + "key?action=" + rulings[i].path
	}
	return a
}()

func hex(v uint64) string {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[i] = digits[v>>(4*i)&15]
	}
	return string(b[:])
}
