package app

import (
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// maxForm bounds the body of an order, in bytes.
const maxForm = 64 << 10

// place handles POST /orders. htmx gets a fragment: 200, or 422 with the faults. A plain post gets 303 to the
// receipt, or 422 with the page again, the entered values in it.
func (a *app) place(w http.ResponseWriter, r *http.Request) {
	e, status := readEntry(w, r)
	if status != 0 {
		a.refuse(w, r, status)
		return
	}
	order, bad := e.read()
	if bad.any() {
		words := a.speak(w, r)
		var b buffer
		if wantsFragment(r) {
			b.refused(words, bad)
		} else {
			title := words.titleError + words.title
			b.frame(page{words: words, title: title, here: keptAddress(r)}, func() { b.corrected(words, e, bad) })
		}
		answer(w, http.StatusUnprocessableEntity, b)
		return
	}

	order.Placed = a.Now().UTC().Truncate(time.Second)
	order, err := a.Ledger.Place(r.Context(), order)
	if err != nil {
		a.fail(w, r, err)
		return
	}

	words := a.speak(w, r)
	address := "/orders/" + strconv.FormatInt(order.Number, 10)
	nameRecord(w.Header(), words, order, address)
	if !wantsFragment(r) {
		http.Redirect(w, r, address, http.StatusSeeOther)
		return
	}
	// Two events in the page: the kit's toast, and the list of orders reading itself again.
	w.Header().Set("HX-Trigger", `{"hc:toast":{"message":`+
		jsonText(numbered(words.placedToast, order.Number))+`,"variant":"success"},"orders-changed":{}}`)
	var b buffer
	b.placed(words, order)
	answer(w, http.StatusOK, b)
}

// nameRecord says which record this answer made, so that whoever keeps the answer can name it to a person
// later. It is the one thing that this application offers to a guard; everything works without it.
// title* carries what ASCII cannot (RFC 8288 section 3.4.1).
func nameRecord(h http.Header, words *words, order Order, address string) {
	record := "<" + address + `>; title="` + numbered(englishWords().recordTitle, order.Number) + `"`
	if words.language != english {
		record += "; title*=UTF-8''" + percentEncoded(numbered(words.recordTitle, order.Number))
	}
	h.Set("Idempotency-Record", record)
}

// readEntry reads the form, urlencoded or multipart, or says with which status to refuse it.
func readEntry(w http.ResponseWriter, r *http.Request) (entry, int) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	var err error
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/x-www-form-urlencoded":
		err = r.ParseForm()
	case "multipart/form-data":
		err = r.ParseMultipartForm(maxForm)
	default:
		return entry{}, http.StatusUnsupportedMediaType
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return entry{}, http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return entry{}, http.StatusBadRequest
	}
	return entry{item: r.PostForm.Get("item"), amount: r.PostForm.Get("amount")}, 0
}

// numbered puts an order's number where a text has #.
func numbered(text string, number int64) string {
	return strings.Replace(text, "#", strconv.FormatInt(number, 10), 1)
}

// jsonText writes text as a JSON string in ASCII, because header values are not UTF-8 in browsers.
func jsonText(text string) string {
	const hex = "0123456789abcdef"
	quoted := []byte{'"'}
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit >= ' ' && unit <= '~' && unit != '"' && unit != '\\' {
			quoted = append(quoted, byte(unit))
		} else {
			quoted = append(quoted, '\\', 'u', hex[unit>>12], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
		}
	}
	return string(append(quoted, '"'))
}

// percentEncoded writes text as an RFC 8187 ext-value's value-chars, encoding all but letters and digits.
func percentEncoded(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(text) {
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
