package core

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What a key's input looks like in an output, for taking it out again.
var ourInput = regexp.MustCompile(`<input type="hidden" name="idempotency_key" value="ik_[0-9]+" autocomplete="off">`)

// checkStream holds an Injector to what is true of every page, sane or not: the output does not depend on where
// the page is cut; without our inputs it is the page.
func checkStream(t *testing.T, page string, cuts uint64) (output string) {
	t.Helper()
	n, _ := counting("/shop/cart")
	output, _ = inject(n, page, 0)
	n, _ = counting("/shop/cart")
	if got, _ := inject(n, page, 1); got != output {
		t.Fatalf("byte by byte:\npage %q\n got %q\nwant %q", page, got, output)
	}
	n, _ = counting("/shop/cart")
	random := rand.New(rand.NewPCG(cuts, 0))
	j := NewInjector(n)
	var out []byte
	for rest := []byte(page); len(rest) > 0; {
		k := 1 + random.IntN(min(len(rest), 40))
		out = j.Write(out, rest[:k])
		rest = rest[k:]
	}
	if out = j.Close(out); string(out) != output {
		t.Fatalf("cut at random:\npage %q\n got %q\nwant %q", page, out, output)
	}
	if !strings.Contains(page, "ik_") && !hasOurField(page) {
		if got := ourInput.ReplaceAllString(output, ""); got != page {
			t.Fatalf("without our inputs:\npage %q\n got %q", page, got)
		}
	}
	return output
}

// hasOurField reports whether an input of the page, by any reading, may be named like ours: its value is then
// rewritten.
func hasOurField(page string) bool {
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Contains(page, KeyFieldName)
		case html.StartTagToken, html.SelfClosingTagToken:
			for _, a := range z.Token().Attr {
				if a.Val == KeyFieldName {
					return true
				}
			}
		}
	}
}

// unlike tells where the oracle and the standard, or the oracle and what we promise, are known to differ, so that
// trees cannot be compared:
//
//   - frameset: html ignores all forms there. Such a page has none that could be sent.
//   - a script in a script's comment: the oracle leaves escaped text at "<" + anything, the standard does not.
//   - template with svg or math: the oracle gives up (its own comment says so).
//   - noscript: the oracle reads its content as markup or as text, and we put keys into forms in it, as markup, and
//     go on behind it as if it had been text, so that browsers with and without scripts find their keys.
//   - a template in a turbo-stream is Turbo's, which makes its forms part of the page; to the standard it is one like any.
//   - svg or math with the end tag of an html element that is not open: we take it for one that is, and leave.
var unlike = regexp.MustCompile(`(?is)<frameset|<noscript|<script.*<!--|<(svg|math).*<template|<template.*<(svg|math)|<turbo-stream.*<template`)

// checkTree holds the output against a parser that builds the tree by the HTML standard: it is the tree of the
// page, plus our inputs, which are the first children of those forms that get a key.
func checkTree(t *testing.T, page, output string) {
	t.Helper()
	if unlike.MatchString(page) || strayEnd(page) {
		return
	}
	before, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		return
	}
	after, err := html.ParseWithOptions(strings.NewReader(output), html.ParseOptionEnableScripting(false))
	if err != nil {
		return
	}
	n, _ := counting("/shop/cart")
	j := NewInjector(n)
	for node := range before.Descendants() {
		if node.DataAtom == atom.Base && node.Namespace == "" {
			return // see TestInjectsKeyIntoForms
		}
	}
	var ours []*html.Node
	for node := range after.Descendants() {
		switch {
		case isOurs(node):
			ours = append(ours, node)
		case node.Type == html.ElementNode && node.Namespace == "" && node.DataAtom == atom.Form:
			want := eligible(j, node)
			if got := keyOf(node) != nil; got != want && !within(node, atom.Select) {
				if got || !displaced(after) {
					t.Fatalf("form %q has a key: %v; want %v\npage %q\noutput %q", tagOf(node), got, want, page, output)
				}
			}
		}
	}
	for _, node := range ours {
		if displacedInput(node) {
			return
		}
		node.Parent.RemoveChild(node)
	}
	if got, want := tree(after), tree(before); got != want {
		t.Fatalf("another tree\npage   %q\noutput %q\n got %s\nwant %s", page, output, got, want)
	}
}

