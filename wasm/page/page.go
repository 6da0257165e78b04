// Package page is what the browser module knows of one tab, and what it decides by it (contract §9): which keys
// are spent, and where, with what they were submitted, what an answer means, and the words that a person reads. It does no
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
	Again                    // something was submitted before, nobody knows what, or not all of it
)

// Marks is how many records a tab remembers. The one that was submitted to longest ago makes room.
const Marks = 64

// digest is 64 bits of KangarooTwelve over the key and a fingerprint or a place: enough to tell one person's submits
// apart, and it keeps neither the key nor a value that could be guessed in the tab's storage.
type digest [8]byte

// mark is what is known of one record. A zero digest is unknown.
type mark struct {
	name, key digest // of place and key; of the key alone
	state     State
	repeat    bool // what is not the same runs, and is a record of its own
	many      bool // and there are such
	// What the submit that went through held, and what the form looked like then; the same of the latest submit.
	sent, form, latest, latestForm digest
	presses                        byte // submits of this tab with the key, when it was submitted last
	shown                          bool // its answer stands in this document
}

// Page is one tab. The zero value knows nothing. It is not safe for concurrent use.
type Page struct {
	marks   [Marks]mark // the latest submit first
	n       int
	leaving digest // name of the mark whose submit the page went away with
}

func sum(key string, part []byte) (d digest) {
	state := k12.NewDraft10([]byte("singleshot tab 2"))
	_, _ = state.Write([]byte(key))
	_, _ = state.Write(part)
	_, _ = state.Read(d[:])
	return d
}

// find returns the mark of a name, or nil.
func (p *Page) find(name digest) *mark {
	for i := range p.marks[:p.n] {
		if p.marks[i].name == name {
			return &p.marks[i]
		}
	}
	return nil
}

// first returns the mark of a place, at the head of all.
func (p *Page) first(l Place) *mark {
	at, m := p.n, mark{name: l.name(l.Repeat), key: sum(l.Key, nil), repeat: l.Repeat}
	for i := range p.marks[:p.n] {
		if p.marks[i].name == m.name {
			at, m = i, p.marks[i]
			break
		}
	}
	if at == p.n && p.n < Marks {
		p.n++
	}
	copy(p.marks[1:min(at+1, Marks)], p.marks[:at])
	p.marks[0] = m
	return &p.marks[0]
}

// Submit is a submit on its way out.
type Submit struct {
	Place
	Weight Weight
	Script bool // the guard cannot tell it from any script's
	// The fingerprints of what is sent, and of the form as it looks without its button; nil where nobody knows.
	Sent, Form *core.Fingerprint
	Again      bool // a second look at the same submit
}

// Submit takes a submit, and counts it. It returns which one of the key it is, and whether it is in repeat mode: a
// Place that is told later says so.
func (p *Page) Submit(s Submit) (v Verdict, press int, repeat bool) {
	s.Repeat = s.Script || s.repeats()
	if s.Repeat {
		switch s.Weight {
		case Large:
			s.Repeat = false
		case Unsure:
			s.Sent = nil
		}
	}
	m := p.first(s.Place)
	if !s.Again {
		for i := range p.marks[:p.n] {
			if p.marks[i].key == m.key {
				m.presses = max(m.presses, p.marks[i].presses)
			}
		}
		m.presses += min(1, 255-m.presses)
	}
	m.latest, m.latestForm = digest{}, digest{}
	if s.Sent != nil {
		m.latest = sum(s.Key, s.Sent[:])
	}
	if s.Form != nil {
		m.latestForm = sum(s.Key, s.Form[:])
	}
	if s.Again && m.presses == 1 && m.state != Live && m.sent == (digest{}) {
		m.sent, m.form = m.latest, m.latestForm // it went through before its files had been read
		return New, 1, s.Repeat
	}
	return m.judge(m.sent, m.latest), int(m.presses), s.Repeat
}

// Edit says what a submit of the form at a place, as it looks now, would be.
func (p *Page) Edit(l Place, form *core.Fingerprint) Verdict {
	now := sum(l.Key, form[:])
	// In repeat mode it would be one of two, by its size.
	v := New
	for _, repeat := range [...]bool{true, false} {
		m := p.find(l.name(repeat))
		if m == nil {
			continue
		}
		one := m.judge(m.form, now)
		if one == Changed && l.repeats() {
			one = Again
		}
		if v == New || one == Duplicate {
			v = one
		}
	}
	return v
}

func (m *mark) judge(before, now digest) Verdict {
	switch {
	case m.state == Live:
		return New
	case before == (digest{}) || now == (digest{}):
		return Again
	case before == now:
		return Duplicate
	case m.repeat && m.many:
		return Again
	case m.repeat:
		return New
	}
	return Changed
}

// State returns what is known of a submit to a place.
func (p *Page) State(l Place) (s State) {
	for _, repeat := range [...]bool{false, true} {
		if m := p.find(l.name(repeat)); m != nil {
			s = max(s, m.state)
		}
	}
	return s
}

// Leave says that the browser itself has taken a submit to a place: the page goes away with it (Land then tells
// what came), or its answer goes to another window.
func (p *Page) Leave(l Place, away bool) {
	m := p.first(l)
	if m.state == Live {
		m.settle(Sent)
	} else {
		m.count()
	}
	if away {
		p.leaving = m.name
	}
}

// settle ends the latest submit: what it held is what later ones are compared with.
func (m *mark) settle(s State) {
	m.count()
	if m.state != Spent || m.repeat {
		m.sent, m.form = m.latest, m.latestForm
	}
	m.state = max(m.state, s)
}

// count notes that in repeat mode the latest submit may have become a record beside the one that is known.
func (m *mark) count() {
	m.many = m.many || m.repeat && m.state != Live && (m.latest != m.sent || m.latest == (digest{}))
}

// textSize is the size of a mark in what Save writes.
const textSize = 6*len(digest{}) + 3

// digests are what Save writes of a mark beside three bytes.
func (m *mark) digests() [6]*digest {
	return [...]*digest{&m.name, &m.key, &m.sent, &m.form, &m.latest, &m.latestForm}
}

// Save appends what the next document of this tab has to know, in a form that Load reads.
func (p *Page) Save(dst []byte) []byte {
	dst = append(dst, p.leaving[:]...)
	for i := range p.marks[:p.n] {
		m := &p.marks[i]
		for _, d := range m.digests() {
			dst = append(dst, d[:]...)
		}
		var flags byte
		if m.repeat {
			flags = 1
		}
		if m.many {
			flags |= 2
		}
		dst = append(dst, byte(m.state), m.presses, flags)
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
		for _, d := range m.digests() {
			b = b[copy(d[:], b):]
		}
		m.state, m.presses, m.repeat, m.many = min(State(b[0]), Spent), b[1], b[2]&1 != 0, b[2]&2 != 0
		b = b[3:]
	}
}
