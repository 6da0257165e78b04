package core

import "bytes"

const (
	maxBoundary = 256      // bytes; RFC 2046 allows 70, browsers send up to 60
	maxPartHead = 16 << 10 // bytes of the header lines of one part
)

// multipart reads multipart/form-data (RFC 7578) in pieces of any size. It is as lenient as the servers that
// browsers talk to: a preamble and an epilogue are skipped, and LF alone ends a line where the first delimiter
// line ends so.
type multipart struct {
	state   multipartState
	delim   []byte // CR LF "--" boundary
	lf      bool   // lines end in LF alone
	matched int    // bytes of the delimiter that were seen
	virtual int    // bytes of those that did not stand in the body, but are implied at its start
	file    bool   // the open part is a file
	open    bool   // a part is open
	head    []byte // header lines of the open part
	line    int    // where its last line begins
}

type multipartState byte

const (
	inPreamble multipartState = iota
	inBody
	afterDelimiter // the delimiter has been read, what it is decides the next byte
	afterDash      // and one dash
	inPadding      // white space after it
	afterCR        // CR after it
	inHead
	inEpilogue
)

// reset makes m ready for another body. It reports whether the boundary can be one.
func (m *multipart) reset(boundary string) bool {
	*m = multipart{delim: append(m.delim[:0], "\r\n--"...), head: m.head[:0]}
	if boundary == "" || len(boundary) > maxBoundary {
		return false
	}
	for i := 0; i < len(boundary); i++ {
		if boundary[i] < ' ' {
			return false // the search below relies on one line end, at the start
		}
	}
	m.delim = append(m.delim, boundary...)
	m.matched = 1 // the start of the body counts as the end of a line
	return true
}

// want is the delimiter in the line ends that are expected: before the first one, any.
func (m *multipart) want() []byte {
	if m.lf || m.state == inPreamble {
		return m.delim[1:]
	}
	return m.delim
}

func (m *multipart) write(f *fields, p []byte) error {
	for len(p) > 0 {
		switch m.state {
		case inPreamble, inBody:
			p = m.scan(f, p)
		case inHead:
			var err error
			if p, err = m.readHead(f, p); err != nil {
				return err
			}
		case inEpilogue:
			return nil
		default:
			used, err := m.delimiter(f, p[0])
			if err != nil {
				return err
			}
			if used {
				p = p[1:]
			}
		}
	}
	return nil
}

func (m *multipart) close() error {
	if m.state != inEpilogue {
		return ErrBody
	}
	return nil
}

// emit hands content of the open part on.
func (m *multipart) emit(f *fields, p []byte) {
	switch {
	case !m.open:
	case m.file:
		f.raw(p)
	default:
		f.text(p)
	}
}

// mismatch hands on what looked like a delimiter and was none.
func (m *multipart) mismatch(f *fields) {
	m.emit(f, m.want()[m.virtual:m.matched])
	m.matched, m.virtual = 0, 0
}

// scan reads content up to the next delimiter, and returns what follows it. Since the delimiter begins with
// the only line end in it, a failed match never has to be tried again from its middle.
func (m *multipart) scan(f *fields, p []byte) []byte {
	want := m.want()
	if m.matched > 0 {
		n := min(len(want)-m.matched, len(p))
		if startsWith(p, want[m.matched:m.matched+n]) {
			m.matched += n
			if m.matched == len(want) {
				m.found()
			}
			return p[n:]
		}
		m.mismatch(f)
	}
	for from := 0; ; {
		i := bytes.IndexByte(p[from:], want[0])
		if i < 0 {
			m.emit(f, p)
			return nil
		}
		i += from
		if rest := p[i:]; startsWith(rest, want) {
			m.emit(f, p[:i])
			m.matched = len(want)
			m.found()
			return rest[len(want):]
		} else if startsWith(want, rest) {
			m.emit(f, p[:i])
			m.matched = len(rest)
			return nil
		}
		from = i + 1
	}
}

