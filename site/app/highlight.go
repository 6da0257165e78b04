package app

import "strings"

// highlight marks up a piece of HTML for reading: tags, attribute names and values get the kit's token
// classes. It is meant for our own samples, not for parsing the world's HTML: whatever it does not
// recognise comes out escaped and unmarked.
func highlight(html string) markup {
	var b buffer
	for html != "" {
		start := strings.IndexByte(html, '<')
		if start < 0 {
			start = len(html)
		}
		b.put(`{}`, html[:start])
		html = html[start:]
		end := strings.IndexByte(html, '>')
		if end < 0 {
			b.put(`{}`, html)
			break
		}
		b.tag(html[:end+1])
		html = html[end+1:]
	}
	return markup(b.bytes)
}

// tag appends one tag, from its < to its >.
func (b *buffer) tag(tag string) {
	name := strings.IndexAny(tag, " \n>")
	b.token("tag", tag[:name])
	rest := tag[name:]
	for {
		equals := strings.Index(rest, `="`)
		if equals < 0 {
			break
		}
		length := strings.IndexByte(rest[equals+2:], '"')
		if length < 0 {
			break
		}
		space := len(rest) - len(strings.TrimLeft(rest, " \n"))
		b.put(`{}`, rest[:space])
		b.token("attribute", rest[space:equals])
		b.put(`=`)
		end := equals + 2 + length + 1
		b.token("string", rest[equals+1:end])
		rest = rest[end:]
	}
	if rest == ">" {
		b.token("tag", rest)
		return
	}
	b.put(`{}`, rest)
}

func (b *buffer) token(class, text string) {
	b.put(`<span class="hc-code__tok" data-tok="{}">{}</span>`, class, text)
}
