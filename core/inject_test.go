package core

import (
	"fmt"
	"strings"
	"testing"
)

// minted is what keysOf records of one call of Mint.
type minted struct {
	Method, Path string
	Repeat       bool
}

// counting returns an Injection for a page of https://shop.example that mints ik_1, ik_2, … and writes down
// what it was asked.
func counting(page string) (Injection, *[]minted) {
	var calls []minted
	return Injection{
		Page: page,
		Site: "https://shop.example",
		Mint: func(method, path string, repeat bool) string {
			if method != "POST" {
				return "" // no rule guards the others
			}
			calls = append(calls, minted{method, path, repeat})
			return fmt.Sprintf("ik_%d", len(calls))
		},
	}, &calls
}

// inject sends a page through an Injector in chunks of size bytes, all at once if size is 0.
func inject(n Injection, page string, size int) (string, *Injector) {
	j := NewInjector(n)
	var out []byte
	for rest := []byte(page); len(rest) > 0; {
		k := min(size, len(rest))
		if size == 0 {
			k = len(rest)
		}
		// A copy of its own: what was given to an earlier Write must not be needed any more.
		chunk := append([]byte(nil), rest[:k]...)
		out = j.Write(out, chunk)
		clear(chunk)
		rest = rest[k:]
	}
	return string(j.Close(out)), j
}

// input is what a key looks like in a page.
func input(key string) string {
	return `<input type="hidden" name="idempotency_key" value="` + key + `" autocomplete="off">`
}