// strayEnd reports whether a page with svg or math has an end tag for something that is not open, which unlike
// speaks of.
func strayEnd(page string) bool {
	open := map[string]int{}
	foreign := false
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		tt := z.Next()
		z.NextIsNotRawText()
		name, _ := z.TagName()
		switch tt {
		case html.ErrorToken:
			return false
		case html.StartTagToken:
			foreign = foreign || string(name) == "svg" || string(name) == "math"
			open[string(name)]++
		case html.EndTagToken:
			if open[string(name)]--; open[string(name)] < 0 {
				if foreign && (nameOf(string(name)).among(closers) || nameOf(string(name)).among(tableParts)) {
					return true
				}
				open[string(name)] = 0
			}
		}
	}
}

// eligible says by contract §6 whether a form of the tree gets a key.
func eligible(j *Injector, form *html.Node) bool {
	if within(form, atom.Template) {
		return false
	}
	var f formTag
	for _, a := range form.Attr {
		switch a.Key {
		case "method":
			f.method = a.Val
		case "action":
			f.action = a.Val
		case "data-idempotency":
			if strings.EqualFold(a.Val, "off") {
				return false
			}
		case "hx-post", "data-hx-post":
			f.has[0], f.hx[0] = true, a.Val
		}
	}
	_, _, ok := j.formOf(&f)
	return ok
}

// within reports whether a node stands in an html element with that name.
func within(n *html.Node, name atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Namespace == "" && p.DataAtom == name {
			return true
		}
	}
	return false
}

// isOurs reports whether a node is an input that we put in.
func isOurs(n *html.Node) bool {
	return n.Type == html.ElementNode && n.DataAtom == atom.Input && ourInput.MatchString(tagOf(n))
}

// keyOf returns the input of ours that belongs to a form: its first child; or, where the form stands in a table
// and can have no children, what follows it.
func keyOf(form *html.Node) *html.Node {
	if c := form.FirstChild; c != nil && isOurs(c) {
		return c
	}
	if n := form.NextSibling; form.FirstChild == nil && n != nil && isOurs(n) {
		return n
	}
	return nil
}

