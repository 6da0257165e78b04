package edge

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// collector is the ResponseWriter of a guarded request: it collects the answer, as it will go out, until core
// has settled the record. An answer over the limit is settled as soon as that is known, and streams on.
type collector struct {
	c      *carrier
	outer  http.Header // what was there before the application; nil: nothing
	status int         // 0: not said yet
	said   head
	room   [8]field // for said, mostly

	told    bool   // core has the head
	pending []byte // before that: what the head depends on
	inject  bool
	limit   int64
	out     []byte // as it goes out

	sent    *core.Effect // the answer went out before the application was done
	discard bool         // and it is not the application's
}

func newCollector(c *carrier) *collector {
	a := &collector{c: c}
	if h := c.w.Header(); len(h) > 0 {
		a.outer = h.Clone()
	}
	return a
}

// Header is http.ResponseWriter's.
func (a *collector) Header() http.Header { return a.c.w.Header() }

// WriteHeader is http.ResponseWriter's. What comes before the final status is left out, what is no status panics as
// with net/http.
func (a *collector) WriteHeader(status int) {
	switch {
	case a.status != 0:
		return
	case status < 100 || status > 999:
		panic(fmt.Sprintf("edge: invalid WriteHeader code %d", status))
	case status < 200 && status != http.StatusSwitchingProtocols:
		return
	}
	a.status = status
	a.said = a.room[:0]
	for name, values := range a.Header() {
		if name != "Trailer" && !strings.HasPrefix(name, http.TrailerPrefix) {
			a.said = append(a.said, field{name, values})
		}
	}
}

// Write is http.ResponseWriter's. It never fails: what was collected is kept whether or not the visitor is there.
func (a *collector) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	switch {
	case !core.Final(a.status): // core has refused it: what follows is not looked at
		return len(p), nil
	case a.sent != nil:
		a.stream(p, false)
		return len(p), nil
	case a.told:
		a.take(p)
		return len(p), nil
	}
	switch {
	case encoding(a.said.get("Content-Encoding")) != plain:
		// It is undone as a whole. One that is too large for that cannot be kept.
		a.pending = append(a.pending, p...)
		if int64(len(a.pending)) > most {
			a.tellOpaque()
		}
	case !a.said.guesses():
		a.tell()
		a.take(p)
	default:
		a.pending = append(a.pending, p...)
		if len(a.pending) >= guessed {
			a.tell()
		}
	}
	return len(p), nil
}

// most is how much of an encoded answer is collected: no rule keeps more (contract §8, max_answer).
const most = 25165824

// WriteString is io.StringWriter's.
func (a *collector) WriteString(s string) (int, error) { return a.Write([]byte(s)) }

// Flush is http.Flusher's. A guarded answer goes out as a whole.
func (a *collector) Flush() {
	if a.sent != nil && !a.discard {
		_ = http.NewResponseController(a.c.w).Flush()
	}
}

// SetReadDeadline, SetWriteDeadline and EnableFullDuplex are for http.ResponseController.
func (a *collector) SetReadDeadline(t time.Time) error {
	return http.NewResponseController(a.c.w).SetReadDeadline(t)
}

func (a *collector) SetWriteDeadline(t time.Time) error {
	return http.NewResponseController(a.c.w).SetWriteDeadline(t)
}

func (a *collector) EnableFullDuplex() error {
	return http.NewResponseController(a.c.w).EnableFullDuplex()
}

// tell gives core the head, and takes what waited for that.
func (a *collector) tell() {
	if len(a.pending) > 0 && a.said.guesses() {
		a.said = append(a.said, field{"Content-Type", []string{http.DetectContentType(a.pending)}})
	}
	e := a.c.next(core.Event{Kind: core.EventHead, Status: a.status, Headers: a.said.lines()})
	first := a.pending
	a.told, a.pending = true, nil
	if e == nil { // the request has ended
		a.sent, a.discard = &core.Effect{}, true
		return
	}
	a.limit, a.inject = e.Limit, e.Inject
	if len(first) > 0 {
		a.take(first)
	}
}

