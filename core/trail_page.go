package core

// TrailPolicy is the Content-Security-Policy of the trail's page: as NoticePolicy, with the digest of its style. A
// test computes it.
const TrailPolicy = "default-src 'none'; style-src 'sha256-OixWBCw/sQ0hXq9K89Cp6Yi0Qqs2dIKijd6pf79GFB0='; base-uri 'none'"

const trailStyle = noticeStyle +
	`main{max-width:60rem}` +
	`h1::first-letter{text-transform:uppercase}` +
	`.scroll{overflow-x:auto}` +
	`table{width:100%;min-width:44rem;overflow-wrap:normal;border-collapse:collapse;margin:1.5rem 0;font-variant-numeric:tabular-nums}` +
	`th,td{padding:.5rem .75rem;border-bottom:1px solid color-mix(in srgb,var(--text) 15%,transparent);text-align:start;vertical-align:top}` +
	`th:first-child,td:first-child{padding-inline-start:0}` +
	`th{color:var(--soft);font-size:.875rem;font-weight:600;white-space:nowrap}` +
	`td.n,th.n{text-align:end}` +
	`time{white-space:nowrap}`

var (
	textTrailKey     = phrase{"Key", "キー"}
	textTrailTime    = phrase{"Time", "時刻"}
	textTrailWhat    = phrase{"What happened", "できごと"}
	textTrailAttempt = phrase{"Run", "実行"}
	textTrailStatus  = phrase{"Status", "ステータス"}
	textTrailPerson  = phrase{"The person", "利用者の操作"}
	textTrailLeftOut = phrase{"Entries in the middle are left out.", "途中の記録は省かれています。"}
	textTrailForget  = phrase{"DELETE at this address forgets the records of this key: its next submit runs again.",
		"このアドレスへの DELETE で、このキーの記録が消えます。次の送信は改めて実行されます。"}

	textTrailKinds = [...]phrase{
		{"", ""},
		TrailClaim:    {"claimed: the origin was called", "確保: アプリケーションを呼び出し"},
		TrailTakeover: {"taken over after the lease had ended", "リース切れのため引き継ぎ"},
		TrailCommit:   {"committed", "確定"},
		TrailRelease:  {"released: the key stays live", "解放: キーは有効なまま"},
		TrailUnknown:  {"unknown outcome", "結果不明"},
		TrailWait:     {"a duplicate waited", "重複が待機"},
		TrailReplay:   {"answered with the kept answer", "保存した応答を返却"},
		TrailMismatch: {"refused: other values", "拒否: 値が異なる"},
		TrailRunning:  {"waited longer than its budget", "待機時間の超過"},
		TrailHeld:     {"refused: how the run ended is not known", "拒否: 実行の結果が不明"},
	}
	textTriggers = [...]phrase{
		{"", ""}, {"click", "クリック"}, {"Enter", "Enter キー"}, {"retry", "再試行"}, {"replay", "再送"},
	}
)

// appendPage writes the trail for people.
func (t *Trail) appendPage(dst []byte, l Language) []byte {
	w := &noticeWriter{buf: dst, language: l}
	what, n := t.summary()
	title := string(what.appendText(nil, l, n))
	w.raw("<!doctype html>\n<html lang=\"", l.String(), "\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta name=\"robots\" content=\"noindex\">\n"+
		"<title>", title, " · Singleshot</title>\n<style>", trailStyle, "</style>\n</head>\n<body>\n<main>\n<h1>", title, "</h1>\n<p class=\"part\">",
		w.say(&textTrailKey), " <code>", t.Digest, "</code></p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", title, "\">\n<table>\n<thead><tr>")
	for i, column := range []*phrase{&textTrailTime, &textTrailWhat, &textTrailAttempt, &textTrailStatus, &textTrailPerson} {
		class := ""
		if i == 2 || i == 3 {
			class = " class=\"n\""
		}
		w.raw("<th scope=\"col\"", class, ">", w.say(column), "</th>")
	}
	w.raw("</tr></thead>\n<tbody>\n")
	for i := range t.Entries {
		t.row(w, &t.Entries[i])
	}
	w.raw("</tbody>\n</table>\n</div>\n")
	if t.Count > len(t.Entries) {
		w.raw("<p>", w.say(&textTrailLeftOut), "</p>\n")
	}
	w.raw("<p class=\"part\">", w.say(&textTrailForget), "</p>\n</main>\n</body>\n</html>\n")
	return w.buf
}

// row writes one entry.
func (t *Trail) row(w *noticeWriter, e *TrailEntry) {
	at := instantOf(e.At)
	w.raw("<tr><td><time datetime=\"")
	w.rfc3339(at)
	w.raw("\">")
	w.readable(at)
	w.raw("</time></td><td>")
	if int(e.Kind) < len(textTrailKinds) {
		w.raw(w.say(&textTrailKinds[e.Kind]))
	}
	w.raw("</td><td class=\"n\">")
	if e.Attempt > 0 {
		w.number(e.Attempt)
	}
	w.raw("</td><td class=\"n\">")
	if e.Status > 0 {
		w.number(e.Status)
	}
	w.raw("</td><td>")
	if int(e.Trigger) < len(textTriggers) {
		w.raw(w.say(&textTriggers[e.Trigger]))
	}
	if e.Client > 0 {
		w.raw(" ")
		w.number(e.Client)
	}
	w.raw("</td></tr>\n")
}
