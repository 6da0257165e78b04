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
		{"noscript does not leave a template open", `<noscript><svg><template></noscript><form method=post>{}`, "POST /shop/cart"},
		{"noscript does not close a form", `<form method=post>{}<noscript></form></noscript><form method=post>`, "POST /shop/cart"},
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
		{"CDATA in svg hides its end", `<svg><![CDATA[></svg><form method=post>]]></svg><form method=post>{}`, "POST /shop/cart"},
		{"no CDATA in html in svg", `<svg><desc><p><![CDATA[><form method=post>{}]]>`, "POST /shop/cart"},
		{"almost CDATA", `<svg><![CDATa[></svg><form method=post>{}]]>`, "POST /shop/cart"},
		{"svg closed at once, behind an attribute", `<svg a="b"/><form method=post>{}`, "POST /shop/cart"},
		{"svg closed at once, with a blank", `<svg a=b / ><form method=post></svg><svg a /><form method=post>{}`, "POST /shop/cart"},
		{"slash that is a value", `<svg a=b/><form method=post></svg>`, ""},
		{"html in svg closed at once", `<svg><foreignObject/><form method=post><desc a='b'/><form method=post></svg>`, ""},
		{"html in a title of svg", `<svg><title><form method=post>{}</form></title><desc><form method=post>{}`, "POST /shop/cart POST /shop/cart"},
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

// Contract §6: a field of that name met later in the form gets the same key as its value.
func TestGivesFieldOfOurNameTheKey(t *testing.T) {
	const form = `<form method=post>`
	tests := []struct{ why, field, want string }{
		{"quoted", `<input type=hidden name="idempotency_key" value="old" x>`, `<input type=hidden name="idempotency_key" value="ik_1" x>`},
		{"single quotes, value first", `<INPUT VALUE='old' NAME='idempotency_key'>`, `<INPUT VALUE='ik_1' NAME='idempotency_key'>`},
		{"unquoted, slash", `<input name=idempotency_key value=old/>`, `<input name=idempotency_key value="ik_1">`},
		{"no value", `<input name=idempotency_key/ >`, `<input name=idempotency_key/ >`},
		{"no value at all", `<input name="idempotency_key"/>`, `<input value="ik_1" name="idempotency_key"/>`},
		{"value without =", `<input value name=idempotency_key>`, `<input value="ik_1" name=idempotency_key>`},
		{"empty value", `<input name=idempotency_key value=>`, `<input name=idempotency_key value="ik_1">`},
		{"empty value, quoted", `<input name=idempotency_key value="">`, `<input name=idempotency_key value="ik_1">`},
		{"name with references", `<input name="idempotency&#95;&#x6B;ey" value=x>`, `<input name="idempotency&#95;&#x6B;ey" value="ik_1">`},
		{"first value counts", `<input name=idempotency_key value=a value=b>`, `<input name=idempotency_key value="ik_1" value=b>`},
		{"first name counts", `<input name=a name=idempotency_key value=b>`, `<input name=a name=idempotency_key value=b>`},
		{"names have a letter case", `<input name=Idempotency_Key value=b>`, `<input name=Idempotency_Key value=b>`},
		{"a field of another form", `<input form=other name=idempotency_key value=b>`, `<input form=other name=idempotency_key value=b>`},
		{"behind the form", `</form><input name=idempotency_key value=b>`, `</form><input name=idempotency_key value=b>`},
		{"in a template", `<template><input name=idempotency_key value=b></template>`, `<template><input name=idempotency_key value=b></template>`},
		{"behind the end of a form in it", `<form></form><input name=idempotency_key value=b>`, `<form></form><input name=idempotency_key value=b>`},
		{"not in a textarea", `<textarea><input name=idempotency_key value=b></textarea>`, `<textarea><input name=idempotency_key value=b></textarea>`},
	}
	for _, tt := range tests {
		for _, size := range []int{0, 1, 5} {
			n, _ := counting("/")
			got, _ := inject(n, form+tt.field, size)
			if want := form + input("ik_1") + tt.want; got != want {
				t.Errorf("%s: in chunks of %d:\n got %s\nwant %s", tt.why, size, got, want)
			}
		}
	}
	n, _ := counting("/")
	page := `<form method=post id=f data-idempotency=off><input name=idempotency_key value=b></form><form><input name=idempotency_key value=b>`
	if got, _ := inject(n, page, 0); got != page {
		t.Errorf("forms without our key:\n got %s\nwant %s", got, page)
	}
	n, _ = counting("/")
	page = `<form method=post id=f><input form=f name=idempotency_key value="b">`
	if got, _ := inject(n, page, 0); !strings.HasSuffix(got, `<input form=f name=idempotency_key value="ik_1">`) {
		t.Errorf("a field that names its own form: %s; want the key as its value", got)
	}
}

