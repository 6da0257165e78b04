package core

// instant is a moment in UTC, to the second, in the Gregorian calendar.
type instant struct {
	year, month, day, hour, minute, second int
}

// instantOf converts Unix milliseconds. The calendar part counts days from 0000-03-01, so that the leap day is
// the last of its year, in eras of 400 years (146,097 days).
func instantOf(ms int64) instant {
	s := ms / 1000
	if ms%1000 < 0 {
		s--
	}
	days, rest := s/86400, s%86400
	if rest < 0 {
		days--
		rest += 86400
	}
	days += 719468 // from 0000-03-01 to 1970-01-01
	era := days / 146097
	if days < 0 {
		era = (days - 146096) / 146097
	}
	inEra := days - era*146097
	yearOfEra := (inEra - inEra/1460 + inEra/36524 - inEra/146096) / 365
	inYear := inEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	m := (5*inYear + 2) / 153 // 0 is March
	t := instant{
		year:   int(yearOfEra + era*400),
		month:  int(m) + 3,
		day:    int(inYear-(153*m+2)/5) + 1,
		hour:   int(rest / 3600),
		minute: int(rest / 60 % 60),
		second: int(rest % 60),
	}
	if t.month > 12 {
		t.month -= 12
		t.year++
	}
	return t
}

// rfc3339 adds the moment as RFC 3339 has it. Years outside 0 to 9999 have no such form.
func (w *noticeWriter) rfc3339(t instant) {
	w.padded(t.year, 4)
	w.raw("-")
	w.padded(t.month, 2)
	w.raw("-")
	w.padded(t.day, 2)
	w.raw("T")
	w.clock(t)
	w.raw("Z")
}

// readable adds the moment for people, in UTC.
func (w *noticeWriter) readable(t instant) {
	if w.language == Japanese {
		w.number(t.year)
		w.raw("年")
		w.number(t.month)
		w.raw("月")
		w.number(t.day)
		w.raw("日 ")
	} else {
		w.number(t.day)
		w.raw(" ", monthName(t.month), " ")
		w.number(t.year)
		w.raw(", ")
	}
	w.clock(t)
	w.raw(" UTC")
}

// clock adds hh:mm:ss.
func (w *noticeWriter) clock(t instant) {
	w.padded(t.hour, 2)
	w.raw(":")
	w.padded(t.minute, 2)
	w.raw(":")
	w.padded(t.second, 2)
}

// monthName is the English name of a month, 1 to 12.
func monthName(month int) string {
	return [...]string{"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December"}[month-1]
}
