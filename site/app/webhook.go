package app

import (
	"encoding/json"
	"net/http"
)

// receiveEvent is the receiver of the webhook. It does its work each time it is called: that the same event comes
// once is the guard's business.
func (a *app) receiveEvent(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Webhook-Id")
	var event struct {
		Type string `json:"type"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxForm)).Decode(&event); err != nil || event.Type == "" || id == "" || len(id) > 128 {
		problem(w, http.StatusBadRequest, "An event is a JSON object with a type, and its id is in the header webhook-id.")
		return
	}
	if err := a.Store.AddEvent(r.Context(), id, a.Now()); err != nil {
		a.Log.Printf("app: %v", err)
		problem(w, http.StatusServiceUnavailable, "The database does not answer.")
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"received": id})
}

// eventCount is how often the receiver worked on an event.
func (a *app) eventCount(w http.ResponseWriter, r *http.Request) {
	n, err := a.Store.CountEvents(r.Context(), r.URL.Query().Get("id"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	b := speak(w, r)
	b.eventTotal(n)
	answer(w, http.StatusOK, b)
}

func (b *buffer) eventTotal(n int64) {
	said := text{`The receiver worked on it {} times.`, `受信側はこのイベントを {} 回処理しました。`}
	switch n {
	case 0:
		said = text{`The receiver has not seen it yet.`, `受信側はまだこのイベントを見ていません。`}
	case 1:
		said.en = `The receiver worked on it {} time.`
	}
	if n > 0 {
		said = said.fill(fill(english, `<strong>{}</strong>`, n))
	}
	b.put(`<p class="ledger__count" data-event-count="{}">{}</p>
`, n, said)
}

func (a *app) webhookPage(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	if len(id) != 20 || id[:4] != "evt_" {
		id = "evt_" + a.ID()
	}
	n, err := a.Store.CountEvents(r.Context(), id)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	curl := func(path string) string {
		return "curl -i " + originOf(r) + path + " \\\n  -H 'webhook-id: " + id + "' \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"type\":\"invoice.paid\"}'"
	}
	show(w, r, http.StatusOK, webhook.page("requests.js"), func(b *buffer) {
		b.intro(&webhook, text{
			`A sender that hears nothing sends the event again; every serious sender promises “at least once”, and no more. The event’s own id is the key: the receiver’s code runs for the first delivery, and the second gets the answer of the first.`,
			`応答のなかった送信側は、イベントをもう一度送ります。まともな送信側が約束するのは「少なくとも一回」で、それ以上ではありません。イベント自身の ID がキーです。受信側のコードは最初の配達で動き、二度目は最初の応答を受け取ります。`})
		b.put(`<div class="demo" data-requests data-url="/api/recipes/webhook/events" data-event="{}" data-type="application/json">
<div class="demo__act">
`, id)
		b.delivery("guarded", text{"Deliver it", "配達する"}, curl("/api/recipes/webhook/events"), "",
			text{`Once, twice, five times: the guard lets it in once.`, `一度でも二度でも五度でも、ガードが通すのは一度です。`})
		b.delivery("unguarded", text{"Deliver it past the guard", "ガードを通さず配達する"}, curl("/api/unguarded/webhook/events"), "/api/unguarded/webhook/events",
			text{`A rule with <code>key = "off"</code>: each delivery runs, as on any receiver that keeps no list.`, `<code>key = "off"</code> の規則です。届いた回数だけ処理されます。記録を持たない受信側と同じです。`})
		b.put(`</div>
<div class="demo__side">
`)
		b.card("ledger", "event", text{"What the receiver did", "受信側がしたこと"}, func() {
			b.put(`<p>{} <code>{}</code></p>
<div data-hx-get="/api/recipes/webhook/events?id={}" data-hx-trigger="answered from:body" data-hx-swap="innerHTML" aria-live="polite">
`, text{"Event", "イベント"}, id, id)
			b.eventTotal(n)
			b.put(`</div>
<p class="ledger__intro"><a href="{}?id={}">{}</a> · <a href="{}">{}</a></p>
`, webhook.path, id, text{"Count again", "数え直す"}, webhook.path, text{"Another event", "別のイベント"})
		})
		b.put(`<section class="answer answer--wide" aria-labelledby="answer-title">
<h2 id="answer-title">{}</h2>
<div id="request-result" aria-live="polite"></div>
<p class="answer__empty">{}</p>
</section>
</div>
</div>
<div class="how">
`, text{"The answers to the sender", "送信側への応答"}, text{"Deliver the event here, or copy the line into a terminal.", "ここで配達するか、行を端末にコピーしてください。"})
		b.listing(listing{id: "rule", title: text{"The rule", "規則"}, code: "[[vars.RULES]]\nmatch = \"/api/recipes/webhook/events\"\nkey = \"header:webhook-id\"\nrequired = true",
			after: text{`An id in the body works as well: <code>key = "json:/id"</code>. Bodies are not compared, because some senders change them between attempts.`,
				`本文の中の ID も使えます（<code>key = "json:/id"</code>）。送信のたびに本文を変える送信側があるため、本文は比較しません。`}})
		b.contract(text{"The contract", "契約"}, text{},
			row{text{`a new event`, `新しいイベント`}, text{`the receiver’s own answer`, `受信側自身の応答`}},
			row{text{`the same event again`, `同じイベントをもう一度`}, text{`the kept answer, so the sender stops sending`, `保存された応答。送信側は送るのをやめる`}},
			row{text{`the same event while the first is worked on`, `最初の処理中に同じイベント`}, text{`waits up to five seconds, then <code>503</code> with <code>Retry-After</code>`, `最大 5 秒待ち、その後は <code>Retry-After</code> 付きの <code>503</code>`}},
			row{text{`an event whose work failed`, `処理に失敗したイベント`}, text{`runs again when the sender sends it again`, `再び届いたときに改めて処理`}})
		b.put(`</div>
`)
		b.pager(&webhook)
	})
}

// delivery appends the event to deliver: as a line to copy, and with a script at a press.
func (b *buffer) delivery(id markup, title text, curl, url string, see text) {
	b.put(`<section class="hc-card request" aria-labelledby="{}-title">
<div class="hc-card__body">
<h2 id="{}-title">{}</h2>
`, id, id, title)
	b.code(id, title, fill(b.language, `{}`, curl))
	b.put(`<p class="note">{}</p>
<p class="actions needs-script"><button class="hc-button" data-size="sm" type="button" data-run="{}" data-to="{}" data-times="2" data-body="{}">{}</button></p>
</div>
</section>
`, see, id, url, `{"type":"invoice.paid"}`, text{"Deliver it twice", "二度配達する"})
}
