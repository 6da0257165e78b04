package core

import "strconv"

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

// appendRFC3339 appends the moment as RFC 3339 has it. Years outside 0 to 9999 have no such form.
func (t instant) appendRFC3339(dst []byte) []byte {
	dst = appendPadded(dst, t.year, 4)
	dst = appendPadded(append(dst, '-'), t.month, 2)
	dst = appendPadded(append(dst, '-'), t.day, 2)
	dst = t.appendClock(append(dst, 'T'))
	return append(dst, 'Z')
}

// appendReadable appends the moment for people, in UTC.
func (t instant) appendReadable(dst []byte, l Language) []byte {
	if l == Japanese {
		dst = append(strconv.AppendInt(dst, int64(t.year), 10), "年"...)
		dst = append(strconv.AppendInt(dst, int64(t.month), 10), "月"...)
		dst = append(strconv.AppendInt(dst, int64(t.day), 10), "日 "...)
	} else {
		dst = append(strconv.AppendInt(dst, int64(t.day), 10), ' ')
		dst = append(append(dst, monthName(t.month)...), ' ')
		dst = append(strconv.AppendInt(dst, int64(t.year), 10), ", "...)
	}
	return append(t.appendClock(dst), " UTC"...)
}

// appendClock appends hh:mm:ss.
func (t instant) appendClock(dst []byte) []byte {
	dst = appendPadded(dst, t.hour, 2)
	dst = appendPadded(append(dst, ':'), t.minute, 2)
	return appendPadded(append(dst, ':'), t.second, 2)
}

// monthName is the English name of a month, 1 to 12.
func monthName(month int) string {
	return [...]string{"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December"}[month-1]
}

// appendPadded appends a number that is not negative in at least width digits.
func appendPadded(dst []byte, n, width int) []byte {
	for limit := 10; width > 1; width-- {
		if n < limit {
			dst = append(dst, "0000"[:width-1]...)
			break
		}
		limit *= 10
	}
	return strconv.AppendInt(dst, int64(n), 10)
}
