package core

import "slices"

// urlencoded reads application/x-www-form-urlencoded as the WHATWG URL standard does (§5.1): pairs at every
// ampersand, empty ones skipped, the name up to the first equals sign, plus as space, and a percent sign that
// no two hex digits follow stands for itself. Bytes stay bytes: nothing is replaced for not being UTF-8.
type urlencoded struct {
	open    bool // a pair has begun
	inValue bool
	escape  byte // 1 after a percent sign, 2 after the first hex digit too
	high    byte // that digit, as sent
}

// What a byte is in an urlencoded text.
const (
	formPlain   = iota // stands for itself
	formSpecial        // delimits, or is part of a line end
	formPlus
	formPercent
)

var formClass = [256]byte{'&': formSpecial, '=': formSpecial, '\r': formSpecial, '\n': formSpecial, '+': formPlus, '%': formPercent}

func (u *urlencoded) write(f *fields, p []byte) error {
	for i := 0; i < len(p); {
		c := p[i]
		switch {
		case u.escape != 0:
			if u.split(f, c) {
				i++
			}
		case c == '&':
			i++
			if err := u.end(f); err != nil {
				return err
			}
		case !u.open:
			u.open = true
			f.begin(textField)
		case c == '=' && !u.inValue:
			i++
			u.inValue = true
			f.endName()
		case formClass[c] == formPlain || c == '=':
			n := u.short(f, p[i:])
			if n == 0 {
				n = 1
				for i+n < len(p) && formClass[p[i+n]] == formPlain {
					n++
				}
				f.text(p[i : i+n])
			}
			i += n
		case c == '+':
			i++
			f.char(' ')
		case c != '%':
			i++
			f.char(c)
		case i+2 < len(p):
			i++
			high, ok := unhex(p[i])
			low, ok2 := unhex(p[i+1])
			if ok && ok2 {
				i += 2
				f.char(high<<4 | low)
			} else {
				f.char('%')
			}
		default:
			i++
			u.escape = 1
		}
	}
	return nil
}

// short decodes the head of p straight into the arena as long as nothing special comes, which is nearly always
// all of a name or value, and returns how many bytes it has used.
func (u *urlencoded) short(f *fields, p []byte) int {
	n := len(f.arena)
	if f.slow || f.cr || n >= f.start+itemInline {
		return 0
	}
	f.arena = slices.Grow(f.arena, f.start+itemInline-n)
	dst := f.arena[n : f.start+itemInline]
	i, to := 0, 0
	for i < len(p) && to < len(dst) {
		c := p[i]
		if formClass[c] == formPlain {
			dst[to] = c
			i++
			to++
			continue
		}
		if formClass[c] == formPlus {
			c = ' '
			i++
		} else {
			if c != '%' || i+2 >= len(p) {
				break
			}
			high, ok := unhex(p[i+1])
			low, ok2 := unhex(p[i+2])
			if c = high<<4 | low; !ok || !ok2 || c == '\r' || c == '\n' {
				break
			}
			i += 3
		}
		dst[to] = c
		to++
	}
	f.arena = f.arena[:n+to]
	return i
}

// split goes on with an escape that was cut between two writes, and reports whether it has used c up.
func (u *urlencoded) split(f *fields, c byte) bool {
	digit, ok := unhex(c)
	if ok && u.escape == 1 {
		u.escape, u.high = 2, c
		return true
	}
	if ok {
		high, _ := unhex(u.high)
		u.escape = 0
		f.char(high<<4 | digit)
		return true
	}
	u.literal(f)
	return false
}

// literal lets an escape that was none stand for itself.
func (u *urlencoded) literal(f *fields) {
	if u.escape > 0 {
		f.char('%')
	}
	if u.escape > 1 {
		f.char(u.high)
	}
	u.escape = 0
}

// end closes the pair, if one is open.
func (u *urlencoded) end(f *fields) error {
	if !u.open {
		return nil
	}
	if !u.inValue {
		f.endName()
	}
	u.open, u.inValue = false, false
	return f.endText()
}

func (u *urlencoded) close(f *fields) error {
	u.literal(f)
	return u.end(f)
}
