package page

import "github.com/singleshot-edge/singleshot/core"

// Answer is an answer to a submit that a script of the page got to see.
type Answer struct {
	Status     int    // HTTP status
	Word       string // Idempotency-Status, "" where there is none
	Replayed   bool   // Idempotency-Replayed
	Redirected bool   // the browser followed a redirect: this is the answer of another request
	Place      string // where that led to; else HX-Redirect or HX-Location; "" for none
	Posted     string // the path of the submit
	Appends    bool   // its content would be added to what is there
	Attachment bool   // it is a download
}

// Action is what the page does with an answer.
type Action struct {
	Spent bool // the key is spent now
	Hint  bool // it says that this is the first answer again
	Skip  bool // its content stands in the document already, and must not be added a second time
}

// Answer takes the answer to the latest submit to a place.
func (p *Page) Answer(l Place, a Answer) (do Action) {
	m := p.first(l)
	switch a.Word {
	case "created", "replayed":
		m.settle(Spent)
		m.repeat = m.repeat || a.Attachment // its form goes on with other values (contract §1)
	case "mismatch":
		// What went through is something else, and not this tab's to know.
		if m.state == Live || m.repeat {
			m.latest, m.latestForm = digest{}, digest{}
		}
		m.settle(Spent)
	case "unknown":
		m.settle(Sent)
	case "":
		// A redirect hides the guard's words; what followed one with another method had been committed.
		if a.Redirected && !core.LeadsToSignIn(a.Place, a.Posted) {
			m.settle(Spent)
		}
	}
	do.Spent = m.state == Spent
	if a.Status < 200 || a.Status > 299 {
		return do
	}
	do.Hint = a.Replayed
	do.Skip = a.Replayed && m.shown && a.Appends
	m.shown = m.shown || do.Spent && !a.Redirected && a.Place == ""
	return do
}

// Landing is the document that came after the page had gone away.
type Landing struct {
	Status     int    // HTTP status of the document; 0 where the browser does not tell
	Redirected bool   // it came by a redirect
	Place      string // its path and query
	Posted     string // the path of the submit; "" where nobody remembers
	Invalid    bool   // it shows a form with errors
	Traversed  bool   // the person went back or forward, or loaded it again: it is no answer
}

// Land takes the document that a submit led to, if one did.
func (p *Page) Land(l Landing) {
	m := p.find(p.leaving)
	p.leaving = digest{}
	if m == nil || m.state == Spent || l.Traversed {
		return
	}
	switch {
	case l.Status == 0:
	case l.Redirected && !core.LeadsToSignIn(l.Place, l.Posted), !l.Redirected && l.Status < 300 && !l.Invalid:
		m.settle(Spent)
	case l.Status < 500:
		m.state = Live
	}
}
