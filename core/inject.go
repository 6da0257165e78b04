package core

// Injection says how the keys of one html answer are made and where the answer stands (contract §6).
type Injection struct {
	// Page is path and query of the page as the visitor sees it: the base of relative actions. A <base href>
	// in the page beats it. For a fragment it is the page into which the fragment goes.
	Page string
	// Site is scheme://host[:port] of the visitor's side. Only forms with an action there get a key.
	Site string
	// Upstream is scheme://host[:port] of the origin behind ORIGIN_URL, "" if there is none. Form actions
	// there (action, formaction, hx-post and its siblings) and a <base href> there are rewritten to Site, and
	// count as same-origin (contract §7).
	Upstream string
	// Mint makes a key for a form. The method is in upper case; the path is absolute and as a browser will
	// send it: as written in the page, percent-encoding untouched, without query. "" leaves the form alone.
	// The key must need no escaping in an attribute value: letters, digits, '-', '_'.
	Mint func(method, path string, repeat bool) string
	// Keep reports whether the origin makes the keys of this form itself (rule mint = "origin"): then its own
	// fields stay as they are. It may be nil.
	Keep func(method, path string) bool
	// Redisplay are class names that mark a redisplayed form, besides aria-invalid="true" (contract §1).
	Redisplay []string
	// Script is markup that becomes the first thing in the head of a full page, "" for none. Nonce, if there
	// is one, is added to its first tag.
	Script, Nonce string
	// Turbo says that the answer is text/vnd.turbo-stream.html: only forms inside <turbo-stream><template>.
	Turbo bool
}

// Injector puts keys into the forms of one html answer while it streams through (contract §6). It is a
// tokenizer by the HTML standard (§13.2.5), with as much of the tree builder as decides which <form> is a
// form: raw text, templates, select, svg and math, and the form element pointer. Bytes that it does not have
// to change pass as they are, whatever they are. It holds back one incomplete tag at most, 64 KiB.
//
// An Injector serves one answer and one goroutine.
type Injector struct {
	n     Injection
	state injectState
	held  []byte // the incomplete token at the end of what Write has seen, not yet passed on
	long  bool   // the tag being read is longer than longestTag and is not held

	tag   tagScan // the tag being read
	raw   rawText // the raw text element being read, and its end tag
	mark  byte    // what may be half a byte order mark
	dash  int     // dashes just seen in a comment, brackets in a CDATA section
	bang  bool    // "--!" just seen in a comment
	fresh bool    // nothing but dashes since "<!--"

	head  headState
	nest  nesting
	outer []nesting // around the templates that are open
	deep  int       // templates open beyond deepest
	tree  []element // open elements from the outermost svg or math on, see inject_foreign.go

	hides                bool    // a noscript is open
	hidden               nesting // around it
	hiddenIn, treeHidden int     // the lengths of outer and tree around it

	site, up origin
	base     place
	based    bool // the first <base href> has been seen

	edits       []edit
	before      string // goes in front of the tag just read
	after       []byte // goes behind it
	decoded     []byte // an attribute value without its character references
	keyed       int
	changed     bool
	redisplayed bool
}

// NewInjector returns an Injector for one answer.
func NewInjector(n Injection) *Injector {
	j := &Injector{n: n}
	j.site, j.up = originOf(n.Site), originOf(n.Upstream)
	j.base = place{j.site, pathOf(n.Page)}
	if n.Turbo || n.Script == "" {
		j.head = headDone
	}
	return j
}

// Close appends what is still held back, an incomplete tag, as it came.
func (j *Injector) Close(dst []byte) []byte {
	dst = append(dst, j.held...)
	j.held = nil
	j.state = inRest
	return dst
}

// Keyed returns how many forms got a key so far, forms whose own key was kept (Keep) included: with one of
// them the page is a page of contract §6.
func (j *Injector) Keyed() int { return j.keyed }

// Changed reports whether the output differs from the input so far: a key, a rewritten place or the script.
func (j *Injector) Changed() bool { return j.changed }

// Redisplayed reports whether a tag with aria-invalid="true" or with one of the Redisplay class names has
// been seen (contract §1). Templates do not count: what stands there is not displayed.
func (j *Injector) Redisplayed() bool { return j.redisplayed }
