package core

import "slices"

// readTag decides what the tag that has just been read means. tag is nil if it is not to be touched: it was
// too long, or it is the end tag of raw text, whose begin has been passed on already.
func (j *Injector) readTag(tag []byte) {
	name := j.tag.name
	if j.head != headDone {
		j.headTag(name, tag)
	}
	if len(j.tree) > j.nest.tree && !j.foreignTag(name, tag) {
		// In svg or math, and nothing there concerns html.
		if tag != nil && !j.tag.end {
			j.look(name, tag)
		}
		return
	}
	stream := j.nest.stream
	j.nest.stream = false
	if j.tag.end {
		j.endTag(name)
		return
	}
	if tag != nil && (j.tag.seen != 0 || name == nameForm) {
		j.look(name, tag)
	}
	switch name {
	case nameForm:
		j.startForm(tag)
	case nameInput:
		j.nest.chosen = false
		if tag != nil && j.nest.form.key != "" {
			j.field(tag)
		}
	case nameScript, nameStyle, nameTextarea, nameTitle, nameXmp, nameIframe, nameNoembed, nameNoframes:
		j.raw.begin(name)
		j.state = inRaw
	case namePlaintext:
		j.state = inRest
	case nameNoscript:
		if !j.hides {
			j.hides, j.hidden, j.hiddenIn, j.treeHidden = true, j.nest, len(j.outer), len(j.tree)
		}
	case nameTemplate:
		j.openTemplate(stream)
	case nameTurboStream:
		j.nest.stream = true
	case nameSelect:
		// A select in a select closes it (HTML standard §13.2.6.4.7).
		j.nest.chosen = !j.nest.chosen
	case nameTable:
		j.closeSelect()
		j.nest.tables++
	case nameCaption, nameTbody, nameTfoot, nameThead, nameTr, nameTd, nameTh:
		j.closeSelect()
	case nameSvg, nameMath:
		if !j.tag.slash {
			j.openForeign(name)
		}
	case nameBase:
		if !j.based && tag != nil && len(j.outer) == 0 {
			j.setBase(tag)
		}
	case nameMeta:
		if tag != nil && len(j.outer) == 0 {
			j.meta(tag)
		}
	}
}

// endTag closes what an end tag in html content closes.
func (j *Injector) endTag(name tagName) {
	switch name {
	case nameForm:
		f := openForm{}
		if n := len(j.nest.forms); n > 0 {
			f = j.nest.forms[n-1]
			j.nest.forms = j.nest.forms[:n-1]
		}
		j.nest.form = f
	case nameSelect:
		j.nest.chosen = false
	case nameTemplate:
		j.closeTemplate()
	case nameNoscript:
		// A browser that runs scripts takes all that stands in a noscript for text: nothing begins or ends there.
		if j.hides && len(j.outer) >= j.hiddenIn {
			j.nest, j.outer = j.hidden, j.outer[:j.hiddenIn]
			j.tree = j.tree[:min(len(j.tree), j.treeHidden)]
		}
		j.hides = false
	case nameTable:
		j.closeSelect()
		j.nest.tables = max(0, j.nest.tables-1)
	case nameCaption, nameTbody, nameTfoot, nameThead, nameTr, nameTd, nameTh:
		j.closeSelect()
	}
}

// closeSelect closes an open select before a tag that belongs to the table around it.
func (j *Injector) closeSelect() {
	if j.nest.tables > 0 {
		j.nest.chosen = false
	}
}

// deepest is how many templates, and turbo's forms in forms, are told apart. It bounds memory.
const deepest = 64

// openTemplate begins the content of a template. turbo says that it is the first child of a <turbo-stream>.
func (j *Injector) openTemplate(turbo bool) {
	if len(j.outer) == deepest {
		j.deep++
		return
	}
	turbo = turbo && len(j.outer) == 0
	j.outer = append(j.outer, j.nest)
	j.nest = nesting{tree: len(j.tree), turbo: turbo}
}

// closeTemplate goes back to where the template stands.
func (j *Injector) closeTemplate() {
	switch n := len(j.outer); {
	case j.deep > 0:
		j.deep--
	case n > 0:
		j.tree = j.tree[:j.nest.tree]
		j.nest = j.outer[n-1]
		j.outer = j.outer[:n-1]
	}
}