// Two ways to write a page and what becomes of it: {} is where a key goes.
func TestInjectsKeyIntoForms(t *testing.T) {
	tests := []struct {
		why, page string
		calls     string // "POST /path" and so on, set off by blanks
	}{
		{"a plain form", `<form method="post" action="/orders">{}<p></form>`, "POST /orders"},
		{"upper case, unquoted", `<FORM METHOD=POST ACTION=/orders>{}</FORM>`, "POST /orders"},
		{"single quotes, slash", `<form method='post' action='/orders'/>{}</form>`, "POST /orders"},
		{"line breaks and CR in the tag", "<form\r\n\tmethod=post\r\naction=/o\r>{}", "POST /o"},
		{"no action posts to the page", `<form method=post>{}`, "POST /shop/cart"},
		{"empty action posts to the page", `<form method=post action="">{}`, "POST /shop/cart"},
		{"relative to the page", `<form method=post action="orders">{}`, "POST /shop/orders"},
		{"dot segments", `<form method=post action="../a/./b/../c">{}`, "POST /a/c"},
		{"dot segments, encoded", `<form method=post action="%2e%2E/c">{}`, "POST /c"},
		{"query only", `<form method=post action="?x=1">{}`, "POST /shop/cart"},
		{"fragment only", `<form method=post action="#x">{}`, "POST /shop/cart"},
		{"query is not part of the path", `<form method=post action="/o?x=/y#z">{}`, "POST /o"},
		{"white space around", "<form method=post action=' \n/o\t '>{}", "POST /o"},
		{"backslashes are slashes", `<form method=post action="\o\p">{}`, "POST /o/p"},
		{"percent-encoding stays", `<form method=post action="/a%2fb%C3%A9">{}`, "POST /a%2fb%C3%A9"},
		{"what a browser encodes is encoded", `<form method=post action="/注 文">{}`, "POST /%E6%B3%A8%20%E6%96%87"},
		{"absolute", `<form method=post action="https://shop.example/o">{}`, "POST /o"},
		{"absolute, default port, upper case", `<form method=post action="HTTPS://SHOP.example:443">{}`, "POST /"},
		{"same scheme, relative after all", `<form method=post action="https:o">{}`, "POST /shop/o"},
		{"protocol-relative", `<form method=post action="//shop.example/o">{}`, "POST /o"},
		{"entities", `<form method=post action="&#x2f;o&amp;&sol;p&#47q">{}`, "POST /o&/p/q"},
		{"old entity before =", `<form method=post action="/o?a&amp=1">{}`, "POST /o"},
		{"other host", `<form method=post action="https://evil.example/o">`, ""},
		{"other scheme", `<form method=post action="http://shop.example/o">`, ""},
		{"other port", `<form method=post action="https://shop.example:444/o">`, ""},
		{"user information", `<form method=post action="https://shop.example@evil.example/o">`, ""},
		{"protocol-relative elsewhere", `<form method=post action="//evil.example/o">`, ""},
		{"backslashes elsewhere", `<form method=post action="\\evil.example/o">`, ""},
		{"slashes that hide a host", `<form method=post action="/\/evil.example/o">`, ""},
		{"newline that hides a host", "<form method=post action='/\n/evil.example/o'>", ""},
		{"entities that hide a host", `<form method=post action="&sol;&#x2F;evil.example/o">`, ""},
		{"one slash after another scheme", `<form method=post action="http:/shop.example/o">`, ""},
		{"javascript", `<form method=post action="javascript:go()">`, ""},
		{"mailto", `<form method=post action="mailto:a@shop.example">`, ""},
		{"get", `<form action=/o>`, ""},
		{"method that is no method", `<form method="post " action=/o>`, ""},
		{"dialog", `<form method=dialog action=/o>`, ""},
		{"first of two attributes", `<form method=get method=post action=/o>`, ""},
		{"first of two attributes, the other way", `<form method=post method=get action=/o action=//e.example>{}`, "POST /o"},
		{"NUL in a name makes another name", "<form met\x00hod=post action=/o>", ""},
		{"slashes between attributes", `<form/method="post"/action="/o"/>{}`, "POST /o"},
		{"= begins a name", `<form =method=post method=post>{}`, "POST /shop/cart"},
		{"an attribute's value that looks like one", `<form data-x="method=post">`, ""},
		{"hx-post", `<form hx-post="/o">{}`, "POST /o"},
		{"data-hx-post", `<form DATA-HX-POST="/o">{}`, "POST /o"},
		{"hx-post beats data-hx-post", `<form data-hx-post=/a hx-post=/b>{}`, "POST /b"},
		{"hx-post beats the action", `<form method=post action=/a hx-post=/b>{}`, "POST /b"},
		{"a method that no rule guards", `<form hx-put="/o">`, ""},
		{"hx-post elsewhere", `<form method=post action=/a hx-post=//evil.example>`, ""},
		{"action elsewhere", `<form method=post action=//evil.example hx-post=/o>`, ""},
		{"an action that sends nothing", `<form action="javascript:;" hx-post=/o>{}`, "POST /o"},
		{"attributes on the button", `<form method=post action=/o>{}<button hx-post=/o>`, "POST /o"},
		{"opt out", `<form method=post data-idempotency=off>`, ""},
		{"opt out, upper case", `<form method=post data-idempotency="OFF">`, ""},
		{"repeat", `<form method=post data-idempotency=repeat>{}`, "POST /shop/cart repeat"},
		{"sign-out", `<form method=post action="/users/sign_out">`, ""},
		{"sign-out by htmx", `<form method=post action=/x hx-post="/logout.php">`, ""},
		{"two forms, two keys", `<form method=post action=/a>{}</form><form method=post action=/b>{}</form>`, "POST /a POST /b"},
		{"a form in a form is none", `<form method=post>{}<form method=post action=/b></form><form method=post action=/c>{}`, "POST /shop/cart POST /c"},
		{"a form in a form is none, get outside", `<form><form method=post></form><form method=post>{}`, "POST /shop/cart"},
		{"table", `<table><form method=post>{}<tr><td></table>`, "POST /shop/cart"},
		{"select", `<select><form method=post></select><form method=post>`, ""},
		{"after a select", `<select></form></select><form method=post>{}`, "POST /shop/cart"},
		{"select closed by an input", `<select><input><form method=post>{}`, "POST /shop/cart"},
		{"select closed by its table", `<table><td><select></td><td><form method=post>{}`, "POST /shop/cart"},
		{"select not closed by a table that is not there", `<select></td><form method=post>`, ""},
		{"noscript", `<noscript><form method=post>{}</form></noscript>`, "POST /shop/cart"},
		{"noscript does not leave a form open", `<noscript><form method=post>{}</noscript><form method=post>{}`, "POST /shop/cart POST /shop/cart"},
		{"script", `<script>"<form method=post>"</script><form method=post>{}`, "POST /shop/cart"},
		{"script that seems to close itself", `<script src=x /><form method=post></script>`, ""},
		{"script, end tag with attributes", `<script></script a="<form method=post>"><form method=post>{}`, "POST /shop/cart"},
		{"script, another end tag", `<script></scripts><form method=post></script >`, ""},
		{"script, escaped", `<script><!-- </script><form method=post>{}`, "POST /shop/cart"},
		{"script, double escaped", `<script><!-- <script> </script> <form method=post> --> </script><form method=post>{}`, "POST /shop/cart"},
		{"script, double escaped never closed", `<script><!--<script></script><form method=post>`, ""},
		{"script, short comment", `<script><!--><script></script><form method=post>{}`, "POST /shop/cart"},
		{"style", `<style><form method=post></style><form method=post>{}`, "POST /shop/cart"},
		{"style has no comments", `<style><!-- </style><form method=post>{}`, "POST /shop/cart"},
		{"textarea", `<textarea><form method=post></textarea><form method=post>{}`, "POST /shop/cart"},
		{"title", `<title><form method=post></title><form method=post>{}`, "POST /shop/cart"},
		{"xmp", `<xmp><form method=post></xmp><form method=post>{}`, "POST /shop/cart"},
		{"iframe", `<iframe><form method=post></iframe><form method=post>{}`, "POST /shop/cart"},
		{"noembed", `<noembed><form method=post></noembed><form method=post>{}`, "POST /shop/cart"},
		{"noframes", `<noframes><form method=post></noframes><form method=post>{}`, "POST /shop/cart"},
		{"plaintext", `<plaintext></plaintext><form method=post>`, ""},
		{"comment", `<!-- <form method=post> --><form method=post>{}`, "POST /shop/cart"},
		{"comment, short", `<!--><form method=post>{}<!-- -->`, "POST /shop/cart"},
		{"comment, short with dash", `<!---><form method=post>{}<!-- -->`, "POST /shop/cart"},
		{"comment, not so short", `<!--!><form method=post><!-- --><form method=post>{}`, "POST /shop/cart"},
		{"comment, bang", `<!-- --!><form method=post>{}<!-- -->`, "POST /shop/cart"},
		{"comment, bang and dashes", `<!-- --!- ><form method=post> --><form method=post>{}`, "POST /shop/cart"},
		{"comment, many dashes", `<!-- ----><form method=post>{}`, "POST /shop/cart"},
		{"comment in a comment", `<!--<!--><form method=post>{}`, "POST /shop/cart"},
		{"bogus comment", `<!x <form method=post><form method=post>{}`, "POST /shop/cart"},
		{"bogus comment, question mark", `<?x <form method=post><form method=post>{}`, "POST /shop/cart"},
		{"bogus comment, end tag", `</ <form method=post><form method=post>{}`, "POST /shop/cart"},
		{"doctype", `<!doctype html "><form method=post>{}`, "POST /shop/cart"},
		{"CDATA in html is a bogus comment", `<![CDATA[ <form method=post> ]]><form method=post>{}`, "POST /shop/cart"},
		{"CDATA in svg", `<svg><![CDATA[ > <form method=post> ]]></svg><form method=post>{}`, "POST /shop/cart"},
		{"CDATA in math, many brackets", `<math><![CDATA[<p>]]]]></math><form method=post>{}`, "POST /shop/cart"},
		{"form of svg", `<svg><form method=post></svg><form method=post>{}`, "POST /shop/cart"},
		{"svg that is closed at once", `<svg/><form method=post>{}`, "POST /shop/cart"},
		{"style of svg is no raw text", `<svg><style><a></style></svg><form method=post>{}`, "POST /shop/cart"},
		{"script of svg that closes itself", `<svg><script/></svg><form method=post>{}`, "POST /shop/cart"},
		{"html in svg", `<svg><foreignObject><form method=post>{}</form></foreignObject><form method=post></svg>`, "POST /shop/cart"},
		{"html in math", `<math><mi><form method=post>{}</form></mi><form method=post></math>`, "POST /shop/cart"},
		{"html in annotation", `<math><annotation-xml encoding="TEXT/html"><form method=post>{}</form></annotation-xml></math>`, "POST /shop/cart"},
		{"other annotation", `<math><annotation-xml><form method=post></annotation-xml></math>`, ""},
		{"svg ended by html", `<svg><g><div><form method=post>{}`, "POST /shop/cart"},
		{"svg ended by the end of what it is in", `<div><svg><g></div><form method=post>{}`, "POST /shop/cart"},
		{"template", `<template><form method=post></template><form method=post>{}`, "POST /shop/cart"},
		{"template in template", `<template><template></template><form method=post></template><form method=post>{}`, "POST /shop/cart"},
		{"end tags in a template close nothing outside", `<form method=post>{}<template></form></template><form method=post>`, "POST /shop/cart"},
		{"template of svg is none", `<svg><template></svg><form method=post>{}`, "POST /shop/cart"},
		{"turbo's template", `<turbo-stream action=append target=x> <template><form method=post>{}</form></template></turbo-stream>`, "POST /shop/cart"},
		{"forms nest in turbo's template", `<turbo-stream><template><form method=post>{}<form method=post>{}</form><input name=idempotency_key value="ik_1"></template>`, "POST /shop/cart POST /shop/cart"},
		{"second template of a turbo-stream", `<turbo-stream><template></template><template><form method=post></template>`, ""},
		{"attribute's value", `<a title="<form method=post>" b='<form method=post>'></a>`, ""},
		{"unquoted attribute's value", `<a title=<form method=post>`, ""},
		{"lone less-than signs", `a < b <<form method=post>{} <3 </ >`, "POST /shop/cart"},
		{"base href", `<base target=x><base href="/app/x"><base href="//evil.example"><form method=post action=o>{}</form><form method=post>{}`, "POST /app/o POST /shop/cart"},
		{"base href elsewhere", `<base href="https://evil.example/"><form method=post action=o></form><form method=post action=/o></form><form method=post>{}</form><form method=post action="https://shop.example/o">{}`, "POST /shop/cart POST /o"},
		{"base href of a template", `<template><base href="//evil.example"></template><form method=post action=o>{}`, "POST /shop/o"},
		{"tag that never ends", `<form method=post action="/o`, ""},
		{"UTF-16 by its mark", "\xff\xfe<form method=post>", ""},
		{"not quite a mark", "\xff\xff<form method=post>{}", "POST /shop/cart"},
		{"ISO-2022-JP by its meta", `<meta charset="iso-2022-jp"><form method=post>`, ""},
		{"UTF-8 by its meta", `<meta http-equiv=content-type content="text/html; charset=utf-8"><form method=post>{}`, "POST /shop/cart"},
		{"longer than longestTag", `<form method=post x="` + strings.Repeat("x", longestTag) + `"><form method=post></form><form method=post>{}`, "POST /shop/cart"},
		{"longer than longestTag, raw text all the same", `<script x="` + strings.Repeat("x", longestTag) + `"><form method=post></script><form method=post>{}`, "POST /shop/cart"},
		{"a long name is no other name", "<form\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00form method=post>", ""},
	}
	for _, tt := range tests {
		page := strings.ReplaceAll(tt.page, "{}", "")
		want := tt.page
		for n := 1; strings.Contains(want, "{}"); n++ {
			want = strings.Replace(want, "{}", input(fmt.Sprintf("ik_%d", n)), 1)
		}
		for _, size := range []int{0, 1, 2, 3, 7} {
			if size > 0 && size < 7 && len(page) > 4096 {
				continue
			}
			n, calls := counting("/shop/cart?page=2")
			got, j := inject(n, page, size)
			if got != want {
				t.Errorf("%s: in chunks of %d:\n got %.500q\nwant %.500q", tt.why, size, got, want)
			}
			var words []string
			for _, c := range *calls {
				words = append(words, c.Method, c.Path)
				if c.Repeat {
					words = append(words, "repeat")
				}
			}
			if s := strings.Join(words, " "); s != tt.calls {
				t.Errorf("%s: in chunks of %d: Mint was asked for %q; want %q", tt.why, size, s, tt.calls)
			}
			if k := strings.Count(tt.page, "{}"); j.Keyed() != k {
				t.Errorf("%s: Keyed() = %d; want %d", tt.why, j.Keyed(), k)
			}
			if j.Changed() != (got != page) {
				t.Errorf("%s: Changed() = %v; want %v", tt.why, j.Changed(), got != page)
			}
		}
	}
}

