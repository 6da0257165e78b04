//go:build unix

package contract_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

func b64(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

func itoa(n int) string { return strconv.Itoa(n) }

// call is one request of an API client with its own key.
func (v *visitor) call(path, key, body string, headers ...string) *reply {
	v.t.Helper()
	h := []string{"Authorization", "Bearer alice"}
	if key != "" {
		h = append(h, "Idempotency-Key", key)
	}
	return v.post(path, asJSON, "application/json", body, append(h, headers...)...)
}

// created is what APIs answer.
var created = answer(201, `{"id":%d}`, "Content-Type", "application/json", "Location", "/orders/1001")

func TestClientKeysQuotedAndBare(t *testing.T) {
	g := shared(t)
	const why = "header (APIs): Idempotency-Key, quoted (structured-field string) or bare, 16 to 128 characters of A-Za-z0-9-_"
	for _, key := range []string{"0123456789abcdef", "7d1f9c2e-0000-4000-8000-000000000000", strings.Repeat("K_", 64)} {
		t.Run(itoa(len(key)), func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/api/", created)
			v := g.visitor(t)
			first := v.call(r.path, `"`+key+`"`, `{"amount":1}`).must(why, wants{status: 201, outcome: "created"})
			v.call(r.path, key, `{"amount":1}`).must(why, wants{status: 201, outcome: "replayed", replay: true}).same(why, first)
			v.call(r.path, `"`+key+`"`, ` { "amount" : 1 }`).must("JSON bodies: by value", wants{status: 201, outcome: "replayed", replay: true})
			p := v.call(r.path, key, `{"amount":2}`).must(why, wants{status: 422, outcome: "mismatch", problem: "mismatch"}).problem()
			if p.Record.Href != "/orders/1001" {
				t.Errorf("record = %+v; want the Location of the committed answer", p.Record)
			}
			r.mustRun(t, why, 1)
		})
	}
}

func TestClientKeysMissingOrMalformed(t *testing.T) {
	g := shared(t)
	const why = "Missing while required: 400; not of that form: 400."
	r := g.origin.route("/api/", created)
	v := g.visitor(t)
	v.call(r.path, "", `{}`).must(why, wants{status: 400, outcome: "refused", problem: "missing-key"})
	for name, key := range map[string]string{
		"15 characters": "0123456789abcde", "129 characters": strings.Repeat("k", 129), "a space": "0123456789 abcdef",
		"a dot": "0123456789.abcdef", "a colon": "urn:uuid:0123456789", "half quoted": `"0123456789abcdef`, "empty string": `""`,
		"quoted, escaped": `"0123456789\"abcdef"`, "latin-1": "0123456789abcdé\xe9f", "two keys": `"0123456789abcdef", "fedcba9876543210"`,
		"parameters": `"0123456789";a="bcdefg"`,
	} {
		t.Run(name, func(t *testing.T) {
			v.inTest(t).call(r.path, key, `{}`).must(why, wants{status: 400, outcome: "refused", problem: "bad-key"})
		})
	}
	r.mustRun(t, why, 0)
	open := g.origin.route("/api-open/", created)
	v.call(open.path, "", `{}`).must("A guarded form without a key: passes unguarded", wants{status: 201})
	v.call(open.path, "", `{}`).must("A guarded form without a key: passes unguarded", wants{status: 201})
	open.mustRun(t, "without a key: passes unguarded", 2)
	v.call(open.path, "short", `{}`).must(why, wants{status: 400, problem: "bad-key"})
	open.mustRun(t, why, 2)
}

func TestClientKeysBelongToTheirSubject(t *testing.T) {
	g := shared(t)
	const why = "The default subject is the Authorization value"
	r := g.origin.route("/api/", created)
	v := g.visitor(t)
	const key = "0123456789abcdef"
	v.call(r.path, key, `{}`).must(why, wants{outcome: "created", body: `{"id":1001}`})
	bob := v.post(r.path, asJSON, "application/json", `{}`, "Authorization", "Bearer bob", "Idempotency-Key", key)
	bob.must(why, wants{status: 201, outcome: "created"})
	if string(bob.body) == `{"id":1001}` {
		t.Errorf("Bob got Alice's answer\n\t(nobody sees another subject's answer)")
	}
	v.post(r.path, asJSON, "application/json", `{}`, "Idempotency-Key", key).
		must("a request without the subject that its rule names: 400", wants{status: 400, outcome: "refused", problem: "no-subject"})
	v.call(r.path, key, `{}`).must(why, wants{outcome: "replayed", replay: true, body: `{"id":1001}`})
}

