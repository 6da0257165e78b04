package edge

import (
	"errors"
	"io"
	"net/http"

	"github.com/singleshot-edge/singleshot/core"
)

// page is the ResponseWriter of a request that is not guarded. Once the head of the answer is there, core says
// whether keys go into it; if not, everything goes to the writer below as it is.
type page struct {
	c *carrier
	w http.ResponseWriter

	state   pageState
	status  int         // 0: not said yet
	said    head        // the header at that moment, while the head waits; nil: it does not
	late    http.Header // what was set after it: trailers
	pending []byte      // before the head is told: what the Content-Type is guessed from
	effect  *core.Effect
	unzip   *unzip // undoes gzip before the injector; nil: there is none
}

type pageState byte

const (
	pageUntold    pageState = iota // core has not seen the head
	pagePassing                    // as it is
	pageInjecting                  // through the injector
	pageHolding                    // the same, but the head waits for a form (contract §6)
)

var errEnded = errors.New("edge: write after the request has ended")

// passes says that what comes goes on as it is. (Behind an unzip the state is that one's to look at.)
func (p *page) passes() bool { return p.unzip == nil && p.state == pagePassing }

// writer is what the application gets: with a Hijacker where there is one below.
func (p *page) writer() http.ResponseWriter {
	if _, ok := below[http.Hijacker](p.w); ok {
		return struct {
			*page
			http.Hijacker
		}{p, hijacker{p}}
	}
	return p
}

// Header is http.ResponseWriter's.
func (p *page) Header() http.Header { return p.w.Header() }

// Unwrap is for http.ResponseController, as far as page has not its own.
func (p *page) Unwrap() http.ResponseWriter { return p.w }

// WriteHeader is http.ResponseWriter's.
func (p *page) WriteHeader(status int) {
	switch {
	case p.status != 0:
		if p.passes() {
			p.w.WriteHeader(status) // net/http complains
		}
	case status < 200 && status != http.StatusSwitchingProtocols || status > 999:
		p.w.WriteHeader(status) // informational: the head is still to come. Or none at all: net/http panics
	default:
		p.begin(status)
		p.remember()
	}
}

// Write is http.ResponseWriter's.
func (p *page) Write(b []byte) (int, error) {
	if p.unzip != nil {
		return p.unzip.Write(b)
	}
	if p.state == pageUntold {
		if p.status == 0 {
			p.begin(http.StatusOK)
		}
		if p.unzip != nil {
			return p.unzip.Write(b)
		}
		if p.state == pageUntold {
			p.pending = append(p.pending, b...)
			if len(p.pending) < guessed {
				p.remember()
				return len(b), nil
			}
			return len(b), p.tell()
		}
	}
	if p.passes() {
		return p.w.Write(b)
	}
	return len(b), p.pour(b, false)
}

// WriteString is io.StringWriter's.
func (p *page) WriteString(s string) (int, error) {
	if w, ok := p.w.(io.StringWriter); ok && p.passes() {
		return w.WriteString(s)
	}
	return p.Write([]byte(s))
}

// ReadFrom is io.ReaderFrom's: files that are no pages go the short way.
func (p *page) ReadFrom(from io.Reader) (n int64, err error) {
	if p.unzip == nil && p.state == pageUntold {
		n, err = io.Copy(writeOnly{p}, io.LimitReader(from, guessed))
		if err != nil || n < guessed {
			return n, err
		}
	}
	var rest int64
	if w, ok := p.w.(io.ReaderFrom); ok && p.passes() {
		rest, err = w.ReadFrom(from)
	} else {
		rest, err = io.Copy(writeOnly{p}, from)
	}
	return n + rest, err
}

// writeOnly hides ReadFrom from io.Copy.
type writeOnly struct{ io.Writer }

// Flush is http.Flusher's.
func (p *page) Flush() { _ = p.FlushError() }

// FlushError is for http.ResponseController. What the injector holds back, at most one tag, stays there.
func (p *page) FlushError() error {
	if p.unzip != nil {
		return p.unzip.flush()
	}
	if p.state == pageUntold {
		if p.status == 0 {
			p.status = http.StatusOK
		}
		if err := p.tell(); err != nil {
			return err
		}
	}
	if p.unzip != nil {
		return p.unzip.flush()
	}
	if p.state == pageHolding {
		return nil
	}
	return http.NewResponseController(p.w).Flush()
}

// tell gives core the head and does what it says about it.
func (p *page) tell() error {
	p.rewind()
	h := p.Header()
	if len(p.pending) > 0 && guesses(h) && !bodiless(p.status) {
		h.Set("Content-Type", http.DetectContentType(p.pending))
	}
	c, head := p.c, lines(h)
	coded := encoding(h["Content-Encoding"])
	if coded == opaque {
		head = asOpaque(head)
	}
	e := c.next(core.Event{Kind: core.EventHead, Status: p.status, Headers: head})
	if e == nil { // the request has ended
		p.state, p.pending = pagePassing, nil
		return errEnded
	}
	c.status, p.effect = p.status, e
	edit(h, e.Edit)
	switch {
	case !e.Inject:
		p.state = pagePassing
	case e.Hold:
		p.state = pageHolding
	default:
		p.state = pageInjecting
	}
	if p.state != pagePassing && coded == zipped {
		p.unzip = newUnzip(p)
	}
	if p.state != pageHolding {
		p.head()
	} else {
		p.remember()
	}
	first := p.pending
	p.pending = nil
	if len(first) == 0 {
		return nil
	}
	_, err := p.Write(first)
	return err
}

// pour sends a piece through the injector. Under Hold the head waits for a key, at most Limit bytes; a page
// without a form keeps all its headers.
func (p *page) pour(b []byte, last bool) error {
	out := p.c.pour(p.pending, b, last)
	if p.state == pageHolding {
		keyed, changed := p.c.keyed()
		e := p.effect
		full := int64(len(out)) > e.Limit
		if !keyed && !last && !full {
			p.pending = out
			return nil
		}
		p.rewind()
		switch {
		case keyed, !last && full:
			edit(p.Header(), e.Held)
		case changed || p.unzip != nil:
			edit(p.Header(), e.Altered)
			p.Header().Del("Content-Length")
		}
		p.state = pageInjecting
		p.head()
	}
	p.pending = out[:0]
	if len(out) == 0 {
		return nil
	}
	_, err := p.w.Write(out)
	return err
}

// finish is the end of the answer.
func (p *page) finish() {
	if p.unzip == nil && p.state == pageUntold {
		if p.status == 0 {
			p.status = http.StatusOK
		}
		_ = p.tell() // the visitor may be gone
	}
	if p.passes() {
		return
	}
	if p.unzip != nil {
		p.unzip.close()
	}
	_ = p.pour(nil, true)
}

// end lets go of what a panic left.
func (p *page) end() {
	if p.unzip != nil {
		p.unzip.close()
	}
}
