package page

import (
	"testing"

	"github.com/singleshot-edge/singleshot/core"
)

func print(b byte) *core.Fingerprint { return &core.Fingerprint{b} }

// at is the place of the form of a key.
func at(key string) Place { return Place{Key: key, Method: "POST", Path: "/orders"} }

// send submits to the place of the form of a key.
func (p *Page) send(key string, sent, form *core.Fingerprint) (Verdict, int) {
	v, press, _ := p.Submit(Submit{Place: at(key), Sent: sent, Form: form})
	return v, press
}

// done is a tab in which a submit of a key went through.
func done(key string, sent byte) *Page {
	p := &Page{}
	p.send(key, print(sent), print(sent+100))
	p.Answer(at(key), Answer{Status: 200, Word: "created", Posted: "/orders"})
	return p
}

func TestVerdictOnASubmit(t *testing.T) {
	tests := []struct {
		reason string
		tab    *Page
		sent   *core.Fingerprint
		want   Verdict
	}{
		{"nothing was submitted", &Page{}, print(1), New},
		{"the same went through", done("k", 1), print(1), Duplicate},
		{"something else went through", done("k", 1), print(2), Changed},
		{"nobody can read this one", done("k", 1), nil, Again},
		{"another key went through", done("other", 1), print(1), New},
	}
	for _, tt := range tests {
		if got, _ := tt.tab.send("k", tt.sent, nil); got != tt.want {
			t.Errorf("verdict = %d; want %d: %s", got, tt.want, tt.reason)
		}
	}
}

func TestWhatAnAnswerMeans(t *testing.T) {
	tests := []struct {
		reason string
		answer Answer
		state  State
		do     Action
	}{
		{"it was done", Answer{Status: 200, Word: "created"}, Spent, Action{Spent: true}},
		{"it had been done", Answer{Status: 200, Word: "replayed", Replayed: true}, Spent, Action{Spent: true, Hint: true}},
		{"it had been done, elsewhere: the row is not here", Answer{Status: 200, Word: "replayed", Replayed: true, Appends: true}, Spent, Action{Spent: true, Hint: true}},
		{"a validation spends nothing", Answer{Status: 422, Word: "released"}, Live, Action{}},
		{"something else had been done", Answer{Status: 422, Word: "mismatch"}, Spent, Action{Spent: true}},
		{"the first is still running", Answer{Status: 503, Word: "running"}, Live, Action{}},
		{"nobody knows", Answer{Status: 502, Word: "unknown"}, Sent, Action{}},
		{"no guard", Answer{Status: 200}, Live, Action{}},
		{"it was done: a redirect hides the guard's word", Answer{Status: 200, Redirected: true, Place: "/orders/1"}, Spent, Action{Spent: true}},
		{"a redirect to a sign-in page", Answer{Status: 200, Redirected: true, Place: "/login"}, Live, Action{}},
		{"a redirect back by way of a sign-in page", Answer{Status: 200, Redirected: true, Place: "/sso?next=%2Forders"}, Live, Action{}},
		{"a redirect with a word is of another submit", Answer{Status: 200, Redirected: true, Place: "/elsewhere", Word: "released"}, Live, Action{}},
	}
	for _, tt := range tests {
		p := &Page{}
		p.send("k", print(1), nil)
		tt.answer.Posted = "/orders"
		do := p.Answer(at("k"), tt.answer)
		if state := p.State(at("k")); do != tt.do || state != tt.state {
			t.Errorf("action %+v, state %d; want %+v, %d: %s", do, state, tt.do, tt.state, tt.reason)
		}
	}
}

func TestRowIsSkippedOnlyWhereItStands(t *testing.T) {
	again := Answer{Status: 200, Word: "replayed", Replayed: true, Appends: true}
	p := done("k", 1)
	if do := p.Answer(at("k"), again); !do.Skip {
		t.Errorf("the row of an answer that this document has shown is added again")
	}
	var next Page
	next.Load(p.Save(nil))
	if do := next.Answer(at("k"), again); do.Skip {
		t.Errorf("the row is left out in a document that does not have it")
	}
	if do := next.Answer(at("k"), again); !do.Skip {
		t.Errorf("the row is added a second time")
	}
}

func TestFirstSubmitThatWentThroughIsTheOneToCompareWith(t *testing.T) {
	p := done("k", 1)
	p.send("k", print(2), print(102))
	p.Answer(at("k"), Answer{Status: 422, Word: "mismatch"})
	if v, press := p.send("k", print(1), print(101)); v != Duplicate || press != 3 {
		t.Errorf("verdict = %d, press = %d; want a duplicate, the third", v, press)
	}
	if v := p.Edit(at("k"), print(101)); v != Duplicate {
		t.Errorf("the form as it was = %d; want a duplicate", v)
	}
	if v := p.Edit(at("k"), print(102)); v != Changed {
		t.Errorf("the form with another value = %d; want changed", v)
	}
}

func TestFilesThatWereReadLate(t *testing.T) {
	p := &Page{}
	p.send("k", nil, print(101))
	p.Answer(at("k"), Answer{Status: 200, Word: "created"})
	if v, press, _ := p.Submit(Submit{Place: at("k"), Sent: print(1), Form: print(101), Again: true}); v != New || press != 1 {
		t.Errorf("a second look = %d, press %d; want the same submit", v, press)
	}
	if v, _ := p.send("k", print(1), nil); v != Duplicate {
		t.Errorf("verdict = %d; want a duplicate", v)
	}
}