func TestTagNames(t *testing.T) {
	for name, want := range map[string]tagName{
		"annotation-xml": nameAnnotationXml, "base": nameBase, "br": nameBr, "button": nameButton,
		"caption": nameCaption, "dd": nameDd, "desc": nameDesc, "dt": nameDt, "font": nameFont,
		"foreignObject": nameForeignobject, "form": nameForm, "head": nameHead, "html": nameHtml,
		"iframe": nameIframe, "input": nameInput, "li": nameLi, "malignmark": nameMalignmark,
		"math": nameMath, "meta": nameMeta, "mglyph": nameMglyph, "mi": nameMi, "mn": nameMn, "mo": nameMo,
		"ms": nameMs, "mtext": nameMtext, "noembed": nameNoembed, "noframes": nameNoframes,
		"noscript": nameNoscript, "option": nameOption, "p": nameP, "plaintext": namePlaintext,
		"script": nameScript, "select": nameSelect, "style": nameStyle, "svg": nameSvg, "table": nameTable,
		"tbody": nameTbody, "td": nameTd, "template": nameTemplate, "textarea": nameTextarea, "tfoot": nameTfoot,
		"th": nameTh, "thead": nameThead, "title": nameTitle, "tr": nameTr, "turbo-stream": nameTurboStream,
		"xmp": nameXmp,
	} {
		if got := nameOf(strings.ToUpper(name)); got != want {
			t.Errorf("nameOf(%q) = %#x; want %#x", name, uint64(got), uint64(want))
		}
	}
}
