// Package page is what the browser module knows of one tab, and what it decides by it (contract §9): which keys
// are spent, with what they were submitted, what an answer means, and the words that a person reads. It does no
// I/O and knows no clock; the module's JavaScript tells it what happened in the document and does what it says.
package page

import (
	"github.com/cloudflare/circl/xof/k12"

	"github.com/singleshot-edge/singleshot/core"
)

// State is what a tab knows of a key.
type State byte

// The states of a key in a tab.
const (
	Live  State = iota // nothing that was submitted with it went through, as far as this tab knows
	Sent               // the page went away with a submit, and nobody told how it ended
	Spent              // a submit went through
)

// Verdict is what a submit is, by what was submitted with its key before.
type Verdict byte

// The verdicts.
const (
	New       Verdict = iota // the key is live
	Duplicate                // the same was submitted before
	Changed                  // something else was submitted before
	Again                    // something was submitted before, nobody knows what
)

// Marks is how many keys a tab remembers. The one that was submitted longest ago makes room.
const Marks = 64

// digest is 64 bits of KangarooTwelve over the key and a fingerprint: enough to tell one person's submits apart,
// and it keeps neither the key nor a value that could be guessed in the tab's storage.
type digest [8]byte

// mark is what is known of one key. A zero digest is unknown.
type mark struct {
	key   digest
	state State
	// What the submit that went through held, and what the form looked like then; the same of the latest submit.
	sent, form, latest, latestForm digest
	presses                        byte // submits of this tab
	shown                          bool // its answer stands in this document
}

// Page is one tab. The zero value knows nothing. It is not safe for concurrent use.
type Page struct {
	marks   [Marks]mark // the latest submit first
	n       int
	leaving digest // of the key whose submit the page went away with
}

func sum(key string, f *core.Fingerprint) (d digest) {
	state := k12.NewDraft10([]byte("singleshot tab 1"))
	_, _ = state.Write([]byte(key))
	if f != nil {
		_, _ = state.Write(f[:])
	}
	_, _ = state.Read(d[:])
	return d
}

// find returns the mark of a key, or nil.
func (p *Page) find(name digest) *mark {
	for i := range p.marks[:p.n] {
		if p.marks[i].key == name {
			return &p.marks[i]
		}
	}
	return nil
}

// first returns the mark of a key, at the head of all.
func (p *Page) first(name digest) *mark {
	at, m := p.n, mark{key: name}
	for i := range p.marks[:p.n] {
		if p.marks[i].key == name {
			at, m = i, p.marks[i]
		}
	}
	if at == p.n && p.n < Marks {
		p.n++
	}
	copy(p.marks[1:min(at+1, Marks)], p.marks[:at])
	p.marks[0] = m
	return &p.marks[0]
}

// Submit takes a submit on its way out: the fingerprint of what is sent, and of the form as it looks without its
// button, each nil where nobody knows. It counts the submit unless it is a second look at the same one.
func (p *Page) Submit(key string, sent, form *core.Fingerprint, again bool) (v Verdict, press int) {
	m := p.first(sum(key, nil))
	if !again && m.presses < 255 {
		m.presses++
	}
	m.latest, m.latestForm = digest{}, digest{}
	if sent != nil {
		m.latest = sum(key, sent)
	}
	if form != nil {
		m.latestForm = sum(key, form)
	}
	if again && m.presses == 1 && m.state != Live && m.sent == (digest{}) {
		m.sent, m.form = m.latest, m.latestForm // it went through before its files had been read
		return New, 1
	}
	return m.judge(m.sent, m.latest), int(m.presses)
}

// Edit says what a submit of the form as it looks now would be.
func (p *Page) Edit(key string, form *core.Fingerprint) Verdict {
	m := p.find(sum(key, nil))
	if m == nil {
		return New
	}
	return m.judge(m.form, sum(key, form))
}

func (m *mark) judge(before, now digest) Verdict {
	switch {
	case m.state == Live:
		return New
	case before == (digest{}) || now == (digest{}):
		return Again
	case before == now:
		return Duplicate
	}
	return Changed
}

// State returns what is known of a key.
func (p *Page) State(key string) State {
	if m := p.find(sum(key, nil)); m != nil {
		return m.state
	}
	return Live
}

// Leave says that the browser itself has taken a submit of that key: the page goes away with it (Land then tells
// what came), or its answer goes to another window.
func (p *Page) Leave(key string, away bool) {
	m := p.first(sum(key, nil))
	if m.state == Live {
		m.settle(Sent)
	}
	if away {
		p.leaving = m.key
	}
}

// settle ends the latest submit: what it held is what later ones are compared with.
func (m *mark) settle(s State) {
	if m.state != Spent {
		m.sent, m.form = m.latest, m.latestForm
	}
	m.state = max(m.state, s)
}

// textSize is the size of a mark in what Save writes.
const textSize = 5*len(digest{}) + 2

// Save appends what the next document of this tab has to know, in a form that Load reads.
func (p *Page) Save(dst []byte) []byte {
	dst = append(dst, p.leaving[:]...)
	for i := range p.marks[:p.n] {
		m := &p.marks[i]
		for _, d := range [...]*digest{&m.key, &m.sent, &m.form, &m.latest, &m.latestForm} {
			dst = append(dst, d[:]...)
		}
		dst = append(dst, byte(m.state), m.presses)
	}
	return dst
}

// Load replaces all by what Save wrote. What it did not write leaves a tab that knows nothing.
func (p *Page) Load(b []byte) {
	*p = Page{}
	if len(b) < len(p.leaving) || (len(b)-len(p.leaving))%textSize != 0 {
		return
	}
	b = b[copy(p.leaving[:], b):]
	for ; len(b) > 0 && p.n < Marks; p.n++ {
		m := &p.marks[p.n]
		for _, d := range [...]*digest{&m.key, &m.sent, &m.form, &m.latest, &m.latestForm} {
			b = b[copy(d[:], b):]
		}
		m.state, m.presses = min(State(b[0]), Spent), b[1]
		b = b[2:]
	}
}