// live reports whether forms here are forms of the page: not in a template, except turbo's own; and in a turbo
// stream nowhere else.
func (j *Injector) live() bool {
	switch len(j.outer) {
	case 0:
		return !j.n.Turbo
	case 1:
		return j.nest.turbo
	}
	return false
}

// formTag is what the attributes of a form say.
type formTag struct {
	method, action, idempotency, id string
	hx                              [5]string // values of the htmx attributes, by hxVerbs
	has                             [5]bool   // which of them are there
}

// hxVerbs are the methods for which htmx has an attribute, the first one that a form has counts. GET carries
// no key, but its place may have to be rewritten.
var hxVerbs = [5]string{"POST", "PUT", "PATCH", "DELETE", "GET"}

// hxVerb returns the index into hxVerbs of an attribute hx-… or data-hx-…, and which of the two; or -1.
func hxVerb(name []byte) (verb int, data bool) {
	if len(name) > 5 && nameIs(name[:5], "data-") {
		name, data = name[5:], true
	}
	if len(name) < 6 || len(name) > 9 || !nameIs(name[:3], "hx-") {
		return -1, false
	}
	for v, word := range hxVerbs {
		if sameName(string(name[3:]), word) {
			return v, data
		}
	}
	return -1, false
}

// startForm decides whether a form gets a key (contract §6) and puts it in.
func (j *Injector) startForm(tag []byte) {
	if j.nest.form.open {
		if !j.nest.turbo {
			return // HTML ignores a form in a form (§13.2.6.4.7)
		}
		if len(j.nest.forms) < deepest { // in a template it does not
			j.nest.forms = append(j.nest.forms, j.nest.form)
		}
	}
	j.nest.form = openForm{open: true}
	// In a select there is no place for a field: it would close the select.
	if tag == nil || !j.live() || j.nest.chosen || j.n.Mint == nil {
		return
	}
	f := j.readForm(tag)
	if sameName(f.idempotency, "off") {
		return
	}
	method, path, ok := j.formOf(&f)
	if !ok {
		return
	}
	if j.n.Keep != nil && j.n.Keep(method, path) {
		j.keyed++
		return
	}
	key := j.n.Mint(method, path, sameName(f.idempotency, "repeat"))
	if key == "" {
		return
	}
	j.keyed++
	j.nest.form.key, j.nest.form.id = key, f.id
	j.after = append(j.after, `<input type="hidden" name="`+KeyFieldName+`" value="`...)
	j.after = append(j.after, key...)
	j.after = append(j.after, `" autocomplete="off">`...)
}

// formOf returns method and path of a form that may get a key: the first place it posts to, htmx before the
// plain action. None if one of its places is on another site, for the key would go there too, or signs out.
func (j *Injector) formOf(f *formTag) (method, path string, ok bool) {
	for v, verb := range hxVerbs {
		if !f.has[v] {
			continue
		}
		p, at := j.resolve(f.hx[v])
		if at == elsewhere || at == onSite && verb != "GET" && IsSignOut(p) {
			return "", "", false
		}
		if at == onSite && verb != "GET" && !ok {
			method, path, ok = verb, p, true
		}
	}
	p, at := pathOf(j.n.Page), onSite // an empty action is the page itself, whatever its base
	if f.action != "" {
		p, at = j.resolve(f.action)
	}
	if at == elsewhere {
		return "", "", false
	}
	if at == onSite && sameName(f.method, "post") {
		if IsSignOut(p) {
			return "", "", false
		}
		if !ok {
			method, path, ok = "POST", p, true
		}
	}
	return method, path, ok
}

// readForm collects the attributes of a form. Of two with the same name the first counts.
func (j *Injector) readForm(tag []byte) (f formTag) {
	var method, action, idempotency, id bool
	var twin [5]bool
	for a, i, ok := nextAttr(tag, len("<form")); ok; a, i, ok = nextAttr(tag, i) {
		name := tag[a.from:a.to]
		switch {
		case nameIs(name, "method"):
			j.first(&method, &f.method, tag, a)
		case nameIs(name, "action"):
			j.first(&action, &f.action, tag, a)
		case nameIs(name, "data-idempotency"):
			j.first(&idempotency, &f.idempotency, tag, a)
		case nameIs(name, "id"):
			j.first(&id, &f.id, tag, a)
		default:
			// htmx asks for hx-post first, then for data-hx-post.
			v, data := hxVerb(name)
			if v >= 0 && twin[v] && !data {
				f.has[v] = false
			}
			if v >= 0 && !f.has[v] {
				twin[v] = data
				j.first(&f.has[v], &f.hx[v], tag, a)
			}
		}
	}
	return f
}