// tellOpaque is for an answer whose encoding cannot be undone: the visitor gets it as it is, and no duplicate can.
func (a *collector) tellOpaque() {
	e := a.c.next(core.Event{Kind: core.EventHead, Status: a.status, Headers: asOpaque(a.said.lines())})
	a.told = true
	if e == nil {
		a.sent, a.discard = &core.Effect{}, true
		return
	}
	a.limit, a.out = e.Limit, a.pending
	a.overflow()
}

// take collects a piece.
func (a *collector) take(p []byte) {
	if a.inject {
		a.out = a.c.pour(a.out, p, false)
	} else {
		a.out = append(a.out, p...)
	}
	if int64(len(a.out)) > a.limit {
		a.overflow()
	}
}

// overflow settles an answer that is too large to keep while the application still writes it, and lets what is
// there go out.
func (a *collector) overflow() {
	c := a.c
	e := c.next(core.Event{
		Kind: core.EventBody, Length: int64(len(a.out)), TooLarge: true, Whole: c.upload == nil || c.upload.over(),
	})
	for e != nil && e.Kind != core.DoRespond {
		e = c.carryOut(e)
	}
	a.sent, a.discard = e, e == nil || e.Source != core.SourceOrigin
	if e == nil {
		a.sent = &core.Effect{}
		return
	}
	c.respond(e)
}

// stream lets a piece of an answer that is too large go out.
func (a *collector) stream(p []byte, last bool) {
	if a.discard {
		return
	}
	if a.inject {
		p = a.c.pour(nil, p, last)
	}
	if len(p) > 0 {
		_, _ = a.c.w.Write(p) // the visitor may be gone
	}
}

// finish is the end of the application's answer.
func (a *collector) finish() *core.Effect {
	a.WriteHeader(http.StatusOK)
	if !core.Final(a.status) {
		return a.c.next(core.Event{Kind: core.EventHead, Status: a.status, Headers: a.said.lines()})
	}
	if a.sent == nil && !a.told {
		a.end()
	}
	if a.sent != nil {
		a.stream(nil, true)
		a.c.beside(a.sent)
		return a.c.after(a.sent)
	}
	if a.inject {
		a.out = a.c.pour(a.out, nil, true)
	}
	c := a.c
	return c.next(core.Event{
		Kind: core.EventBody, Length: int64(len(a.out)), TooLarge: int64(len(a.out)) > a.limit,
		Whole: c.upload == nil || c.upload.over(),
	})
}

// end gives core the head of an answer that ended before it was clear.
func (a *collector) end() {
	switch encoding(a.said.get("Content-Encoding")) {
	case opaque:
		if len(a.pending) > 0 {
			a.tellOpaque()
			return
		}
	case zipped:
		if text, ok := unzipped(a.pending); ok {
			a.said = a.said.without("Content-Encoding")
			a.pending = text
		} else if len(a.pending) > 0 {
			a.tellOpaque()
			return
		}
	}
	a.tell()
}

// unzipped undoes gzip.
func unzipped(p []byte) (text []byte, ok bool) {
	z, err := gzip.NewReader(bytes.NewReader(p))
	if err != nil {
		return nil, false
	}
	text, err = io.ReadAll(io.LimitReader(z, most+1))
	return text, err == nil && len(text) <= most
}

// withdraw takes the application's header away: the answer is another.
func (a *collector) withdraw() {
	h := a.Header()
	clear(h)
	maps.Copy(h, a.outer)
}

// respond sends what was collected, with the headers that core wants.
func (a *collector) respond(e *core.Effect) {
	c := a.c
	h := c.w.Header()
	encoded := a.said.get("Content-Encoding")
	clear(h)
	a.said.copyTo(h)
	edit(h, e.Edit)
	streams := a.sent != nil
	if streams && encoded != nil {
		h["Content-Encoding"] = encoded // it went through as it was
	}
	if !streams {
		c.send(a.status, a.out)
		return
	}
	c.status = a.status
	untyped(h)
	c.wrap(h)
	c.w.WriteHeader(a.status)
	_, _ = c.w.Write(a.out)
	a.out = nil
}