// Contract §2: an origin that renders its own values keeps them under the rule mint = "origin".
func TestKeepsKeysOfTheOrigin(t *testing.T) {
	n, calls := counting("/")
	n.Keep = func(method, path string) bool { return method == "POST" && path == "/theirs" }
	const theirs = `<form method=post action=/theirs><input name=idempotency_key value=theirs></form>`
	got, j := inject(n, theirs+`<form method=post action=/ours></form>`, 0)
	if want := theirs + `<form method=post action=/ours>` + input("ik_1") + `</form>`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(*calls) != 1 || j.Keyed() != 2 {
		t.Errorf("Mint was called %d times, Keyed() = %d; want 1, 2", len(*calls), j.Keyed())
	}
}

// Contract §7: form actions at the origin's own host are rewritten to the visitor's.
func TestRewritesActionsAtTheOrigin(t *testing.T) {
	tests := []struct{ why, page, want string }{
		{"action", `<form method=post action="http://127.0.0.1:3000/o?a=1">`, `<form method=post action="https://shop.example/o?a=1">{POST /o}`},
		{"host alone", `<form method=post action=http://127.0.0.1:3000>`, `<form method=post action=https://shop.example>{POST /}`},
		{"a form that is only read", `<form action='http://127.0.0.1:3000/s'>`, `<form action='https://shop.example/s'>`},
		{"protocol-relative", `<form method=post action="//127.0.0.1:3000/o">`, `<form method=post action="https://shop.example/o">{POST /o}`},
		{"references and white space", `<form method=post action=" http&colon;&#47;/127.0.0.1&#58;3000&sol;o">`, `<form method=post action="https://shop.example&sol;o">{POST /o}`},
		{"upper case", `<form method=post action="HTTP://127.0.0.1:3000/O">`, `<form method=post action="https://shop.example/O">{POST /O}`},
		{"formaction", `<button formaction="http://127.0.0.1:3000/o"><input FormAction=http://127.0.0.1:3000/o>`, `<button formaction="https://shop.example/o"><input FormAction=https://shop.example/o>`},
		{"hx-post on a button", `<button hx-post="http://127.0.0.1:3000/o">`, `<button hx-post="https://shop.example/o">`},
		{"data-hx-delete", `<a data-hx-delete="http://127.0.0.1:3000/o">`, `<a data-hx-delete="https://shop.example/o">`},
		{"hx-get of a form", `<form hx-get=http://127.0.0.1:3000/o>`, `<form hx-get=https://shop.example/o>`},
		{"hx-post of a form", `<form hx-post="http://127.0.0.1:3000/o">`, `<form hx-post="https://shop.example/o">{POST /o}`},
		{"second of two", `<form method=post action=/a action="http://127.0.0.1:3000/o">`, `<form method=post action=/a action="http://127.0.0.1:3000/o">{POST /a}`},
		{"both", `<form method=post hx-post=http://127.0.0.1:3000/a action=http://127.0.0.1:3000/b>`, `<form method=post hx-post=https://shop.example/a action=https://shop.example/b>{POST /a}`},
		{"field and place in one tag", `<form method=post><input name=idempotency_key formaction=http://127.0.0.1:3000/ value=x>`, `<form method=post>{POST /}<input name=idempotency_key formaction=https://shop.example/ value="ik_1">`},
		{"another port", `<form method=post action="http://127.0.0.1:3001/o">`, `<form method=post action="http://127.0.0.1:3001/o">`},
		{"links stay", `<a href="http://127.0.0.1:3000/o">`, `<a href="http://127.0.0.1:3000/o">`},
		{"text stays", `http://127.0.0.1:3000/ <p title="http://127.0.0.1:3000/">`, `http://127.0.0.1:3000/ <p title="http://127.0.0.1:3000/">`},
		{"templates stay", `<template><form action=http://127.0.0.1:3000/></template>`, `<template><form action=http://127.0.0.1:3000/></template>`},
		{"base", `<base href="http://127.0.0.1:3000/app/"><form method=post action=o>`, `<base href="https://shop.example/app/"><form method=post action=o>{POST /app/o}`},
	}
	for _, tt := range tests {
		for _, size := range []int{0, 1, 5} {
			n, calls := counting("/")
			n.Upstream = "http://127.0.0.1:3000"
			got, j := inject(n, tt.page, size)
			want, asked := tt.want, ""
			if i := strings.IndexByte(want, '{'); i >= 0 {
				k := strings.IndexByte(want, '}')
				asked = want[i+1 : k]
				want = want[:i] + input("ik_1") + want[k+1:]
			}
			if got != want {
				t.Errorf("%s: in chunks of %d:\n got %s\nwant %s", tt.why, size, got, want)
			}
			if j.Changed() != (got != tt.page) {
				t.Errorf("%s: Changed() = %v; want %v", tt.why, j.Changed(), got != tt.page)
			}
			if asked != "" && (len(*calls) != 1 || (*calls)[0].Method+" "+(*calls)[0].Path != asked) {
				t.Errorf("%s: Mint was asked for %v; want %s", tt.why, *calls, asked)
			}
		}
	}
	n, _ := counting("/")
	n.Upstream = "https://app.internal"
	if got, _ := inject(n, `<form method=post action="http://app.internal/o">`, 0); !strings.HasPrefix(got, `<form method=post action="https://shop.example/o"><input`) {
		t.Errorf("an origin that does not know of its TLS: %s; want its action on the visitor's side", got)
	}
}