func TestMethodsOfARule(t *testing.T) {
	g := shared(t)
	const why = "methods … default POST; PUT/PATCH/DELETE only when named; GET/HEAD/OPTIONS never"
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			v := g.visitor(t)
			send := func(r *route, key string) *reply {
				return v.send(request{method: method, path: r.path, mode: asJSON, body: []byte(`{"a":1}`),
					header: []string{"Content-Type", "application/json", "Authorization", "Bearer alice", "Idempotency-Key", key}})
			}
			named := g.origin.route("/api/", created)
			send(named, "0123456789abcdef").must(why, wants{outcome: "created"})
			send(named, "0123456789abcdef").must(why, wants{outcome: "replayed", replay: true})
			named.mustRun(t, why, 1)
			not := g.origin.route("/api-open/", created)
			send(not, "0123456789abcdef").must(why, wants{status: 201, outcome: "-"})
			send(not, "0123456789abcdef").must(why, wants{status: 201, outcome: "-"})
			not.mustRun(t, why, 2)
			if got := not.got()[0].header.Get("Idempotency-Key"); got != "0123456789abcdef" {
				t.Errorf("Idempotency-Key at the origin = %q; want the client's\n\t(elsewhere the client's passes)", got)
			}
		})
	}
	t.Run("an override is no method", func(t *testing.T) {
		t.Parallel()
		const why = "_method and X-HTTP-Method-Override enter the scope; methods of a rule and the digest of the form mean the HTTP method."
		r := g.origin.route("/api-open/", created) // POST alone
		v := g.visitor(t)
		v.call(r.path, "0123456789abcdef", `{}`, "X-HTTP-Method-Override", "DELETE").must(why, wants{outcome: "created"})
		v.call(r.path, "0123456789abcdef", `{}`, "X-HTTP-Method-Override", "DELETE").must(why, wants{outcome: "replayed", replay: true})
		v.call(r.path, "0123456789abcdef", `{}`).must(why, wants{outcome: "created"})
		r.mustRun(t, why, 2)
	})
	for _, method := range []string{"GET", "OPTIONS"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/api/", created)
			got := g.visitor(t).send(request{method: method, path: r.path, mode: asJSON})
			got.must(why, wants{outcome: "-"})
			if got.status == 400 {
				t.Errorf("%s = 400; want the origin's answer\n\t(%s)", method, why)
			}
		})
	}
}

func TestPutAndDeleteFormsOfARule(t *testing.T) {
	g := shared(t)
	const why = "put, patch, delete where a rule names them"
	r := g.origin.route("/updates/")
	r.page = htmlPage(`<form hx-put="` + r.path + `"><input name="amount" value="1"></form>`)
	f := g.visitor(t).render(r)
	f.action = r.path
	send := func(f *form) *reply {
		q := f.request(htmx)
		q.method = http.MethodPut
		return f.v.send(q)
	}
	send(f).must(why, wants{outcome: "created"})
	send(f).must(why, wants{outcome: "replayed", replay: true})
	r.mustRun(t, why, 1)
}

