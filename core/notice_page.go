package core

// maxNames is how many differing fields an alert lists by name; the rest it counts.
const maxNames = 20

// head writes a document up to the start of its main element.
func (n *Notice) head(w *noticeWriter, title string) {
	w.raw("<!doctype html>\n<html lang=\"", n.Language.String(), "\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"+
		"<meta name=\"robots\" content=\"noindex\">\n")
	if wait := n.waitPath(); wait != "" {
		// The one way to look again without JavaScript (contract §1.3).
		w.raw("<meta http-equiv=\"refresh\" content=\"")
		w.number(n.pause())
		w.raw(";url=")
		w.escaped(wait)
		w.raw("\">\n")
	}
	w.raw("<title>", title, "</title>\n<style>", noticeStyle, "</style>\n</head>\n<body>\n<main>\n")
}

// page writes the notice as a complete page.
func (n *Notice) page(w *noticeWriter) {
	k := n.kind()
	n.head(w, w.say(&k.title))
	n.alert(w)
	if n.named() {
		// For whoever is asked for help.
		w.raw("\n<p class=\"part\">Singleshot · ", k.name, " · ")
		w.number(n.Status())
		w.raw("</p>")
	}
	w.raw("\n</main>\n</body>\n</html>\n")
}

// alert writes the alert, in the markup of the component kit that the recipe comes from. It is the whole
// fragment and the content of the page. The attributes for htmx have the prefix hx-: it cannot be configured
// away in any of 1.9, 2 and 4, data-hx- can (4).
//
// The fragment lands wherever the form's target is, with the form's kind of swap, neither of which the guard
// knows. So what is sent from it replaces the alert itself: that is right after innerHTML, outerHTML and the
// swaps that append.
func (n *Notice) alert(w *noticeWriter) {
	k := n.kind()
	w.raw("<div class=\"hc-alert\" data-variant=\"", k.variant.String(), "\" role=\"status\"")
	wait := n.waitPath()
	if wait != "" && n.Shape == ShapeFragment {
		w.raw(" hx-get=\"")
		w.escaped(wait)
		w.raw("\" hx-trigger=\"load delay:")
		w.number(n.pause())
		w.raw("s\" hx-target=\"this\" hx-swap=\"outerHTML\" hx-push-url=\"false\"")
	}
	// A fragment does not know the outline that it comes into; a page begins one.
	open, end := ">\n<h1 class=\"hc-alert__title\">", "</h1>\n"
	if n.Shape == ShapeFragment {
		open, end = ">\n<p class=\"hc-alert__title\" role=\"heading\" aria-level=\"2\">", "</p>\n"
	}
	w.raw(open, w.say(&k.title), end)
	w.paragraph(&k.what)
	switch n.Type {
	case NoticeMismatch:
		n.record(w)
		n.differs(w)
	case NoticeDone:
		n.record(w)
	}
	n.way(w, k, wait)
	w.raw("</div>") // no newline: a swap would leave it behind as a text node
}

// record writes what exists: its link, else its time.
func (n *Notice) record(w *noticeWriter) {
	if link, ok := NewLink(n.Record.Href, n.Record.Title); ok {
		if link.Title == "" {
			link.Title = link.Href
		}
		w.raw(paragraphStart, w.say(&textExists), "<a href=\"")
		w.escaped(link.Href)
		w.raw("\"><bdi>")
		w.escaped(link.Title)
		w.raw("</bdi></a></p>\n")
	} else if n.Committed > 0 {
		t := instantOf(n.Committed)
		w.raw(paragraphStart, w.say(&textCommitted), "<time datetime=\"")
		w.rfc3339(t)
		w.raw("\">")
		w.readable(t)
		w.raw("</time></p>\n")
	}
}

// differs writes the names of the fields that differ, never a value.
func (n *Notice) differs(w *noticeWriter) {
	if len(n.Differs) == 0 {
		if n.Query {
			w.paragraph(&textQuery)
		}
		return
	}
	w.paragraph(&textDiffers)
	w.raw("<ul class=\"hc-alert__errors\">\n")
	for i, name := range n.Differs {
		w.raw("<li class=\"hc-alert__error\">")
		if i == maxNames {
			w.raw("+ ")
			w.number(len(n.Differs) - maxNames)
			w.raw("</li>\n")
			break
		}
		w.raw("<code dir=\"auto\">")
		w.escaped(name)
		w.raw("</code></li>\n")
	}
	w.raw("</ul>\n")
}

// way writes what the person can do: words, then the one control for it.
func (n *Notice) way(w *noticeWriter, k *noticeKind, wait string) {
	carry := n.wayOn()
	switch {
	case wait != "":
		w.paragraph(&textWaits)
		w.anchor(wait, &textLook)
	case carry == nil:
		if n.Carry != nil {
			w.paragraph(&textNotWhole)
		}
		w.paragraph(&k.way)
		if back, ok := NewLink(n.Back, ""); ok {
			w.anchor(back.Href, &textOpen)
		}
	case n.Type == NoticeMismatch:
		w.paragraph(&textNewEntry)
		n.form(w, carry, "", &textSubmitNew)
	default:
		w.paragraph(&k.way)
		n.form(w, carry, `data-variant="primary" `, &textSendAgain)
	}
}

// form writes a form that holds a whole submission in hidden inputs. htmx sends it from the page it is in;
// without htmx it is a plain POST. The key of the form that the values came from stays spent: the guard does not
// know that form, so it cannot swap its key out of band; the browser module does.
func (n *Notice) form(w *noticeWriter, c *Carry, look string, button *phrase) {
	action := localPath(c.Action)
	w.raw("<form method=\"post\" action=\"")
	w.escaped(action)
	if c.Multipart {
		w.raw("\" enctype=\"multipart/form-data")
	}
	if n.Shape == ShapeFragment {
		w.raw("\" hx-post=\"")
		w.escaped(action)
		w.raw("\" hx-target=\"closest .hc-alert\" hx-swap=\"outerHTML")
	}
	w.raw("\">\n")
	w.hidden(KeyFieldName, n.key())
	for i := range c.Fields {
		if c.Fields[i].Name != KeyFieldName {
			w.hidden(c.Fields[i].Name, c.Fields[i].Value)
		}
	}
	w.raw("<button class=\"hc-button\" ", look, "type=\"submit\">", w.say(button), "</button>\n</form>\n")
}

// pause is how many seconds a notice waits before it looks again.
func (n *Notice) pause() int { return max(n.RetryAfter, 1) }

const paragraphStart = "<p class=\"hc-alert__body\">"

// paragraph writes one of the guard's own texts, if there is one. They need no escaping.
func (w *noticeWriter) paragraph(p *phrase) {
	if text := w.say(p); text != "" {
		w.raw(paragraphStart, text, "</p>\n")
	}
}

// anchor writes a link on a line of its own.
func (w *noticeWriter) anchor(href string, text *phrase) {
	w.raw(paragraphStart, "<a href=\"")
	w.escaped(href)
	w.raw("\">", w.say(text), "</a></p>\n")
}

// hidden writes a hidden input.
func (w *noticeWriter) hidden(name, value string) {
	w.raw("<input type=\"hidden\" name=\"")
	w.escaped(name)
	w.raw("\" value=\"")
	w.escaped(value)
	w.raw("\" autocomplete=\"off\">\n")
}
