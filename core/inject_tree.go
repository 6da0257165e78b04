package core

// nesting is what the tree builder's stack of open elements would tell.
type nesting struct {
	form   openForm
	forms  []openForm // outer forms; only in a turbo template, where forms nest
	chosen bool       // a select is open
	tables int        // tables that are open
	tree   int        // length of Injector.tree where this nesting begins
	turbo  bool       // inside <turbo-stream><template>
	stream bool       // a <turbo-stream> was the last tag
}

// openForm is the form to which the fields that come now belong.
type openForm struct {
	open bool
	key  string // "" if it got none
	id   string
}

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
