package core

// urlencoded reads application/x-www-form-urlencoded as the WHATWG URL standard does (§5.1): pairs at every
// ampersand, empty ones skipped, the name up to the first equals sign, plus as space, and a percent sign that
// no two hex digits follow stands for itself. Bytes stay bytes: nothing is replaced for not being UTF-8.
type urlencoded struct {
	open    bool // a pair has begun
	inValue bool
	escape  byte // 1 after a percent sign, 2 after the first hex digit too
	high    byte // that digit, as sent
}

// urlencodedPlain are the bytes that stand for themselves.
var urlencodedPlain = func() (plain [256]bool) {
	for i := range plain {
		plain[i] = i != '&' && i != '=' && i != '+' && i != '%' && i != '\r' && i != '\n'
	}
	return plain
}()

func (u *urlencoded) write(f *fields, p []byte) error {
	for i := 0; i < len(p); {
		if u.escape != 0 {
			if u.split(f, p[i]) {
				i++
			}
			continue
		}
		c := p[i]
		if c == '&' {
			i++
			if err := u.end(f); err != nil {
				return err
			}
			continue
		}
		if !u.open {
			u.open = true
			f.begin(textField)
		}
		if urlencodedPlain[c] {
			start := i
			for i++; i < len(p) && urlencodedPlain[p[i]]; i++ {
			}
			f.text(p[start:i])
			continue
		}
		i++
		switch {
		case c == '=' && !u.inValue:
			f.endName()
			u.inValue = true
		case c == '+':
			f.char(' ')
		case c != '%':
			f.char(c)
		case i+1 < len(p):
			high, ok := unhex(p[i])
			low, ok2 := unhex(p[i+1])
			if ok && ok2 {
				i += 2
				f.char(high<<4 | low)
			} else {
				f.char('%')
			}
		default:
			u.escape = 1
		}
	}
	return nil
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