func TestWhereAPlainSubmitLed(t *testing.T) {
	tests := []struct {
		reason  string
		landing Landing
		want    State
	}{
		{"a receipt", Landing{Status: 200, Redirected: true, Place: "/orders/1"}, Spent},
		{"a page of its own", Landing{Status: 200}, Spent},
		{"the form with errors", Landing{Status: 200, Invalid: true}, Live},
		{"a validation", Landing{Status: 422}, Live},
		{"a refusal", Landing{Status: 403}, Live},
		{"an error: it may have been done", Landing{Status: 500}, Sent},
		{"a sign-in page", Landing{Status: 200, Redirected: true, Place: "/login?next=/orders"}, Live},
		{"a browser that tells nothing", Landing{}, Sent},
		{"back, so no answer", Landing{Status: 200, Traversed: true}, Sent},
	}
	for _, tt := range tests {
		var p, next Page
		p.send("k", print(1), nil)
		p.Leave(at("k"), true)
		next.Load(p.Save(nil))
		tt.landing.Posted = "/orders"
		next.Land(tt.landing)
		if got := next.State(at("k")); got != tt.want {
			t.Errorf("state = %d; want %d: %s", got, tt.want, tt.reason)
		}
		next.Land(Landing{Status: 403})
		if got := next.State(at("k")); got != tt.want {
			t.Errorf("state = %d after a later page; want %d still: %s", got, tt.want, tt.reason)
		}
	}
}

func TestAnswerInAnotherWindowIsNotWaitedFor(t *testing.T) {
	p := &Page{}
	p.send("k", print(1), nil)
	p.Leave(at("k"), false)
	p.Land(Landing{Status: 403})
	if got := p.State(at("k")); got != Sent {
		t.Errorf("state = %d; want sent", got)
	}
}

func TestTabRemembersTheLatestKeys(t *testing.T) {
	var p, next Page
	for i := range 3 * Marks {
		key := string(rune('A' + i))
		p.send(key, print(1), nil)
		p.Answer(at(key), Answer{Status: 200, Word: "created"})
	}
	next.Load(p.Save(nil))
	for i := range 3 * Marks {
		want := Live
		if i >= 2*Marks {
			want = Spent
		}
		if got := next.State(at(string(rune('A' + i)))); got != want {
			t.Errorf("state of key %d = %d; want %d", i, got, want)
		}
	}
	if n := len(p.Save(nil)); n > 8<<10 {
		t.Errorf("%d bytes are stored; want at most 8 KiB, the program's buffer", n)
	}
}

func TestWhatWasNotSavedHereIsNothing(t *testing.T) {
	for _, stored := range [][]byte{nil, {1}, make([]byte, 9), make([]byte, 8+textSize-1)} {
		p := done("k", 1)
		p.Load(stored)
		if p.State(at("k")) != Live || len(p.Save(nil)) != len(digest{}) {
			t.Errorf("%d bytes leave something", len(stored))
		}
	}
	var p Page
	p.Load(make([]byte, 8+(Marks+9)*textSize))
	if p.n != Marks {
		t.Errorf("%d marks; want at most %d", p.n, Marks)
	}
}

func TestStoredTabShowsNeitherKeyNorValue(t *testing.T) {
	a, b := done("key", 1).Save(nil), done("other", 1).Save(nil)
	for i := 0; i+8 <= len(a)-8; i += 8 {
		if string(a[8+i:16+i]) == string(b[8+i:16+i]) && string(a[8+i:16+i]) != string(make([]byte, 8)) && i < 48 {
			t.Errorf("the same values under two keys leave the same digest, at %d", i)
		}
	}
}

func TestTextsInBothLanguages(t *testing.T) {
	for w := range words {
		english, japanese := Text(w, "en-GB"), Text(w, "JA-jp")
		if english == "" || japanese == "" || english == japanese {
			t.Errorf("word %d = %q, %q; want two texts", w, english, japanese)
		}
		for _, tag := range []string{"", "de", "jav", "j"} {
			if got := Text(w, tag); got != english {
				t.Errorf("word %d in %q = %q; want English", w, tag, got)
			}
		}
	}
	if got := Text(words, "en"); got != "" {
		t.Errorf("no such word = %q; want nothing", got)
	}
}

func TestClientLine(t *testing.T) {
	tests := []struct {
		press   int
		trigger string
		want    string
	}{
		{1, "click", "attempt=1; trigger=click"},
		{10, "enter", "attempt=10; trigger=enter"},
		{255, "retry", "attempt=255; trigger=retry"},
		{2, "replay", "attempt=2; trigger=replay"},
		{1, "", "attempt=1"},
		{0, "x\r\ny", "attempt=0"},
	}
	for _, tt := range tests {
		if got := Client(tt.press, tt.trigger); got != tt.want {
			t.Errorf("Client(%d, %q) = %q; want %q", tt.press, tt.trigger, got, tt.want)
		}
	}
}
