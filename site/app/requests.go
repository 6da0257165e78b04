package app

import (
	"net/http"
	"strings"

	"github.com/singleshot-edge/singleshot/site/store"
)

// The people who work on a request.
const (
	you       = "you"
	colleague = "colleague"
)

// addRequest keeps a new purchase request of a recipe and leads to its page.
func (a *app) addRequest(c *recipe, state store.State) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		request := store.Request{ID: a.ID(), State: state, Item: knownItem(r.PostForm.Get("item")), Quantity: quantity(r.PostForm.Get("quantity")), Actor: you, Made: a.Now()}
		if request.Quantity == 0 {
			request.Quantity = 1
		}
		if err := a.Store.AddRequest(r.Context(), request); err != nil {
			a.fail(w, r, err)
			return
		}
		address := c.path + "/" + request.ID
		lang, _ := languageOf(r)
		nameRecord(w.Header(), lang, address, text{"Purchase request", "購入申請"})
		http.Redirect(w, r, address, http.StatusSeeOther)
	}
}

// knownItem is an item's id, the first where there is no such item.
func knownItem(id string) string {
	if _, ok := itemNames[id]; ok {
		return id
	}
	return items[0]
}

// requestCard appends the form that begins a recipe with a request of the visitor's own.
func (b *buffer) requestCard(c *recipe, why text) {
	b.card("order", "order", text{"A purchase request", "購入申請"}, func() {
		b.put(`<p>{}</p>
<form method="post" action="/api{}/requests">
`, why, c.path)
		b.requestFields("coffee", "3")
		b.put(`<div class="press"><button class="hc-button" data-variant="primary" type="submit">{}</button></div>
</form>
`, text{"Write the request", "申請を作る"})
	})
}

// requestFields appends the fields of a request.
func (b *buffer) requestFields(item, quantity string) {
	b.put(`<div class="hc-field">
<label class="hc-field__label" for="item">{}</label>
<select class="hc-select" id="item" name="item">
`, itemLabel)
	b.itemOptions(item)
	b.put(`</select>
</div>
<div class="hc-field">
<label class="hc-field__label" for="quantity">{}</label>
<input class="hc-input" id="quantity" name="quantity" type="text" inputmode="numeric" autocomplete="off" maxlength="3" value="{}">
</div>
`, quantityLabel, quantity)
}

var quantityLabel = text{"Quantity", "数量"}

// requestLine is what is asked for, in one line.
func requestLine(r store.Request) text {
	return text{`{} × {}`, `{} × {}`}.fill(itemNames[r.Item], r.Quantity)
}

// demoStart appends the page of a recipe that begins with a request.
func (b *buffer) demoStart(c *recipe, why text, side func()) {
	b.put(`<div class="demo">
<div class="demo__act">
`)
	b.requestCard(c, why)
	b.put(`</div>
<div class="demo__side">
`)
	side()
	b.put(`</div>
</div>
`)
}

// colleagueNote answers for what the colleague did: a line for htmx, a page with the way back else.
func colleagueNote(w http.ResponseWriter, r *http.Request, said, goBack text) {
	if wantsFragment(r) {
		b := speak(w, r)
		b.put(`<p class="note" data-colleague>{}</p>
`, said)
		answer(w, http.StatusOK, b)
		return
	}
	show(w, r, http.StatusOK, page{title: text{"Your colleague", "同僚"}}, func(b *buffer) {
		b.put(`<div class="narrow refusal">
<h1>{}</h1>
<p>{}</p>
<p>{}</p>
</div>
`, text{"Your colleague", "同僚"}, said, goBack)
	})
}

// sameVersion reads the version that a form was rendered from.
func sameVersion(r *http.Request, current store.Request) bool {
	return strings.TrimSpace(r.PostForm.Get("version")) == decimal(current.Version)
}