// first sets value and has from the attribute, unless it has been set before.
func (j *Injector) first(has *bool, value *string, tag []byte, a attr) {
	if !*has {
		*has, *value = true, string(j.value(tag[a.vfrom:a.vto]))
	}
}

// field gives a field of the open form that is named like ours the same key as its value.
func (j *Injector) field(tag []byte) {
	var value attr
	var named, valued, formed bool
	for a, i, ok := nextAttr(tag, len("<input")); ok; a, i, ok = nextAttr(tag, i) {
		switch n, raw := tag[a.from:a.to], tag[a.vfrom:a.vto]; {
		case !named && nameIs(n, "name"):
			named = true
			if !textIs(j.value(raw), KeyFieldName) {
				return
			}
		case !formed && nameIs(n, "form"):
			formed = true
			if !textIs(j.value(raw), j.nest.form.id) {
				return // a field of another form
			}
		case !valued && nameIs(n, "value"):
			valued, value = true, a
		}
	}
	if !named {
		return
	}
	key := j.nest.form.key
	switch {
	case !valued:
		j.edit(len("<input"), len("<input"), ` value="`+key+`"`)
	case !value.equals:
		j.edit(value.to, value.to, `="`+key+`"`)
	case value.bare:
		j.edit(value.vfrom, value.vto, `"`+key+`"`)
	default:
		j.edit(value.vfrom, value.vto, key)
	}
}

// look sees to the attributes that count on any tag: marks of a redisplayed form, and places at the origin.
func (j *Injector) look(name tagName, tag []byte) {
	if len(j.outer) > 0 && !j.live() {
		return
	}
	marks := !j.redisplayed && (j.tag.seen&seenAria != 0 || j.tag.seen&seenClass != 0 && len(j.n.Redisplay) > 0)
	places := j.up.host != "" && (j.tag.seen&seenPlace != 0 || name == nameForm || name == nameBase)
	if !marks && !places {
		return
	}
	for a, i, ok := nextAttr(tag, nameEnd(tag)); ok; a, i, ok = nextAttr(tag, i) {
		n, raw := tag[a.from:a.to], tag[a.vfrom:a.vto]
		if marks && j.marks(n, raw) && isFirst(tag, a) {
			j.redisplayed = true
			marks = false
		}
		if places && isFormPlace(name, n) && isFirst(tag, a) {
			if to := j.upstreamEnd(raw); to > 0 {
				j.edit(a.vfrom, a.vfrom+to, j.n.Site)
			}
		}
	}
}

// marks reports whether an attribute marks a redisplayed form (contract §1).
func (j *Injector) marks(name, raw []byte) bool {
	switch {
	case nameIs(name, "aria-invalid"):
		return sameName(string(j.value(raw)), "true")
	case nameIs(name, "class"):
		list := j.value(raw)
		for len(list) > 0 {
			n := 0
			for n < len(list) && !isSpace(list[n]) {
				n++
			}
			for _, class := range j.n.Redisplay {
				if class != "" && textIs(list[:n], class) {
					return true
				}
			}
			list = list[min(n+1, len(list)):]
		}
	}
	return false
}

// isFormPlace reports whether an attribute of a tag is the place to which a form is sent.
func isFormPlace(tag tagName, name []byte) bool {
	switch {
	case nameIs(name, "action"):
		return tag == nameForm
	case nameIs(name, "formaction"):
		return tag == nameButton || tag == nameInput
	}
	v, _ := hxVerb(name)
	return v >= 0 && (hxVerbs[v] != "GET" || tag == nameForm)
}

// edit notes that tag[from:to] is to be replaced. Edits do not overlap; they may come in any order.
func (j *Injector) edit(from, to int, text string) {
	k := len(j.edits)
	for k > 0 && j.edits[k-1].from > from {
		k--
	}
	j.edits = slices.Insert(j.edits, k, edit{from, to, text})
}
