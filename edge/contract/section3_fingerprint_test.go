//go:build unix

package contract_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	whyEqual  = "Equal for every encoding of the same submission"
	whyDiffer = "different for every different one"
)

// payload is a body of a request, with its media type.
type payload struct{ media, body string }

const urlencodedMedia = "application/x-www-form-urlencoded"

// parts is a multipart body. Each part is its header lines, a blank line, and its content.
func parts(boundary string, all ...string) payload {
	var b strings.Builder
	for _, p := range all {
		b.WriteString("--" + boundary + "\r\n" + p + "\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return payload{"multipart/form-data; boundary=" + boundary, b.String()}
}

// part is one part without a file.
func part(name, value string) string {
	return `Content-Disposition: form-data; name="` + name + `"` + "\r\n\r\n" + value
}

// filePart is one part with a file.
func filePart(name, file, media, content string) string {
	return `Content-Disposition: form-data; name="` + name + `"; filename="` + file + `"` + "\r\nContent-Type: " + media + "\r\n\r\n" + content
}

func TestFingerprint(t *testing.T) {
	g := shared(t)
	form := func(s string) payload { return payload{urlencodedMedia, s} }
	cases := []struct {
		name          string
		first, second payload // KEY stands for the key
		equal         bool
		why           string
	}{
		{"space as + and %20", form("idempotency_key=KEY&a=b+c"), form("idempotency_key=KEY&a=b%20c"), true, "field encoding (+, %20)"},
		{"needless escapes", form("idempotency_key=KEY&a=b"), form("idempotency_key=KEY&%61=%62"), true, whyEqual},
		{"lower-case escapes", form("idempotency_key=KEY&a=%C3%A9"), form("idempotency_key=KEY&a=%c3%a9"), true, whyEqual},
		{"order of fields", form("idempotency_key=KEY&a=1&b=2"), form("b=2&a=1&idempotency_key=KEY"), true, "the order of differently named fields do not count"},
		{"order of equal names", form("idempotency_key=KEY&a=1&a=2"), form("idempotency_key=KEY&a=2&a=1"), false, "the order of equal names does"},
		{"CRLF and LF", form("idempotency_key=KEY&a=1%0D%0A2"), form("idempotency_key=KEY&a=1%0A2"), true, "CR, LF and CRLF in values are one newline"},
		{"CR and LF", form("idempotency_key=KEY&a=1%0D2"), form("idempotency_key=KEY&a=1%0A2"), true, "CR, LF and CRLF in values are one newline"},
		{"two newlines are not one", form("idempotency_key=KEY&a=1%0A%0A2"), form("idempotency_key=KEY&a=1%0A2"), false, whyDiffer},
		{"a label of the charset", form("idempotency_key=KEY&a=1"), payload{"application/x-www-form-urlencoded;charset=UTF-8", "idempotency_key=KEY&a=1"}, true, "charset label"},
		{"_charset_", form("idempotency_key=KEY&a=1&_charset_=UTF-8"), form("idempotency_key=KEY&a=1&_charset_="), true, "left out: … _charset_"},
		{"a value", form("idempotency_key=KEY&a=1"), form("idempotency_key=KEY&a=2"), false, whyDiffer},
		{"a name", form("idempotency_key=KEY&a=1"), form("idempotency_key=KEY&b=1"), false, whyDiffer},
		{"a field more", form("idempotency_key=KEY&a=1"), form("idempotency_key=KEY&a=1&b="), false, whyDiffer},
		{"a field twice", form("idempotency_key=KEY&a=1"), form("idempotency_key=KEY&a=1&a=1"), false, whyDiffer},
		{"values that only look alike when joined", form("idempotency_key=KEY&a=1%26b%3D2"), form("idempotency_key=KEY&a=1&b=2"), false, whyDiffer},
		{"letter case", form("idempotency_key=KEY&a=x"), form("idempotency_key=KEY&a=X"), false, whyDiffer},
		{"a plus sign", form("idempotency_key=KEY&a=1%2B1"), form("idempotency_key=KEY&a=1+1"), false, whyDiffer},

		{"urlencoded and multipart", form("idempotency_key=KEY&a=b+c&a=2"), parts("xx", part("idempotency_key", "KEY"), part("a", "b c"), part("a", "2")), true, whyEqual},
		{"the boundary", parts("one", part("idempotency_key", "KEY"), part("a", "1")), parts("two-two", part("idempotency_key", "KEY"), part("a", "1")), true, "boundary"},
		{"a quoted boundary", parts("one", part("idempotency_key", "KEY"), part("a", "1")),
			payload{`multipart/form-data; boundary="t:w o"`, "--t:w o\r\n" + part("a", "1") + "\r\n--t:w o\r\n" + part("idempotency_key", "KEY") + "\r\n--t:w o--"}, true, "boundary"},
		{"part headers", parts("xx", part("idempotency_key", "KEY"), part("a", "1")),
			parts("xx", part("idempotency_key", "KEY"), "Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=a\r\n\r\n1"), true, "part headers"},
		{"an empty file part", parts("xx", part("idempotency_key", "KEY"), part("a", "1"), filePart("up", "", "application/octet-stream", "")),
			parts("xx", part("idempotency_key", "KEY"), part("a", "1")), true, "left out: … empty file parts"},
		{"an escaped quote in a name", form("idempotency_key=KEY&a%22b=1"), parts("xx", part("idempotency_key", "KEY"), part("a%22b", "1")), true, "%22, %0D, %0A in multipart names are decoded as browsers encode them"},

		{"the same file", parts("xx", part("idempotency_key", "KEY"), filePart("up", "a.bin", "application/octet-stream", "\x00\xff\r\n\xfe")),
			parts("yy", filePart("up", "a.bin", "application/octet-stream", "\x00\xff\r\n\xfe"), part("idempotency_key", "KEY")), true, "files count by name of field, file name and digest of the content"},
		{"bytes of a file that are not UTF-8", parts("xx", part("idempotency_key", "KEY"), filePart("up", "a.bin", "image/png", "\x80\x81")),
			parts("xx", part("idempotency_key", "KEY"), filePart("up", "a.bin", "image/png", "\xff\xfe")), false, "files count by … digest of the content"},
		{"newlines in a file", parts("xx", part("idempotency_key", "KEY"), filePart("up", "a.txt", "text/plain", "1\r\n2")),
			parts("xx", part("idempotency_key", "KEY"), filePart("up", "a.txt", "text/plain", "1\n2")), false, "files count by … digest of the content"},
		{"a file's name", parts("xx", part("idempotency_key", "KEY"), filePart("up", "a.txt", "text/plain", "1")),
			parts("xx", part("idempotency_key", "KEY"), filePart("up", "b.txt", "text/plain", "1")), false, "files count by … file name"},
		{"a file and a value", parts("xx", part("idempotency_key", "KEY"), filePart("up", "a.txt", "text/plain", "1")),
			parts("xx", part("idempotency_key", "KEY"), part("up", "1")), false, whyDiffer},
		{"a name that only contains csrf", form("idempotency_key=KEY&my_csrf_note=1"), form("idempotency_key=KEY&my_csrf_note=2"), false, whyDiffer},
	}
	for _, name := range []string{"_csrf", "csrf", "csrf_token", "_csrf_token", "authenticity_token", "csrfmiddlewaretoken",
		"__RequestVerificationToken", "_token", "_wpnonce", "form_token", "form_build_id", "form_key", "javax.faces.ViewState",
		"__VIEWSTATE", "__EVENTVALIDATION", "g-recaptcha-response", "h-captcha-response", "cf-turnstile-response", "stripeToken"} {
		cases = append(cases, struct {
			name          string
			first, second payload
			equal         bool
			why           string
		}{name, form("idempotency_key=KEY&a=1&" + name + "=one&user%5B" + name + "%5D=three"),
			form("idempotency_key=KEY&a=1&" + name + "=two"), true, "left out: … whole or as last segment of a[b], CSRF and per-click tokens"})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			send := func(p payload) *reply {
				return f.v.post(r.path, htmx, p.media, strings.ReplaceAll(p.body, "KEY", f.key()))
			}
			first := send(c.first).must("fresh key", wants{status: 200, outcome: "created"})
			second := send(c.second)
			if c.equal {
				second.must(c.why, wants{outcome: "replayed", replay: true}).same(c.why, first)
			} else {
				second.must(c.why, wants{status: 422, outcome: "mismatch"})
			}
			r.mustRun(t, c.why, 1)
		})
	}
}

