package core

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
