package edge

import (
	"bufio"
	"maps"
	"net"
	"net/http"
	"slices"
)

// begin tells the head, if it does not wait for what the Content-Type is guessed from.
func (p *page) begin(status int) {
	p.status = status
	if !guesses(p.Header()) || bodiless(status) {
		_ = p.tell() // a Write says so as well
	}
}

// remember keeps a header that waits: as with net/http, it is what it was at WriteHeader.
func (p *page) remember() {
	if p.said != nil || p.state != pageUntold && p.state != pageHolding {
		return
	}
	h := p.Header()
	p.said = make(head, 0, len(h))
	for name, values := range h {
		p.said = append(p.said, field{name, values})
	}
}

// rewind makes the header what it was, and puts aside what came later.
func (p *page) rewind() {
	if p.said == nil {
		return
	}
	h := p.Header()
	for name, values := range h {
		if !slices.Equal(values, p.said.get(name)) {
			if p.late == nil {
				p.late = http.Header{}
			}
			p.late[name] = values
		}
	}
	clear(h)
	p.said.copyTo(h)
	p.said = nil
}

// head sends the head.
func (p *page) head() {
	if p.unzip != nil {
		p.Header().Del("Content-Encoding")
	}
	p.c.wrap(p.Header())
	p.w.WriteHeader(p.status)
	maps.Copy(p.Header(), p.late)
	p.late = nil
}

// hijacker takes the connection over.
type hijacker struct{ p *page }

// Hijack is http.Hijacker's.
func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if h.p.state == pageUntold && h.p.status != 0 {
		_ = h.p.tell() // as a proxy answers CONNECT: the head goes first
	}
	conn, rw, err := http.NewResponseController(h.p.w).Hijack()
	if err == nil {
		h.p.state, h.p.unzip = pagePassing, nil
	}
	return conn, rw, err
}
