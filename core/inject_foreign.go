package core

// In svg and math a <form> is no form, a <style> is no raw text, "/>" closes, and CDATA sections are text. Html
// goes on in their integration points (HTML standard §13.2.6.5, §13.2.6). What follows is the stack of open
// elements from the outermost svg or math on: exact for content that closes what it opens, and close to the
// standard for the rest.

// element is one open element.
type element struct {
	name tagName
	kind elementKind
}

// elementKind tells what rules hold right inside an element.
type elementKind uint8

const (
	htmlElement elementKind = iota
	svgElement
	svgPoint // desc, title, foreignObject: html goes on
	mathElement
	mathText  // mi, mo, mn, ms, mtext: html goes on, but for two elements
	mathPoint // annotation-xml with an encoding that says html
)

// deepestTree bounds the stack. What is deeper is not seen to be open.
const deepestTree = 4096

// breakouts are start tags that end svg and math, because they are html and were surely meant to be.
var breakouts = namesOf(`b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img
	li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var`)

// voids are html elements that have no content, and such as close on their own or are told apart elsewhere.
var voids = namesOf(`area base basefont bgsound br col embed frame hr image img input keygen link meta param
	source track wbr html head body caption colgroup tbody td tfoot th thead tr select template plaintext`)

// closers are html elements whose end tag, where nothing in svg or math is open by that name, ends the svg or
// math in them that was not closed. Whether they are open is not known, so it is taken for granted. tableParts
// are more of them where a table is open.
var (
	closers = namesOf(`a abbr article aside b blockquote button cite code dd details dialog div dl dt em fieldset
		figcaption figure footer h1 h2 h3 h4 h5 h6 header i label li main mark menu nav ol p pre s section small
		span strong sub summary sup u ul`)
	tableParts = namesOf(`table caption tbody td tfoot th thead tr`)
)

// formatting are the elements that the end tag of an element around them does not close, and whose own end tag
// does not close the special ones in them (HTML standard §13.2.4.2, the adoption agency algorithm).
var (
	formatting = namesOf(`a b big code em font i nobr s small strike strong tt u`)
	special    = namesOf(`address applet article aside blockquote button center dd details dir div dl dt fieldset
		figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup iframe li listing main marquee menu nav
		noembed noframes noscript object ol p pre script search section style summary table textarea title ul xmp`)
)

// among reports whether a name is in a list.
func (t tagName) among(list []tagName) bool {
	for _, n := range list {
		if n == t {
			return true
		}
	}
	return false
}

// foreign reports whether the innermost open element is one of svg or math: there CDATA sections are.
func (j *Injector) foreign() bool {
	n := len(j.tree)
	return n > j.nest.tree && j.tree[n-1].kind != htmlElement
}

// openElement puts an element on the stack.
func (j *Injector) openElement(name tagName, kind elementKind) {
	if len(j.tree) < deepestTree {
		j.tree = append(j.tree, element{name, kind})
	}
}

// openForeign opens an <svg> or <math> in html.
func (j *Injector) openForeign(name tagName) {
	if name == nameSvg {
		j.openElement(name, svgElement)
	} else {
		j.openElement(name, mathElement)
	}
}

// foreignTag keeps the stack while an svg or math is open, and reports whether the tag is to be treated by the
// rules of html.
func (j *Injector) foreignTag(name tagName, tag []byte) bool {
	if j.tag.end {
		return j.foreignEnd(name)
	}
	top := j.tree[len(j.tree)-1]
	switch {
	case top.kind == htmlElement, top.kind == svgPoint, top.kind == mathPoint:
	case top.kind == mathText && name != nameMglyph && name != nameMalignmark:
	case top.name == nameAnnotationXml && name == nameSvg:
	case name.among(breakouts), name == nameFont && isFontOfHTML(tag):
		j.breakOut()
	default:
		if !j.tag.slash {
			j.openElement(name, kindIn(top.kind, name, tag))
		}
		return false
	}
	if len(j.tree) == j.nest.tree {
		return true
	}
	if top = j.tree[len(j.tree)-1]; top.kind == htmlElement && closesBefore(top.name, name) {
		j.tree = j.tree[:len(j.tree)-1]
	}
	if name != nameSvg && name != nameMath && !name.among(voids) {
		j.openElement(name, htmlElement)
	}
	return true
}