func TestFingerprintOfTheSameFormFromBrowserAndHtmx(t *testing.T) {
	g := shared(t)
	// One form as the four send it: order, button, newlines and empty files differ (measured in Chromium).
	bodies := map[string]payload{
		"browser":   {urlencodedMedia, "z=1&idempotency_key=KEY&c=x&act=save&m=a%21+b&c=y&note=l1%0D%0Al2&10=j&2=k&_charset_=UTF-8&q.dir=ltr"},
		"htmx 2":    {urlencodedMedia, "z=1&idempotency_key=KEY&c=x&m=a!%20b&c=y&note=l1%0Al2&10=j&2=k&_charset_=UTF-8&q.dir=ltr&act=save"},
		"htmx 4":    {urlencodedMedia + ";charset=UTF-8", "z=1&idempotency_key=KEY&c=x&m=a%21+b&c=y&note=l1%0Al2&10=j&2=k&_charset_=UTF-8&q.dir=ltr&act=save"},
		"htmx 1.9":  {urlencodedMedia, "2=k&10=j&z=1&idempotency_key=KEY&c=x&c=y&m=a!%20b&note=l1%0Al2&_charset_=&q.dir=ltr&act=save"},
		"multipart": parts("----WebKitFormBoundaryx", part("z", "1"), part("idempotency_key", "KEY"), part("c", "x"), part("act", "save"), part("m", "a! b"), part("c", "y"), part("note", "l1\r\nl2"), part("10", "j"), part("2", "k"), part("_charset_", "UTF-8"), part("q.dir", "ltr"), filePart("up", "", "application/octet-stream", "")),
	}
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	send := func(name string, m mode) *reply {
		return f.v.post(r.path, m, bodies[name].media, strings.ReplaceAll(bodies[name].body, "KEY", f.key()))
	}
	first := send("browser", htmx).must("fresh key", wants{outcome: "created"})
	for name := range bodies {
		send(name, htmx).must(whyEqual+": "+name, wants{outcome: "replayed", replay: true}).same(whyEqual, first)
	}
	r.mustRun(t, whyEqual, 1)
}