func TestPutsScriptIntoHead(t *testing.T) {
	const script = `<script src="/_singleshot/singleshot.js" defer></script>`
	tests := []struct{ why, page string }{ // {} is where the script goes
		{"head", `<!doctype html><html lang=en><head data-x>{}<meta charset=utf-8><title>x</title></head><body>`},
		{"head, upper case", "\xef\xbb\xbf<!-- x --> <!DOCTYPE html>\n<HTML>\n<HEAD>{}</HEAD>"},
		{"head alone", `<head>{}</head>`},
		{"no head", `<!doctype html>{}<title>x</title><p>`},
		{"no head, html", "<html> <!-- x -->\n{}<body>"},
		{"no head, text", "<!doctype html>\n {}text<head>"},
		{"head that only ends", "<html>{}</head>"},
		{"fragment", `<div><head></head></div>`},
		{"fragment of text", `x<!doctype html><html><head>`},
		{"comment only", `<!-- <head> -->`},
		{"nothing", ``},
		{"no tag", `<!doctype html>`},
	}
	for _, tt := range tests {
		for _, size := range []int{0, 1, 4} {
			n, _ := counting("/")
			n.Script = script
			page := strings.ReplaceAll(tt.page, "{}", "")
			got, j := inject(n, page, size)
			if want := strings.ReplaceAll(tt.page, "{}", script); got != want {
				t.Errorf("%s: in chunks of %d:\n got %s\nwant %s", tt.why, size, got, want)
			}
			if j.Changed() != (got != page) || j.Keyed() != 0 {
				t.Errorf("%s: Changed() = %v, Keyed() = %d; want %v, 0", tt.why, j.Changed(), j.Keyed(), got != page)
			}
		}
	}
	n, _ := counting("/")
	n.Script, n.Nonce = script, `a"b&c=`
	got, _ := inject(n, `<head>`, 0)
	if want := `<head><script nonce="a&quot;b&amp;c=" src="/_singleshot/singleshot.js" defer></script>`; got != want {
		t.Errorf("with a nonce: %s; want %s", got, want)
	}
	n.Turbo = true
	if got, _ := inject(n, `<head>`, 0); got != `<head>` {
		t.Errorf("in a turbo stream: %s; want no script", got)
	}
}

