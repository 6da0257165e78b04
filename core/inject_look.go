package core

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