func TestTheQueryIsInTheFingerprint(t *testing.T) {
	g := shared(t)
	const why = "Method, path, query, and the fields."
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	alice, mallory := f.clone(), f.clone()
	alice.query, mallory.query = "?to=alice", "?to=mallory"
	alice.submit(browser).must(why, wants{outcome: "created"})
	alice.submit(browser).must(why, wants{outcome: "replayed", replay: true})
	p := mallory.submit(asJSON).must(why, wants{status: 422, outcome: "mismatch", problem: "mismatch"}).problem()
	if len(p.Differs) != 0 || p.Differs == nil || !p.Query {
		t.Errorf("differs = %v, query = %v; want none and true\n\t(empty with \"query\": true where only the query differs)", p.Differs, p.Query)
	}
	r.mustRun(t, why, 1)
}

func TestIgnoredFieldsOfARule(t *testing.T) {
	g := shared(t)
	const why = "left out: … and the rule's ignore"
	r := g.origin.route("/tuned/")
	f := g.visitor(t).render(r)
	f.submit(htmx).must(why, wants{outcome: "created"})
	f.add("receipt", "1001").submit(htmx).must(why, wants{outcome: "replayed", replay: true})
	f.add("receipt", "1001").upload(htmx, "b").must(why, wants{outcome: "replayed", replay: true})
	f.add("receipts", "1001").submit(htmx).must(whyDiffer, wants{status: 422, outcome: "mismatch"})
	r.mustRun(t, why, 1)
}