func TestWebhooksByTheSendersEvent(t *testing.T) {
	g := shared(t)
	const why = "header:NAME, json:/pointer (webhooks): the sender's event id … No subject, … bodies not compared unless compare = true: some senders change the body between attempts."
	t.Run("X-GitHub-Delivery", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/hooks/github/", answer(204, "", "X-Run", "%d"))
		send := func(id, body string) *reply {
			return g.visitor(t).post(r.path, bare, "application/json", body, "X-GitHub-Delivery", id, "X-Hub-Signature-256", "sha256="+body)
		}
		send("72d3162e-cc78-11e3-81ab-4c9367dc0958", `{"attempt":1}`).must(why, wants{status: 204, outcome: "created"})
		send("72d3162e-cc78-11e3-81ab-4c9367dc0958", `{"attempt":2}`).must(why, wants{status: 204, outcome: "replayed", replay: true})
		send("11111111-cc78-11e3-81ab-4c9367dc0958", `{"attempt":1}`).must(why, wants{status: 204, outcome: "created"})
		r.mustRun(t, why, 2)
		if got := r.got()[0]; string(got.body) != `{"attempt":1}` || got.header.Get("X-Hub-Signature-256") != `sha256={"attempt":1}` {
			t.Errorf("the origin got %q; want the sender's bytes and signature", got.body)
		}
		g.visitor(t).post(r.path, bare, "application/json", `{}`).must("without a key: passes unguarded", wants{status: 204})
		r.mustRun(t, "without a key: passes unguarded", 3)
	})
	t.Run("webhook-id, compared", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/hooks/standard/", answer(200, "ok"))
		send := func(body string) *reply {
			return g.visitor(t).post(r.path, bare, "application/json", body, "webhook-id", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", "webhook-timestamp", body)
		}
		send(`{"type":"invoice.paid"}`).must(why, wants{outcome: "created"})
		send(`{"type":"invoice.paid"}`).must(why, wants{outcome: "replayed", replay: true})
		send(`{"type":"invoice.void"}`).must(why, wants{status: 422, outcome: "mismatch"})
		r.mustRun(t, why, 1)
	})
	t.Run("json:/event/id", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/hooks/event/", answer(200, "ok"))
		send := func(body string) *reply {
			return g.visitor(t).post(r.path, bare, "application/json; charset=utf-8", body)
		}
		send(`{"event":{"id":"evt_1NG8Du2eZvKYlo2C","type":"a"},"try":1}`).must(why, wants{outcome: "created"})
		send(`{"try":2,"event":{"type":"a","id":"evt_1NG8Du2eZvKYlo2C"}}`).must(why, wants{outcome: "replayed", replay: true})
		send(`{"event":{"id":"evt_2"}}`).must(why, wants{outcome: "created"})
		r.mustRun(t, why, 2)
		send(`{"event":{}}`).must("Missing while required: 400", wants{status: 400, outcome: "refused"})
		send(`{"event":`).must("malformed body 400", wants{status: 400, outcome: "refused"})
		r.mustRun(t, why, 2)
	})
	t.Run("a sender is not kept waiting", func(t *testing.T) {
		t.Parallel()
		const why = "No subject, wait 5"
		open := newGate(t)
		r := g.origin.route("/hooks/github/", held(open.c, answer(200, "run %d")))
		q := request{method: "POST", path: r.path, body: []byte(`{}`), mode: asJSON, header: []string{"Content-Type", "application/json", "X-GitHub-Delivery", "33333333-cc78-11e3"}}
		first := g.visitor(t).sending(q)
		r.await(t, 1)
		late := g.visitor(t).send(q).must(why, wants{status: 503, outcome: "running", problem: "running"})
		if late.header.Get("Retry-After") == "" || late.took < 4*time.Second || late.took > 20*time.Second {
			t.Errorf("it waited %v, Retry-After %q; want about 5 s and a time to come again\n\t(%s)", late.took, late.header.Get("Retry-After"), why)
		}
		open.open()
		first.ended().must(why, wants{status: 200, outcome: "created"})
		r.mustRun(t, why, 1)
	})
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		open := newGate(t)
		r := g.origin.route("/hooks/github/", held(open.c, answer(200, "run %d")))
		send := func() *sending {
			v := g.visitor(t)
			return v.sending(request{method: "POST", path: r.path, body: []byte(`{}`), header: []string{
				"Content-Type", "application/json", "X-GitHub-Delivery", "22222222-cc78-11e3-81ab-4c9367dc0958"}})
		}
		first := send()
		r.await(t, 1)
		second := send().onItsWay()
		second.unanswered(whyWaits, grace)
		open.open()
		one := first.ended().must(why, wants{outcome: "created"})
		second.ended().must(why, wants{outcome: "replayed", replay: true}).same(why, one)
		r.mustRun(t, why, 1)
	})
}

func TestParallelCallsOfOneClientKeyRunOnce(t *testing.T) {
	g := shared(t)
	const why = "Keys that were not minted here live in 32 fixed shards of one region"
	r := g.origin.route("/api/", created)
	v := g.visitor(t)
	var all []*sending
	open := newGate(t)
	r.scripts = []script{held(open.c, created)}
	for range 10 {
		all = append(all, v.sending(request{method: "POST", path: r.path, mode: asJSON, body: []byte(`{"a":1}`), header: []string{
			"Content-Type", "application/json", "Authorization", "Bearer alice", "Idempotency-Key", "parallel-calls-0001"}}))
	}
	for _, s := range all {
		s.onItsWay()
	}
	r.await(t, 1)
	open.open()
	for _, s := range all {
		got := s.ended()
		got.must(why, wants{status: 201, body: `{"id":1001}`, replay: got.header.Get("Idempotency-Status") != "created"})
	}
	r.mustRun(t, why, 1)
	for i := range 40 { // enough ids to meet most shards
		v.call(r.path, fmt.Sprintf("sharded-key-%06d", i), `{}`).must(why, wants{status: 201, outcome: "created"})
		v.call(r.path, fmt.Sprintf("sharded-key-%06d", i), `{}`).must(why, wants{status: 201, outcome: "replayed", replay: true})
	}
}
