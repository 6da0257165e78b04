package core

import "strconv"

// maxNames is how many differing fields an alert lists by name; the rest it counts.
const maxNames = 20

// keyField is the name of the form field that holds the key (contract §2).
const keyField = "idempotency_key"

// appendHead appends a document up to the start of its main element.
func (n *Notice) appendHead(dst []byte, title string) []byte {
	dst = append(dst, "<!doctype html>\n<html lang=\""...)
	dst = append(dst, n.Language.String()...)
	dst = append(dst, "\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"+
		"<meta name=\"robots\" content=\"noindex\">\n"...)
	if wait := n.waitPath(); wait != "" {
		// The one way to look again without JavaScript (contract §1.3).
		dst = append(dst, "<meta http-equiv=\"refresh\" content=\""...)
		dst = strconv.AppendInt(dst, int64(n.pause()), 10)
		dst = append(dst, ";url="...)
		dst = appendEscaped(dst, wait)
		dst = append(dst, "\">\n"...)
	}
	dst = append(dst, "<title>"...)
	dst = append(dst, title...)
	dst = append(dst, "</title>\n<style>"...)
	dst = append(dst, noticeStyle...)
	return append(dst, "</style>\n</head>\n<body>\n<main>\n"...)
}

// appendPage appends the notice as a complete page.
func (n *Notice) appendPage(dst []byte) []byte {
	dst = n.appendHead(dst, n.say(n.kind().title))
	dst = n.appendAlert(dst)
	if n.problem() {
		// For whoever is asked for help.
		dst = append(dst, "\n<p class=\"part\">Singleshot · "...)
		dst = append(dst, n.kind().name...)
		dst = append(dst, " · "...)
		dst = strconv.AppendInt(dst, int64(n.Status()), 10)
		dst = append(dst, "</p>"...)
	}
	return append(dst, "\n</main>\n</body>\n</html>\n"...)
}

// appendAlert appends the alert, in the markup of the component kit that the recipe comes from. It is the whole
// fragment and the content of the page. The attributes for htmx have the prefix hx-: it cannot be configured
// away in any of 1.9, 2 and 4, data-hx- can (4).
//
// The fragment lands wherever the form's target is, with the form's kind of swap, neither of which the guard
// knows. So what is sent from it replaces the alert itself: that is right after innerHTML, outerHTML and the
// swaps that append.
func (n *Notice) appendAlert(dst []byte) []byte {
	k := n.kind()
	dst = append(dst, "<div class=\"hc-alert\" data-variant=\""...)
	dst = append(dst, k.variant.String()...)
	dst = append(dst, "\" role=\"status\""...)
	wait := n.waitPath()
	if wait != "" && n.Shape == ShapeFragment {
		dst = append(dst, " hx-get=\""...)
		dst = appendEscaped(dst, wait)
		dst = append(dst, "\" hx-trigger=\"load delay:"...)
		dst = strconv.AppendInt(dst, int64(n.pause()), 10)
		dst = append(dst, "s\" hx-target=\"this\" hx-swap=\"outerHTML\" hx-push-url=\"false\""...)
	}
	dst = append(dst, ">\n"...)
	if n.Shape == ShapeFragment {
		dst = append(dst, "<p class=\"hc-alert__title\" role=\"heading\" aria-level=\"2\">"...)
		dst = append(dst, n.say(k.title)...)
		dst = append(dst, "</p>\n"...)
	} else {
		dst = append(dst, "<h1 class=\"hc-alert__title\">"...)
		dst = append(dst, n.say(k.title)...)
		dst = append(dst, "</h1>\n"...)
	}
	dst = appendParagraph(dst, n.say(k.what))
	switch n.Type {
	case NoticeMismatch:
		dst = n.appendDiffers(n.appendRecordLine(dst))
	case NoticeDone:
		dst = n.appendRecordLine(dst)
	}
	dst = n.appendWay(dst, k, wait)
	return append(dst, "</div>"...) // no newline: a swap would leave it behind as a text node
}

// appendRecordLine appends what exists: its link, else its time.
func (n *Notice) appendRecordLine(dst []byte) []byte {
	if link, ok := NewLink(n.Record.Href, n.Record.Title); ok {
		dst = append(dst, "<p class=\"hc-alert__body\">"...)
		dst = append(dst, n.say(textExists)...)
		dst = append(dst, "<a href=\""...)
		dst = appendEscaped(dst, link.Href)
		dst = append(dst, "\"><bdi>"...)
		if link.Title == "" {
			link.Title = link.Href
		}
		dst = appendEscaped(dst, link.Title)
		return append(dst, "</bdi></a></p>\n"...)
	}
	if n.Committed > 0 {
		t := instantOf(n.Committed)
		dst = append(dst, "<p class=\"hc-alert__body\">"...)
		dst = append(dst, n.say(textCommitted)...)
		dst = t.appendRFC3339(append(dst, "<time datetime=\""...))
		dst = t.appendReadable(append(dst, "\">"...), n.Language)
		return append(dst, "</time></p>\n"...)
	}
	return dst
}

