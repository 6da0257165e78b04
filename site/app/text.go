package app

// text is something that the pages say, in both languages. It is markup, so it may hold tags, and {} for what is
// put in.
type text struct{ en, ja markup }

// in returns the text in one language.
func (t text) in(l language) markup {
	if l == japanese {
		return t.ja
	}
	return t.en
}

// plain returns a text without tags and entities as a string, for headers and attributes.
func (t text) plain(l language) string { return string(t.in(l)) }

// fill puts arguments where the text has {}, as buffer.put does.
func (t text) fill(args ...any) text {
	return text{fill(english, t.en, args...), fill(japanese, t.ja, args...)}
}