// sameText and startsWith are bytes.Equal and bytes.HasPrefix, for which TinyGo copies both slices to the heap.
func sameText(a, b []byte) bool { return len(a) == len(b) && startsWith(a, b) }

func startsWith(p, prefix []byte) bool {
	if len(p) < len(prefix) {
		return false
	}
	for i, c := range prefix {
		if p[i] != c {
			return false
		}
	}
	return true
}

// found goes on behind a delimiter. open tells from here whether it ended a part or the preamble.
func (m *multipart) found() { m.state = afterDelimiter }

// delimiter reads the line of a delimiter to its end, and reports whether it has used c up. Another byte than
// white space, a line end or two dashes shows that it was none.
func (m *multipart) delimiter(f *fields, c byte) (used bool, err error) {
	switch {
	case c == '\n':
		if m.state == afterDash {
			break
		}
		if !m.open && m.state != afterCR {
			m.lf = true
		}
		if err := m.endPart(f); err != nil {
			return false, err
		}
		m.state, m.head, m.line = inHead, m.head[:0], 0
		return true, nil
	case m.state == afterCR:
		return false, m.broken()
	case c == '\r' && m.state != afterDash:
		m.state = afterCR
		return true, nil
	case (c == ' ' || c == '\t') && m.state != afterDash:
		m.state = inPadding
		return true, nil
	case m.state == inPadding:
		return false, m.broken()
	case c == '-' && m.state == afterDelimiter:
		m.state = afterDash
		return true, nil
	case c == '-':
		m.state = inEpilogue
		return true, m.endPart(f)
	}
	dash := m.state == afterDash
	m.resume()
	m.mismatch(f)
	if dash {
		m.emit(f, dashes[:1])
	}
	return false, nil
}

var dashes = []byte("--")

// resume goes back to the content that the delimiter turned out to belong to.
func (m *multipart) resume() {
	m.state = inPreamble
	if m.open {
		m.state = inBody
	}
}

// broken answers a delimiter that something else than a line end follows: an error after a part, for which
// it has ended, and just another line of the preamble.
func (m *multipart) broken() error {
	if m.open {
		return ErrBody
	}
	m.state, m.matched, m.virtual = inPreamble, 0, 0
	return nil
}

func (m *multipart) endPart(f *fields) error {
	if !m.open {
		return nil
	}
	m.open = false
	if m.file {
		return f.endFile()
	}
	return f.endText()
}

// readHead collects the header lines of a part up to the empty one, opens its field, and returns what follows.
func (m *multipart) readHead(f *fields, p []byte) ([]byte, error) {
	for len(p) > 0 {
		n := bytes.IndexByte(p, '\n') + 1
		if n == 0 {
			n = len(p)
		}
		if len(m.head)+n > maxPartHead {
			return nil, ErrBody
		}
		m.head = append(m.head, p[:n]...)
		p = p[n:]
		line := m.head[m.line:]
		if line[len(line)-1] != '\n' {
			return p, nil
		}
		m.line = len(m.head)
		if len(line) == 1 || len(line) == 2 && line[0] == '\r' {
			return p, m.beginPart(f)
		}
	}
	return p, nil
}

// beginPart opens the field of a part whose header lines have been read. One that has no name is no field of a
// form (RFC 7578 §4.2).
func (m *multipart) beginPart(f *fields) error {
	d := partDisposition(m.head)
	if !d.named {
		return ErrBody
	}
	if m.file = d.isFile; m.file {
		f.begin(fileField)
	} else {
		f.begin(textField)
	}
	f.text(d.name)
	f.endName()
	if m.file {
		f.raw(d.fileName)
		f.endFileName()
	}
	m.open, m.state = true, inBody
	m.matched = len(m.want()) - len(m.delim) + 2 // an empty part may end where its header ended
	m.virtual = m.matched
	return nil
}