// Contract §1: a 200 html answer that redisplays the form with errors contains aria-invalid="true", or one of
// the class names in the rule's redisplay.
func TestSeesRedisplayedForm(t *testing.T) {
	tests := []struct {
		why, page string
		want      bool
	}{
		{"aria-invalid", `<input aria-invalid="true">`, true},
		{"aria-invalid, upper case, unquoted", `<SELECT ARIA-INVALID=TRUE>`, true},
		{"aria-invalid of something else", `<div x=1 aria-invalid='true'>`, true},
		{"aria-invalid, false", `<input aria-invalid="false">`, false},
		{"aria-invalid, without value", `<input aria-invalid>`, false},
		{"class", `<input class="form-control is-invalid">`, true},
		{"class, one of two", "<p class='\n field_with_errors\t'>", true},
		{"class, part of a name", `<input class="not-is-invalid is-invalid2">`, false},
		{"class, references", `<input class="is&#45;invalid">`, true},
		{"class, second of two", `<input class=a class=is-invalid>`, false},
		{"text", `aria-invalid="true" class="is-invalid"`, false},
		{"attribute's value", `<p title='aria-invalid="true"'>`, false},
		{"script", `<script>'<input aria-invalid="true">'</script>`, false},
		{"comment", `<!-- <input aria-invalid="true"> -->`, false},
		{"template", `<template><input aria-invalid="true"></template>`, false},
		{"turbo's template", `<turbo-stream><template><input aria-invalid="true"></template>`, true},
		{"end tag", `</p aria-invalid="true">`, false},
		{"in svg", `<svg><g aria-invalid="true">`, true},
	}
	for _, tt := range tests {
		for _, size := range []int{0, 1, 4, 9} {
			n, _ := counting("/")
			n.Redisplay = []string{"is-invalid", "field_with_errors", ""}
			got, j := inject(n, tt.page, size)
			if got != tt.page || j.Redisplayed() != tt.want {
				t.Errorf("%s: in chunks of %d: Redisplayed() = %v, output %s; want %v and the page", tt.why, size, j.Redisplayed(), got, tt.want)
			}
		}
	}
	n, _ := counting("/")
	if _, j := inject(n, `<input class=is-invalid>`, 0); j.Redisplayed() {
		t.Error("class without a rule: Redisplayed() = true; want false")
	}
}

// Contract §6: in text/vnd.turbo-stream.html inside <turbo-stream><template>.
func TestKeysTurboStreams(t *testing.T) {
	n, _ := counting("/")
	n.Turbo = true
	const page = `<form method=post></form><turbo-stream action="replace"><template><div><form method=post>{}</form></div><template><form method=post></template></template></turbo-stream>` +
		`<turbo-stream action="remove"></turbo-stream><template><form method=post></template>`
	got, _ := inject(n, strings.ReplaceAll(page, "{}", ""), 0)
	if want := strings.ReplaceAll(page, "{}", input("ik_1")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Contract §6: the first byte is not held back, memory does not grow with the page.
func TestHoldsBackOneTagAtMost(t *testing.T) {
	n, _ := counting("/")
	j := NewInjector(n)
	in, out := 0, 0
	write := func(s string) {
		in += len(s)
		out += len(j.Write(nil, []byte(s)))
	}
	for _, s := range []string{"text", "<!-- comment", " -->", "<script>", "var a = '<", "/script", "</script>", "<p class='a'>"} {
		write(s)
		if out != in {
			t.Errorf("behind %q: %d of %d bytes came out; want all", s, out, in)
		}
	}
	write("<p title='")
	if in-out != len("<p title='") {
		t.Errorf("in a tag: %d bytes held back; want the tag", in-out)
	}
	for range 1000 {
		write(strings.Repeat("x", 1000))
		if in-out > longestTag || cap(j.held) > 4*longestTag {
			t.Fatalf("in a tag of %d bytes: %d held back, room for %d", in, in-out, cap(j.held))
		}
	}
	for range 100_000 {
		j.Write(nil, []byte("'><template><svg><g><foreignObject><b><turbo-stream><form method=post>"))
	}
	if len(j.outer) > deepest || len(j.tree) > deepestTree {
		t.Errorf("nested 100,000 deep: %d templates, %d elements kept; want at most %d, %d", len(j.outer), len(j.tree), deepest, deepestTree)
	}
}
