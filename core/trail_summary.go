package core

import "strconv"

// trailSummary is what a person wants to know first of a key: did the origin run more than once, and if not, did
// somebody press twice or did one press arrive twice (contract §10). Without the module nobody can tell the last
// two apart.
type trailSummary byte

const (
	summaryRequests trailSummary = iota // that many requests, and nobody told what a person did
	summaryClicks                       // that many presses
	summarySent                         // one press that was sent that often
	summaryRuns                         // the origin ran that often
	summaryReleased                     // the same, and all but the last run were released: it refused, and was asked again
)

// summary counts. A wait and the end of a run belong to the request of another entry.
func (t *Trail) summary() (what trailSummary, n int) {
	runs, unreached, released, requests, told := 0, 0, 0, 0, true
	var presses []int
	for i := range t.Entries {
		e := &t.Entries[i]
		switch e.Kind {
		case TrailClaim, TrailTakeover:
			runs = max(runs, e.Attempt)
		case TrailRelease:
			if e.Status == 0 {
				unreached++ // there was no answer, and no whole request had gone out
			} else {
				released++
			}
			continue
		case TrailWait, TrailCommit, TrailUnknown:
			continue
		}
		requests++
		told = told && e.Client > 0
		known := false
		for _, press := range presses {
			known = known || press == e.Client
		}
		if !known {
			presses = append(presses, e.Client)
		}
	}
	runs -= unreached
	switch {
	case runs > 1 && released >= runs-1:
		return summaryReleased, runs
	case runs > 1:
		return summaryRuns, runs
	case !told || requests == 1:
		return summaryRequests, requests
	case len(presses) == 1:
		return summarySent, requests
	}
	return summaryClicks, len(presses)
}

// appendText says it in words.
func (s trailSummary) appendText(dst []byte, l Language, n int) []byte {
	number := strconv.Itoa(n)
	if l == Japanese {
		switch s {
		case summaryClicks:
			return append(dst, "クリック "+number+" 回"...)
		case summarySent:
			return append(dst, "クリック 1 回が "+number+" 回届きました"...)
		case summaryRuns:
			return append(dst, "アプリケーションが "+number+" 回実行されました"...)
		case summaryReleased:
			return append(dst, "アプリケーションが "+number+" 回実行されました。前の回は受け付けられていません"...)
		}
		return append(dst, "リクエスト "+number+" 件"...)
	}
	words := [...]string{"no", "one", "two", "three", "four", "five", "six"}
	count, times := number, number+" times"
	if n >= 0 && n < len(words) {
		count = words[n]
	}
	switch n {
	case 1:
		times = "once"
	case 2:
		times = "twice"
	}
	plural := "s"
	if n == 1 {
		plural = ""
	}
	switch s {
	case summaryClicks:
		return append(dst, count+" click"+plural...)
	case summarySent:
		return append(dst, "one click, sent "+times...)
	case summaryRuns:
		return append(dst, "the origin ran "+times...)
	case summaryReleased:
		return append(dst, "the origin ran "+times+", and had refused before"...)
	}
	return append(dst, count+" request"+plural...)
}