// displacedInput reports whether an input of ours stands in a formatting element that was left open before the
// form: <b><p></b><form> and the like. An input makes the parser open it again, in the form, where the next text
// would have done so. Looks and fields stay the same.
func displacedInput(n *html.Node) bool {
	switch n.Parent.DataAtom {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small,
		atom.Strike, atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}

func displaced(doc *html.Node) bool {
	for n := range doc.Descendants() {
		if isOurs(n) && displacedInput(n) {
			return true
		}
	}
	return false
}

// tagOf writes a node's start tag.
func tagOf(n *html.Node) string {
	return html.Token{Type: html.StartTagToken, Data: n.Data, Attr: n.Attr}.String()
}

// tree writes a tree, adjacent texts as one.
func tree(n *html.Node) string {
	var b bytes.Buffer
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch n.Type {
		case html.TextNode:
			b.WriteString(n.Data)
		case html.CommentNode:
			fmt.Fprintf(&b, "<!--%q-->", n.Data)
		case html.ElementNode:
			fmt.Fprintf(&b, "{%s%s ", n.Namespace, tagOf(n))
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if n.Type == html.ElementNode {
			b.WriteString("}")
		}
	}
	walk(n)
	return b.String()
}

// pieces are what FuzzInjectPieces puts pages together from.
var pieces = strings.Split(`<form method=post>|</form>|<form action=/x METHOD="POST">|<form>|<form method=post action=//evil.example>|
<form hx-post=/o>|<form data-hx-post='/p' data-idempotency=off>|<input name=a>|<input type=hidden name=b value=c>|text|
 |<p>|</p>|<div>|</div>|<b>|</b>|<a href="<form method=post>">|</a>|<table>|</table>|<tr>|<td>|</tr>|</td>|<tbody>|<caption>|</caption>|<colgroup>|<col>|
<select>|</select>|<option>|<optgroup>|<textarea>|</textarea>|<title>|</title>|<script>|</script>|<style>|</style>|<xmp>|</xmp>|<iframe>|</iframe>|
<noembed>|</noembed>|<noframes>|</noframes>|<template>|</template>|<svg>|</svg>|<math>|</math>|<foreignObject>|</foreignObject>|<desc>|</desc>|<mi>|</mi>|<g>|</g>|<path/>|
<annotation-xml encoding=text/html>|<annotation-xml>|</annotation-xml>|<svg/>|<mglyph>|<font>|<font color=x>|<![CDATA[|]]>|<!--|-->|--!>|<!-->|<!x|<?x|</>|</ x>|>|<|"|'|=|/|
<li>|</li>|<ul>|</ul>|<button>|</button>|<label>|</label>|<br>|</br>|<hr>|<h1>|</h1>|<span>|</span>|<html>|<head>|</head>|<body>|</body>|</html>|<object>|</object>|<dialog>|<pre>|
<x-y a='b>' c="d>" e=f>|<FORM MethOd=post/>|<form
 method='post'
>|<em>|</em>|<fieldset>|</fieldset>|<details>|<summary>|<image>|<keygen>|<isindex>|&lt;form method=post>|<option selected>|<noscript>|</noscript>|<turbo-stream>|</turbo-stream>|<meta charset=x>|<svg><![CDATA[></svg><form method=post>]]>|<svg><desc>|<svg a="b"/>|<g a=b/>|<desc/>|<foreignObject a/>|<svg><title>|<script><!--<script></script>|<math><mi>|<template><form method=post>|<base href=/b/>`, "|")

// FuzzInjectPieces puts pages together from pieces of markup, which is how odd nestings come up.
func FuzzInjectPieces(f *testing.F) {
	f.Add([]byte{0, 10, 1}, uint64(1))
	f.Add([]byte{19, 0, 21, 22, 10, 1, 20}, uint64(2))
	f.Fuzz(func(t *testing.T, picks []byte, cuts uint64) {
		var b strings.Builder
		for _, p := range picks[:min(len(picks), 60)] {
			b.WriteString(pieces[int(p)%len(pieces)])
		}
		page := b.String()
		checkTree(t, page, checkStream(t, page, cuts))
	})
}

// FuzzInject reads any bytes as a page.
func FuzzInject(f *testing.F) {
	for _, page := range []string{
		`<form method="post" action="/orders"><input name=a></form>`,
		`<!doctype html><table><form method=post><tr><td><input></table>`,
		`<svg><foreignObject><form method=post></foreignObject><![CDATA[<form>]]></svg>`,
		`<script><!--<script></script><form method=post></script>`,
		`<!-- --!><form hx-post='&#x2f;o' data-idempotency=repeat>`,
		`<select><form method=post><input></select>`,
		"\xff\xfe<\x00f\x00",
	} {
		f.Add(page, uint64(1))
	}
	f.Fuzz(func(t *testing.T, page string, cuts uint64) {
		if len(page) > 8192 {
			return
		}
		checkTree(t, page, checkStream(t, page, cuts))
	})
}

// TestInjectOddNestings runs the pieces of FuzzInjectPieces at random, the same every time.
func TestInjectOddNestings(t *testing.T) {
	for _, page := range []string{ // that few of those at random are like
		"<table><math></html><form hx-post=/o><annotation-xml>",
		"<math><mi><optgroup></noframes><![CDATA[</html><form hx-post=/o>",
		"<math><svg><desc><form hx-post=/o><g a=b/>",
	} {
		checkTree(t, page, checkStream(t, page, 5))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range pagesIn(t, 5000) {
		var b strings.Builder
		for range 2 + random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		page := b.String()
		checkTree(t, page, checkStream(t, page, random.Uint64()))
	}
}

// pagesIn returns how many pages a test makes: a tenth under -short.
func pagesIn(t *testing.T, n int) int {
	t.Helper()
	if testing.Short() {
		return n / 10
	}
	return n
}
