package core

import (
	"testing"
	"time"
)

func TestInstantIsTheCalendars(t *testing.T) {
	check := func(ms int64) {
		u := time.UnixMilli(ms).UTC()
		written := func(l Language, write func(*noticeWriter, instant)) string {
			w := noticeWriter{language: l}
			write(&w, instantOf(ms))
			return string(w.buf)
		}
		if got, want := written(English, (*noticeWriter).rfc3339), u.Format(time.RFC3339); got != want {
			t.Errorf("instantOf(%d) = %s; want %s", ms, got, want)
		}
		if got, want := written(English, (*noticeWriter).readable), u.Format("2 January 2006, 15:04:05 UTC"); got != want {
			t.Errorf("instantOf(%d) in English = %s; want %s", ms, got, want)
		}
		if got, want := written(Japanese, (*noticeWriter).readable), u.Format("2006年1月2日 15:04:05 UTC"); got != want {
			t.Errorf("instantOf(%d) in Japanese = %s; want %s", ms, got, want)
		}
	}
	for _, s := range []string{
		"1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2000-02-29T12:00:00Z", "1900-02-28T00:00:00Z",
		"2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", "2100-03-01T00:00:00Z", "1600-02-29T00:00:00Z",
		"1000-01-02T00:00:00Z", "9999-12-31T23:59:59Z",
	} {
		u, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		check(u.UnixMilli())
		check(u.UnixMilli() - 1)
	}
	// Every day of two eras, each at another second.
	for day, ms := 0, time.Date(1770, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(); day < 2*146097; day++ {
		check(ms)
		ms += 86_400_000 + 1_000
		if t.Failed() {
			break
		}
	}
}