func TestFingerprintOfJSON(t *testing.T) {
	g := shared(t)
	const by = "JSON bodies: by value (member order and white space do not count, numbers by their exact text)"
	for _, c := range []struct {
		name, first, second string
		equal               bool
	}{
		{"white space", `{"a":1,"b":[1,2]}`, "{ \"a\" : 1 ,\n\"b\" : [ 1 , 2 ] }\n", true},
		{"order of members", `{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, true},
		{"escapes in strings", `{"a":"é/"}`, `{"a":"\u00e9\/"}`, true},
		{"order of elements", `{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{"a number's text", `{"a":1}`, `{"a":1.0}`, false},
		{"a number and a string", `{"a":1}`, `{"a":"1"}`, false},
		{"null and absent", `{"a":null}`, `{}`, false},
		{"a token at the top", `{"a":1,"csrf_token":"x"}`, `{"a":1,"csrf_token":"y"}`, true},
		{"a token below the top", `{"a":{"csrf_token":"x"}}`, `{"a":{"csrf_token":"y"}}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/api/", created)
			v := g.visitor(t)
			v.call(r.path, "0123456789abcdef", c.first).must("fresh key", wants{status: 201, outcome: "created"})
			second := v.call(r.path, "0123456789abcdef", c.second)
			if c.equal {
				second.must(by, wants{outcome: "replayed", replay: true})
			} else {
				second.must(by, wants{status: 422, outcome: "mismatch"})
			}
			r.mustRun(t, by, 1)
		})
	}
	t.Run("any other body", func(t *testing.T) {
		t.Parallel()
		const why = "any other body: by its bytes and media type"
		r := g.origin.route("/api/", created)
		v := g.visitor(t)
		send := func(media, body string) *reply {
			return v.post(r.path, asJSON, media, body, "Authorization", "Bearer alice", "Idempotency-Key", "0123456789abcdef")
		}
		send("text/plain", "a\r\nb").must(why, wants{outcome: "created"})
		send("text/plain", "a\r\nb").must(why, wants{outcome: "replayed", replay: true})
		send("text/plain", "a\nb").must(why, wants{status: 422, outcome: "mismatch"})
		send("text/csv", "a\r\nb").must(why, wants{status: 422, outcome: "mismatch"})
		r.mustRun(t, why, 1)
	})
}

func TestMalformedBodyIs400(t *testing.T) {
	g := shared(t)
	const why = "bad-body 400 … nothing is lost and the key stays live"
	for name, p := range map[string]payload{
		"multipart that never ends":   {"multipart/form-data; boundary=xx", "--xx\r\n" + part("idempotency_key", "KEY") + "\r\n--xx\r\n" + part("a", "1")},
		"multipart without boundary":  {"multipart/form-data", "--xx\r\n" + part("idempotency_key", "KEY") + "\r\n--xx--\r\n"},
		"multipart of another sort":   {"multipart/form-data; boundary=yy", "--xx\r\n" + part("idempotency_key", "KEY") + "\r\n--xx--\r\n"},
		"a part without a name":       parts("xx", part("idempotency_key", "KEY"), "Content-Disposition: form-data\r\n\r\n1"),
		"a part without a blank line": {"multipart/form-data; boundary=xx", "--xx\r\n" + part("idempotency_key", "KEY") + "\r\n--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n--xx--\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/required/")
			f := g.visitor(t).render(r)
			got := f.v.post(r.path, asJSON, p.media, strings.ReplaceAll(p.body, "KEY", f.key()))
			got.must(why, wants{status: 400, outcome: "refused"})
			r.mustRun(t, why, 0)
			f.submit(browser).must("the key stays live", wants{status: 200, outcome: "created"})
		})
	}
	t.Run("JSON cut short", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/api/", created)
		v := g.visitor(t)
		v.call(r.path, "0123456789abcdef", `{"a":`).must(why, wants{status: 400, outcome: "refused", problem: "bad-body"})
		r.mustRun(t, why, 0)
		v.call(r.path, "0123456789abcdef", `{"a":1}`).must("the key stays live", wants{status: 201, outcome: "created"})
	})
}

func TestOversizeIs413AndTheKeyStaysLive(t *testing.T) {
	g := shared(t)
	const why = "max_body … bytes of a guarded request; …; more: 413, key live"
	big := strings.Repeat("x", 3000)
	for _, chunked := range []bool{false, true} {
		t.Run(fmt.Sprintf("chunked=%v", chunked), func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/small/")
			f := g.visitor(t).render(r)
			q := f.add("note", big).request(asJSON)
			if chunked {
				q.stream, q.length, q.body = bytes.NewReader(q.body), -1, nil
			}
			f.v.send(q).must(why, wants{status: 413, outcome: "refused", problem: "too-large"})
			f.add("note", big).upload(browser, "b").must(why, wants{status: 413, outcome: "refused", has: []string{"<!doctype html"}})
			r.mustRun(t, why, 0)
			f.add("note", "short").submit(browser).must(why, wants{status: 200, outcome: "created"})
		})
	}
}

// noise is a file of n bytes, the same for the same seed.
func noise(n int64, seed int64) io.Reader { return io.LimitReader(rand.New(rand.NewSource(seed)), n) }

// uploadOf is a large multipart request: the form's fields, and a file of n random bytes at the end.
func uploadOf(f *form, n, seed int64, chunked bool) request {
	head := f.multipart("largeupload")
	head = bytes.TrimSuffix(head, []byte("--largeupload--\r\n"))
	head = append(head, "--largeupload\r\nContent-Disposition: form-data; name=\"scan\"; filename=\"scan.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n"...)
	tail := "\r\n--largeupload--\r\n"
	q := request{method: http.MethodPost, path: f.action, mode: browser,
		stream: io.MultiReader(bytes.NewReader(head), noise(n, seed), strings.NewReader(tail)), length: int64(len(head)) + n + int64(len(tail)),
		header: []string{"Content-Type", "multipart/form-data; boundary=largeupload"}}
	if chunked {
		q.length = -1
	}
	return q
}

// after is a body that ends, with nothing in it, when the gate opens.
func after(gate <-chan struct{}) io.Reader {
	return readerFunc(func([]byte) (int, error) { <-gate; return 0, io.EOF })
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestLargeUploads(t *testing.T) {
	g := shared(t)
	const why = "a body over 1 MiB is not collected: the claim is made as soon as the key is read, the body streams on with its Content-Length while it is hashed, the fingerprint joins at the commit"
	const size = 5 << 20
	t.Run("replay and mismatch", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		first := f.v.send(uploadOf(f, size, 1, false)).must(why, wants{status: 200, outcome: "created"})
		got := r.got()
		if len(got) != 1 {
			t.Fatalf("the origin ran %d times; want 1", len(got))
		}
		want, _ := io.ReadAll(uploadOf(f, size, 1, false).stream)
		if !bytes.Equal(got[0].body, want) {
			t.Errorf("the origin got %d bytes that differ from the %d sent", len(got[0].body), len(want))
		}
		if got[0].length != int64(len(want)) {
			t.Errorf("Content-Length at the origin = %d; want %d\n\t(the body streams on with its Content-Length)", got[0].length, len(want))
		}
		f.v.send(uploadOf(f, size, 1, false)).must("a duplicate waits before its body is read, then hashes and compares", wants{outcome: "replayed", replay: true}).same(why, first)
		f.v.send(uploadOf(f, size, 2, false)).must("then hashes and compares", wants{status: 422, outcome: "mismatch"})
		f.submit(browser).must("a small body against a large one", wants{status: 422, outcome: "mismatch"})
		r.mustRun(t, why, 1)
	})
	t.Run("chunked", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		first := f.v.send(uploadOf(f, size, 1, true)).must(why, wants{status: 200, outcome: "created"})
		f.v.send(uploadOf(f, size, 1, false)).must(why, wants{outcome: "replayed", replay: true}).same(why, first)
		r.mustRun(t, why, 1)
	})
	t.Run("a duplicate in flight", func(t *testing.T) {
		t.Parallel()
		open := newGate(t)
		r := g.origin.route("/", held(open.c, order))
		f := g.visitor(t).render(r)
		first := f.v.sending(uploadOf(f, size, 1, false))
		r.await(t, 1)
		second := f.v.sending(uploadOf(f, size, 1, false))
		second.unanswered("a duplicate waits before its body is read", grace)
		open.open()
		one := first.ended().must(why, wants{status: 200, outcome: "created"})
		second.ended().must(why, wants{outcome: "replayed", replay: true}).same(why, one)
		r.mustRun(t, why, 1)
	})
	t.Run("a duplicate while the first is still being sent", func(t *testing.T) {
		t.Parallel()
		const why = "the claim is made as soon as the key is read"
		r := g.origin.route("/", func(x *turn) { io.Copy(io.Discard, x.request.Body); order(x) })
		r.early = true
		f := g.visitor(t).render(r)
		rest := newGate(t)
		q := uploadOf(f, size, 1, false)
		q.stream = io.MultiReader(io.LimitReader(q.stream, 2<<20), after(rest.c), q.stream)
		first := f.v.sending(q)
		r.await(t, 1) // the origin has the head and not the body
		second := f.v.sending(uploadOf(f, size, 1, false))
		second.unanswered(why, 2*grace)
		rest.open()
		one := first.ended().must(why, wants{status: 200, outcome: "created"})
		second.ended().must(why, wants{status: 200, outcome: "replayed", replay: true}).same(why, one)
		r.mustRun(t, why, 1)
	})
	t.Run("released, then the new run streams", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(422, "<p>Not a scan</p>"), order)
		f := g.visitor(t).render(r)
		f.v.send(uploadOf(f, size, 1, false)).must("422 validation", wants{status: 422, outcome: "released"})
		f.v.send(uploadOf(f, size, 2, false)).must("or streams as the new run", wants{status: 200, outcome: "created"})
		if got := r.got(); len(got) == 2 && len(got[1].body) < size {
			t.Errorf("the origin got %d bytes; want the whole upload", len(got[1].body))
		}
		r.mustRun(t, why, 2)
	})
	t.Run("20 MiB", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		first := f.v.send(uploadOf(f, 20<<20, 3, false)).must("Memory does not grow with the upload.", wants{status: 200, outcome: "created"})
		f.v.send(uploadOf(f, 20<<20, 3, false)).must(why, wants{outcome: "replayed", replay: true}).same(why, first)
		r.mustRun(t, why, 1)
	})
}

func TestAnUploadThatBreaksOffCanBeSentAgain(t *testing.T) {
	g := shared(t)
	const why = "Fail closed, lose nothing: an upload that breaks off leaves no claim that is renewed for ever, and under hold no doubt, for no whole request reached the origin"
	for _, path := range []string{"/", "/hold/"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route(path)
			f := g.visitor(t).render(r)
			broken := uploadOf(f, 3<<20, 1, false)
			broken.stream = io.MultiReader(io.LimitReader(broken.stream, 2<<20), iotest.ErrReader(errors.New("the network is gone")))
			if res, err := f.v.open(broken); err == nil {
				res.Body.Close()
			}
			again := f.v.send(uploadOf(f, 3<<20, 1, false)).must(why, wants{status: 200, outcome: "created"})
			f.v.send(uploadOf(f, 3<<20, 1, false)).must(why, wants{status: 200, outcome: "replayed", replay: true}).same(why, again)
		})
	}
}
