package app

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// Trail is what a guard in front knows of one key.
type Trail struct {
	Count   int
	Entries []TrailEntry
}

// TrailEntry is one thing that happened to a key.
type TrailEntry struct {
	At      time.Time
	Event   string // claim, takeover, commit, release, unknown, wait, replay, mismatch, running
	Attempt int    // run of the application
	Status  int    // of the answer, 0 if there was none
	Trigger string // click, enter, retry, replay, where the browser module told
}

// TrailReader asks the guard for the trail of a key. It returns nil without an error where the guard knows
// nothing of the key. origin is the scheme and host that the visitor uses.
type TrailReader func(ctx context.Context, origin, key string) (*Trail, error)

// trail answers with the trail of a key as a part of a page. Who knows a key has rendered its form: a trail
// holds times and kinds, never values, so it may be shown to them. Keys of programs are theirs to choose, so
// they could be guessed, and are not asked for.
func (a *app) trail(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("idempotency_key")
	var trail *Trail
	var err error
	if a.Trail != nil && strings.HasPrefix(key, "ik_") && len(key) <= 128 {
		trail, err = a.Trail(r.Context(), originOf(r), key)
	}
	if err != nil {
		a.Log.Printf("app: %v", err)
	}
	b := speak(w, r)
	switch {
	case key == "":
		b.trailNote(text{"The form of this page has no key: nothing stands in front of this application.", "このページのフォームにはキーがありません。アプリケーションの手前に何もない状態です。"})
	case a.Trail == nil || err != nil:
		b.trailNote(text{`The trail is not within reach here: this copy of the demo has no admin secret. The guard keeps it at <code>/_singleshot/keys/…</code>.`,
			`この環境のデモは管理用の秘密を持たないため、記録を読めません。ガードは <code>/_singleshot/keys/…</code> に保管しています。`})
	case trail == nil:
		b.trailNote(trailEmpty)
	default:
		b.trailEntries(trail)
	}
	answer(w, http.StatusOK, b)
}

var trailEmpty = text{"Nothing has happened yet.", "まだ何も起きていません。"}

// originOf is the scheme and host that the visitor uses, as the guard says or as the request came.
func originOf(r *http.Request) string {
	host, scheme := r.Host, "http"
	if forwarded := r.Header.Get("X-Forwarded-Host"); forwarded != "" {
		host = forwarded
	}
	if r.TLS != nil || r.URL.Scheme == "https" || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + host
}

func (b *buffer) trailNote(said text) {
	b.put(`<p class="note">{}</p>
`, said)
}

// guardCard appends what the guard said to each press, which the page's script collects from the headers of the
// answers, and the trail that it keeps for the key of the form. keys is the selector of the form's key.
func (b *buffer) guardCard(keys markup) {
	b.card("guard", "guard", text{"What the guard did", "ガードがしたこと"}, func() {
		b.put(`<noscript><p class="note">{}</p></noscript>
<div class="guard__said needs-script">
<h3 id="said-title">{}</h3>
<ol class="said" aria-labelledby="said-title" data-said data-key="{}"></ol>
<p class="note said__empty">{}</p>
<template id="said-line"><li><b></b> <span></span></li></template>
`, text{`The panel reads the headers of each answer, so it needs JavaScript. The guard keeps the trail of every key all the same, at <code>/_singleshot/keys/…</code>.`,
			`このパネルは応答のヘッダーを読むため JavaScript が必要です。キーごとの記録は、JavaScript がなくてもガードが <code>/_singleshot/keys/…</code> に残しています。`},
			text{"In the headers of each answer", "応答のヘッダーから"}, keys,
			text{`Each press adds a line here, from <code>Idempotency-Status</code>.`, `押すたびに <code>Idempotency-Status</code> の一行が増えます。`})
		b.put(`<h3 id="trail-title">{}</h3>
<div class="trail" role="region" aria-labelledby="trail-title" data-hx-get="/api/trail" data-hx-include="{}" data-hx-swap="innerHTML"
     data-hx-trigger="answered from:body delay:150ms, settled from:body, fresh-form from:body, restored from:body">
<p class="note">{}</p>
</div>
</div>
`, text{"In the trail of the key", "キーの記録から"}, keys, trailEmpty)
	})
}

var trailWords = map[string]text{
	"claim":    {"claimed: the application is called", "確保。アプリケーションを呼び出し"},
	"takeover": {"taken over after a lease ran out", "期限切れの確保を引き継ぎ"},
	"commit":   {"committed: the answer is kept", "確定。応答を保存"},
	"release":  {"released: the key is live again", "解放。キーは再び有効"},
	"unknown":  {"outcome unknown", "結果は不明"},
	"wait":     {"a duplicate waits for the first", "重複が最初の応答を待機"},
	"replay":   {"replayed: the kept answer again", "再送。保存した応答を返却"},
	"mismatch": {"other values: told so, nothing called", "違う内容。その旨を伝え、呼び出さず"},
	"running":  {"waited long enough: asked to come back", "待ち時間の上限。後ほど再確認"},
}

// trailEntries appends what happened, with the seconds since the first entry.
func (b *buffer) trailEntries(t *Trail) {
	runs := 0
	for _, e := range t.Entries {
		if e.Event == "claim" || e.Event == "takeover" {
			runs = max(runs, e.Attempt)
		}
	}
	said := text{`The application ran <strong>{} times</strong> for this key.`, `このキーでアプリケーションが動いたのは <strong>{} 回</strong>です。`}
	if runs == 1 {
		said = text{`The application ran <strong>once</strong> for this key.`, `このキーでアプリケーションが動いたのは <strong>1 回</strong>だけです。`}
		b.put(`<p class="trail__sum" data-runs="1">{}</p>
<ol class="trail__list">
`, said)
	} else {
		b.put(`<p class="trail__sum" data-runs="{}">{}</p>
<ol class="trail__list">
`, runs, said.fill(runs))
	}
	for _, e := range t.Entries {
		what, known := trailWords[e.Event]
		if !known {
			what = text{"{}", "{}"}.fill(e.Event)
		}
		b.put(`<li data-event="{}"><span class="trail__at">{}</span> <span>{}`, e.Event, seconds(e.At.Sub(t.Entries[0].At)), what)
		if e.Status > 0 {
			b.put(` <code>{}</code>`, e.Status)
		}
		b.put(`</span></li>
`)
	}
	b.put(`</ol>
`)
	if t.Count > len(t.Entries) {
		b.trailNote(text{"The middle is left out.", "途中の記録は省かれています。"})
	}
}

// seconds writes a duration as "+1 s": the guard tells its times to the second.
func seconds(d time.Duration) string { return "+" + decimal(int64(max(d, 0)/time.Second)) + " s" }