// breakOut closes elements up to one where html goes on.
func (j *Injector) breakOut() {
	for n := len(j.tree); n > j.nest.tree; n-- {
		switch j.tree[n-1].kind {
		case svgElement, mathElement:
			j.tree = j.tree[:n-1]
		default:
			return
		}
	}
}

// foreignEnd closes what an end tag closes.
func (j *Injector) foreignEnd(name tagName) bool {
	n := len(j.tree)
	if name == nameP || name == nameBr {
		if k := j.tree[n-1].kind; k == svgElement || k == mathElement {
			j.breakOut()
			n = len(j.tree)
		}
	}
	// By the rules of foreign content, down to the first html element.
	for n > j.nest.tree && j.tree[n-1].kind != htmlElement {
		n--
		if j.tree[n].name == name {
			j.tree = j.tree[:n]
			return false
		}
	}
	// By the rules of html, down to an integration point, which is a boundary of every scope.
	blocked := false // by an element that only its own end tag closes
	for n = len(j.tree); n > j.nest.tree; n-- {
		e := j.tree[n-1]
		switch {
		case e.kind == svgPoint, e.kind == mathText, e.kind == mathPoint:
			return true
		case e.kind != htmlElement:
		case e.name != name:
			blocked = blocked || e.name.among(special)
		case name == nameForm || blocked && name.among(formatting):
			// It goes, what is open in it stays.
			j.tree = append(j.tree[:n-1], j.tree[n:]...)
			return true
		case blocked && !name.among(special):
			return true
		default:
			j.tree = j.tree[:n-1]
			return true
		}
	}
	if name.among(closers) || j.nest.tables > 0 && name.among(tableParts) || j.nest.chosen && name == nameSelect {
		j.tree = j.tree[:j.nest.tree]
	}
	return true
}

// closesBefore reports whether the start tag of next ends an open element that has no end tag of its own.
func closesBefore(open, next tagName) bool {
	switch open {
	case nameP:
		return next.among(breakouts) && !next.among(inline)
	case nameLi, nameOption, nameDd, nameDt:
		return open == next
	}
	return false
}

// inline are the breakouts that may stand in a paragraph.
var inline = namesOf("b big br code em embed i img meta nobr ruby s small span strong strike sub sup tt u var")

// kindIn returns the kind of an element that opens in svg or math.
func kindIn(parent elementKind, name tagName, tag []byte) elementKind {
	if parent == svgElement {
		switch name {
		case nameForeignobject, nameDesc, nameTitle:
			return svgPoint
		}
		return svgElement
	}
	switch name {
	case nameMi, nameMo, nameMn, nameMs, nameMtext:
		return mathText
	case nameAnnotationXml:
		if holdsHTML(tag) {
			return mathPoint
		}
	}
	return mathElement
}

// isFontOfHTML reports whether a <font> is the one of html and not the one of svg.
func isFontOfHTML(tag []byte) bool {
	if tag == nil {
		return false
	}
	for a, i, ok := nextAttr(tag, nameEnd(tag)); ok; a, i, ok = nextAttr(tag, i) {
		n := tag[a.from:a.to]
		if nameIs(n, "color") || nameIs(n, "face") || nameIs(n, "size") {
			return true
		}
	}
	return false
}

// holdsHTML reports whether an <annotation-xml> has an encoding that says html.
func holdsHTML(tag []byte) bool {
	if tag == nil {
		return false
	}
	for a, i, ok := nextAttr(tag, nameEnd(tag)); ok; a, i, ok = nextAttr(tag, i) {
		if nameIs(tag[a.from:a.to], "encoding") {
			v := string(appendValue(nil, tag[a.vfrom:a.vto]))
			return sameName(v, "text/html") || sameName(v, "application/xhtml+xml")
		}
	}
	return false
}