// appendDiffers appends the names of the fields that differ, never a value.
func (n *Notice) appendDiffers(dst []byte) []byte {
	if len(n.Differs) == 0 {
		if n.Query {
			dst = appendParagraph(dst, n.say(textQuery))
		}
		return dst
	}
	dst = appendParagraph(dst, n.say(textDiffers))
	dst = append(dst, "<ul class=\"hc-alert__errors\">\n"...)
	for i, name := range n.Differs {
		if i == maxNames {
			dst = append(dst, "<li class=\"hc-alert__error\">+ "...)
			dst = strconv.AppendInt(dst, int64(len(n.Differs)-maxNames), 10)
			dst = append(dst, "</li>\n"...)
			break
		}
		dst = append(dst, "<li class=\"hc-alert__error\"><code dir=\"auto\">"...)
		dst = appendEscaped(dst, name)
		dst = append(dst, "</code></li>\n"...)
	}
	return append(dst, "</ul>\n"...)
}

// appendWay appends what the person can do: words, then the one control for it.
func (n *Notice) appendWay(dst []byte, k *noticeKind, wait string) []byte {
	carry := n.wayOn()
	switch {
	case wait != "":
		dst = appendParagraph(dst, n.say(textWaits))
		return n.appendAnchor(dst, wait, textLook)
	case carry == nil:
		if n.Carry != nil {
			dst = appendParagraph(dst, n.say(textNotWhole))
		}
		if way := n.say(k.way); way != "" {
			dst = appendParagraph(dst, way)
		}
		if back, ok := NewLink(n.Back, ""); ok {
			dst = n.appendAnchor(dst, back.Href, textOpen)
		}
		return dst
	case n.Type == NoticeMismatch:
		dst = appendParagraph(dst, n.say(textNewEntry))
		return n.appendForm(dst, carry, "", textSubmitNew)
	}
	dst = appendParagraph(dst, n.say(k.way))
	return n.appendForm(dst, carry, `data-variant="primary" `, textSendAgain)
}

// appendForm appends a form that holds a whole submission in hidden inputs. htmx sends it from the page it is
// in; without htmx it is a plain POST. The key of the form that the values came from stays spent: the guard does
// not know that form, so it cannot swap its key out of band; the browser module does.
func (n *Notice) appendForm(dst []byte, c *Carry, look string, button phrase) []byte {
	action := localPath(c.Action)
	dst = append(dst, "<form method=\"post\" action=\""...)
	dst = appendEscaped(dst, action)
	if c.Multipart {
		dst = append(dst, "\" enctype=\"multipart/form-data"...)
	}
	if n.Shape == ShapeFragment {
		dst = append(dst, "\" hx-post=\""...)
		dst = appendEscaped(dst, action)
		dst = append(dst, "\" hx-target=\"closest .hc-alert\" hx-swap=\"outerHTML"...)
	}
	dst = append(dst, "\">\n"...)
	dst = appendHidden(dst, keyField, n.key())
	for i := range c.Fields {
		if c.Fields[i].Name != keyField {
			dst = appendHidden(dst, c.Fields[i].Name, c.Fields[i].Value)
		}
	}
	dst = append(dst, "<button class=\"hc-button\" "...)
	dst = append(dst, look...)
	dst = append(dst, "type=\"submit\">"...)
	dst = append(dst, n.say(button)...)
	return append(dst, "</button>\n</form>\n"...)
}

// appendAnchor appends a link on a line of its own.
func (n *Notice) appendAnchor(dst []byte, href string, text phrase) []byte {
	dst = append(dst, "<p class=\"hc-alert__body\"><a href=\""...)
	dst = appendEscaped(dst, href)
	dst = append(dst, "\">"...)
	dst = append(dst, n.say(text)...)
	return append(dst, "</a></p>\n"...)
}

// pause is how many seconds a page waits before it looks again.
func (n *Notice) pause() int { return max(n.RetryAfter, 1) }

// appendParagraph appends one of the guard's own texts, which need no escaping.
func appendParagraph(dst []byte, text string) []byte {
	dst = append(dst, "<p class=\"hc-alert__body\">"...)
	dst = append(dst, text...)
	return append(dst, "</p>\n"...)
}

// appendHidden appends a hidden input.
func appendHidden(dst []byte, name, value string) []byte {
	dst = append(dst, "<input type=\"hidden\" name=\""...)
	dst = appendEscaped(dst, name)
	dst = append(dst, "\" value=\""...)
	dst = appendEscaped(dst, value)
	return append(dst, "\" autocomplete=\"off\">\n"...)
}
