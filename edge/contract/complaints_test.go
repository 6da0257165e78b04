//go:build unix

package contract_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestComplaints holds what people report about other idempotency kits and about forms without one, each case
// named after the symptom, with the public report it comes from. Here the symptom must not appear.
func TestComplaints(t *testing.T) {
	g := shared(t)
	for _, c := range []struct {
		symptom, from string
		check         func(t *testing.T)
	}{
		{"two requests at once both run", "square1-io/laravel-idempotency#1, javidalpe/laravel-idempotency#2", func(t *testing.T) {
			r := g.origin.route("/")
			for _, got := range g.visitor(t).render(r).parallel(2, browser) {
				got.must("", wants{status: 200, body: `<p data-order-number="1001">Order 1001</p>`, replay: got.header.Get("Idempotency-Status") == "replayed"})
			}
			r.mustRun(t, "exactly one run", 1)
		}},
		{"a client timeout and its retry run twice", "knocklabs/one_and_done#6", func(t *testing.T) {
			open := newGate(t)
			r := g.origin.route("/", held(open.c, order))
			f := g.visitor(t).render(r)
			first := f.submitting(bare)
			r.await(t, 1)
			first.cancel()
			first.ended()
			retry := f.submitting(bare).onItsWay()
			retry.unanswered("claim first", grace)
			open.open()
			retry.ended().must("claim first", wants{status: 200, outcome: "replayed", replay: true})
			r.mustRun(t, "claim first", 1)
		}},
		{"the key is useless while the first post is still processing", "mastodon/mastodon#37879", func(t *testing.T) {
			open := newGate(t)
			r := g.origin.route("/api/", held(open.c, created))
			v := g.visitor(t)
			call := request{method: "POST", path: r.path, mode: asJSON, body: []byte(`{"status":"hello"}`), header: []string{
				"Content-Type", "application/json", "Authorization", "Bearer t", "Idempotency-Key", "post-once-0000001"}}
			first := v.sending(call)
			r.await(t, 1)
			second := v.sending(call).onItsWay()
			second.unanswered("one live claim per subject and key", grace)
			open.open()
			first.ended()
			second.ended().must("one live claim per subject and key", wants{status: 201, outcome: "replayed", replay: true})
			r.mustRun(t, "one live claim per subject and key", 1)
		}},
		{"a duplicate sent just as the first ends runs again", "KanishJebaMathewM/Truxify#6898", func(t *testing.T) {
			for range 15 {
				ended := make(chan struct{})
				r := g.origin.route("/", func(x *turn) { order(x); close(ended) })
				f := g.visitor(t).render(r)
				first := f.submitting(htmx)
				<-ended
				f.submit(htmx).must("the swap returns what is there", wants{status: 200, outcome: "replayed", replay: true})
				first.ended()
				r.mustRun(t, "the swap returns what is there", 1)
			}
		}},
		{"a rejected duplicate frees the winner's lock", "aws-powertools/powertools-lambda-typescript#5675", func(t *testing.T) {
			open := newGate(t)
			r := g.origin.route("/impatient/", held(open.c, order))
			f := g.visitor(t).render(r)
			first := f.submitting(htmx)
			r.await(t, 1)
			f.submit(htmx).must("only the holder releases", wants{status: 503, outcome: "running"})
			f.set("amount", "2").submit(htmx).must("only the holder releases", wants{status: 503, outcome: "running"})
			f.submit(htmx).must("only the holder releases", wants{status: 503, outcome: "running"})
			open.open()
			first.ended().must("", wants{outcome: "created"})
			f.set("amount", "2").submit(htmx).must("a mismatch deletes nothing", wants{status: 422, outcome: "mismatch"})
			f.submit(htmx).must("a mismatch deletes nothing", wants{outcome: "replayed", replay: true})
			r.mustRun(t, "only the holder releases", 1)
		}},
		{"an answer over the limit is not stored and the retry runs again", "gofiber/fiber#4287, granit-fx/granit-dotnet#1151", func(t *testing.T) {
			r := g.origin.route("/little-kept/", answer(200, strings.Repeat("long ", 2000)))
			f := g.visitor(t).render(r)
			f.submit(browser).must("", wants{outcome: "created"})
			f.submit(browser).must("store or tombstone, never re-run", wants{status: 200, outcome: "replayed", replay: true})
			r.mustRun(t, "store or tombstone, never re-run", 1)
		}},
		{"an answer sent as a stream leaves the lock behind", "KanishJebaMathewM/Truxify#4622", func(t *testing.T) {
			r := g.origin.route("/", func(x *turn) {
				x.Header().Set("Content-Type", "text/csv")
				for range 5 {
					fmt.Fprintf(x, "row;%d\r\n", x.n)
					http.NewResponseController(x.ResponseWriter).Flush()
				}
			})
			f := g.visitor(t).render(r)
			first := f.submit(browser).must("every end of an answer commits or releases", wants{outcome: "created"})
			f.submit(browser).must("every end of an answer commits or releases", wants{outcome: "replayed", replay: true}).same("", first)
			r.mustRun(t, "", 1)
		}},
		{"another payload is replayed the old answer", "ikyriak/IdempotentAPI#58, powertools-lambda-typescript#2058", func(t *testing.T) {
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(browser)
			f.submit(browser)
			f.set("amount", "2").submit(browser).must("every path compares", wants{status: 422, outcome: "mismatch"})
		}},
		{"a transfer to mallory gets alice's 200", "pathosDev/actor-ts#609", func(t *testing.T) {
			r := g.origin.route("/api/", created)
			v := g.visitor(t)
			v.call(r.path+"?to=alice", "transfer-0000000001", `{}`).must("", wants{status: 201})
			v.call(r.path+"?to=mallory", "transfer-0000000001", `{}`).must("the query is in the fingerprint", wants{status: 422, outcome: "mismatch"})
			r.mustRun(t, "", 1)
		}},
		{"a wrong code is stored and the right one can never pass", "KanishJebaMathewM/Truxify#2869", func(t *testing.T) {
			r := g.origin.route("/", answer(400, "wrong code"), order)
			f := g.visitor(t).render(r)
			f.set("otp", "000000").submit(browser).must("4xx releases, key live", wants{status: 400, outcome: "released"})
			f.set("otp", "123456").submit(browser).must("4xx releases, key live", wants{status: 200, outcome: "created"})
		}},
		{"a 500 is pinned for a day", "C-Address-Onboarding-Bridge-Backend#380", func(t *testing.T) {
			r := g.origin.route("/", answer(500, "oops"), order)
			f := g.visitor(t).render(r)
			f.submit(browser).must("", wants{status: 500, outcome: "released"})
			f.submit(browser).must("5xx never replayed", wants{status: 200, outcome: "created"})
		}},
		{"a final 409 cannot be kept", "paveg/hono-idempotency#178", func(t *testing.T) {
			r := g.origin.route("/", answer(409, "taken", "Idempotency-Outcome", "commit"))
			f := g.visitor(t).render(r)
			first := f.submit(browser)
			f.submit(browser).must("the origin says Idempotency-Outcome: commit", wants{status: 409, outcome: "replayed", replay: true}).same("", first)
			r.mustRun(t, "", 1)
		}},
		{"another payload in flight gets 409", "idempot-dev/idempot-js#183", func(t *testing.T) {
			open := newGate(t)
			r := g.origin.route("/", held(open.c, order))
			f := g.visitor(t).render(r)
			f.submitting(htmx)
			r.await(t, 1)
			other := f.set("amount", "2").submitting(htmx).onItsWay()
			other.unanswered("it waits as well", grace)
			open.open()
			other.ended().must("422 if the first commits", wants{status: 422, outcome: "mismatch"})
		}},
		{"the identical upload is judged different", "chatvector-ai/chatvector-ai#506, asimons81/wp-chatgpt-publisher#14", func(t *testing.T) {
			r := g.origin.route("/")
			f := g.visitor(t).render(r).attach("doc", "a.pdf", "application/pdf", "%PDF-1.7\x00\xff")
			f.upload(browser, "----WebKitFormBoundaryAAAA").must("", wants{outcome: "created"})
			f.upload(browser, "----WebKitFormBoundaryBBBB").must("fingerprint the parsed parts", wants{outcome: "replayed", replay: true})
		}},
		{"a changed file is replayed", "WendellAdriel/laravel-idempotency 1.3.1", func(t *testing.T) {
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.attach("doc", "a.pdf", "application/pdf", "one").upload(browser, "b").must("", wants{outcome: "created"})
			f.attach("doc", "a.pdf", "application/pdf", "two").upload(browser, "b").must("422", wants{status: 422, outcome: "mismatch"})
		}},
		{"a binary answer is replayed empty or broken", "ArcadeData/arcadedb#5174, pathosDev/actor-ts#1308", func(t *testing.T) {
			r := g.origin.route("/", answer(200, "%PDF\x25\x50\xff\xfe\x80\x00\x9c", "Content-Type", "application/pdf"))
			f := g.visitor(t).render(r)
			first := f.submit(browser).must("byte-exact", wants{body: "%PDF\x25\x50\xff\xfe\x80\x00\x9c"})
			f.submit(browser).must("byte-exact", wants{outcome: "replayed", replay: true}).same("byte-exact", first)
		}},
		{"a 201 is replayed as 200 or without its Location", "VSN2015/concerns_on_rails#47, fullstackhero/dotnet-starter-kit#1333", func(t *testing.T) {
			r := g.origin.route("/api/", created)
			v := g.visitor(t)
			v.call(r.path, "created-once-00001", `{}`)
			v.call(r.path, "created-once-00001", `{}`).must("same status and headers", wants{status: 201, outcome: "replayed", replay: true,
				header: []string{"Location", "/orders/1001", "Content-Type", "application/json"}})
		}},
		{"202 and 204 are never stored", "Sidarthapati/one_day_delivery#61", func(t *testing.T) {
			for _, status := range []int{202, 204} {
				r := g.origin.route("/", answer(status, ""))
				f := g.visitor(t).render(r)
				f.submit(htmx).must("every 2xx commits, empty body too", wants{status: status, outcome: "created"})
				f.submit(htmx).must("every 2xx commits, empty body too", wants{status: status, outcome: "replayed", replay: true})
				r.mustRun(t, "", 1)
			}
		}},
		{"the kit's 422 cannot be told from the application's", "ietf-wg-httpapi/idempotency#42, #51", func(t *testing.T) {
			r := g.origin.route("/", answer(422, `{"type":"urn:app:invalid"}`, "Content-Type", "application/problem+json"), created)
			f := g.visitor(t).render(r)
			f.submit(asJSON).must("own problem type + Idempotency-Status", wants{status: 422, outcome: "released", body: `{"type":"urn:app:invalid"}`})
			f.submit(asJSON)
			f.set("amount", "2").submit(asJSON).must("own problem type + Idempotency-Status", wants{status: 422, outcome: "mismatch", problem: "mismatch"})
		}},
		{"the client must serialise identically", "julik/idempo#21", func(t *testing.T) {
			r := g.origin.route("/api/", created)
			v := g.visitor(t)
			v.call(r.path, "same-value-000001", `{"a":1,"b":[true,null]}`)
			v.call(r.path, "same-value-000001", "{\"b\": [true, null],\n \"a\": 1}").must("canonical form", wants{outcome: "replayed", replay: true})
		}},
		{"user B gets user A's answer", "paveg/hono-idempotency#126, julik/idempo#29", func(t *testing.T) {
			r := g.origin.route("/")
			alice, bob := g.visitor(t), g.visitor(t)
			f := alice.render(r)
			bob.render(r)
			f.submit(browser).must("", wants{has: []string{"Order 1001"}})
			f.as(bob).submit(browser).must("the subject is in the scope by default", wants{outcome: "created", hasNot: []string{"Order 1001"}})
		}},
		{"an attacker registers a victim's key first", "jox-sm/deepslate-rpg#104", func(t *testing.T) {
			r := g.origin.route("/")
			victim, mallory := g.visitor(t), g.visitor(t)
			f := victim.render(r)
			mallory.render(r)
			f.as(mallory).set("amount", "666").submit(browser)
			f.as(g.visitor(t)).set("amount", "667").submit(bare)
			f.submit(browser).must("the same key from another subject is another record", wants{status: 200, outcome: "created"})
		}},
		{"a header that the client sends is believed", "VilledeMontreal/express-idempotency#35", func(t *testing.T) {
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(browser, "Idempotency-Replayed", "true", "Idempotency-Status", "replayed", "Idempotency-Attempt", "7", "Idempotency-Outcome", "release").
				must("strip inbound copies of every header the guard owns", wants{status: 200, outcome: "created"})
			if h := r.got()[0].header; h.Get("Idempotency-Attempt") != "1" || h.Get("Idempotency-Status") != "" || h.Get("Idempotency-Replayed") != "" || h.Get("Idempotency-Outcome") != "" {
				t.Errorf("the origin got %v; want only the guard's own words", h)
			}
		}},
		{"a unicode or long key is a 500", "paveg/hono-idempotency#93, KanishJebaMathewM/Truxify#15676", func(t *testing.T) {
			r := g.origin.route("/api/", created)
			v := g.visitor(t)
			for _, key := range []string{"注文-0123456789abcdef", strings.Repeat("k", 600)} {
				v.call(r.path, key, `{}`).must("400, no storage touched", wants{status: 400, outcome: "refused", problem: "bad-key"})
			}
			r.mustRun(t, "", 0)
		}},
		{"the preflight refuses the kit's header", "superseriousbusiness/gotosocial#1664", func(t *testing.T) {
			r := g.origin.route("/api/", answer(204, "", "Access-Control-Allow-Headers", "Idempotency-Key"))
			g.visitor(t).send(request{method: "OPTIONS", path: r.path, header: []string{"Origin", "https://app.example", "Access-Control-Request-Method", "POST"}}).
				must("OPTIONS passes untouched", wants{status: 204, header: []string{"Access-Control-Allow-Headers", "Idempotency-Key"}})
		}},
		{"a replay looks fresh", "ikyriak/IdempotentAPI#85, KeeperHub/keeperhub#1849", func(t *testing.T) {
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(browser)
			f.submit(browser).must("Idempotency-Replayed: true and Idempotency-Status", wants{outcome: "replayed", replay: true})
		}},
		{"a duplicate is told 409 at once instead of the result", "ietf-wg-httpapi/idempotency#11, KanishJebaMathewM/Truxify#4696", func(t *testing.T) {
			open := newGate(t)
			r := g.origin.route("/", held(open.c, order))
			f := g.visitor(t).render(r)
			f.submitting(browser)
			r.await(t, 1)
			second := f.submitting(browser).onItsWay()
			second.unanswered("waits", grace)
			open.open()
			second.ended().must("then replays", wants{status: 200, outcome: "replayed", replay: true})
		}},
		{"a duplicate error hides whether the first succeeded", "useplunk/plunk#484, parse-community/parse-server#9294", func(t *testing.T) {
			r := g.origin.route("/api/", created)
			v := g.visitor(t)
			first := v.call(r.path, "did-it-work-00001", `{}`)
			v.call(r.path, "did-it-work-00001", `{}`).must("replay", wants{status: 201, outcome: "replayed", replay: true}).same("", first)
		}},
		{"tenants share keys", "mahendraHegde/node-idempotency#29", func(t *testing.T) {
			r := g.origin.route("/tenant/")
			f := g.visitor(t).render(r)
			f.submit(browser, "X-Tenant", "one").must("rule subject", wants{outcome: "created"})
			f.submit(browser, "X-Tenant", "two").must("rule subject", wants{outcome: "created"})
		}},
		{"an edited form after Back silently shows the old entry and the new data is lost", "we-promise/sure#3338", func(t *testing.T) {
			r := g.origin.route("/", answer(303, "", "Location", "/orders/1001"))
			f := g.visitor(t).render(r)
			f.submit(browser).must("", wants{status: 303})
			page := f.set("amount", "new-amount").submit(browser).must("visible 422 that names the old record, with a fresh key",
				wants{status: 422, outcome: "mismatch", has: []string{`href="/orders/1001"`, "new-amount"}})
			if key := f.v.formsIn(page.body); len(key) == 0 || key[0].key() == f.key() {
				t.Error("no form with a fresh key")
			}
		}},
		{"the second click lands before HX-Redirect", "bigskysoftware/htmx#3483", func(t *testing.T) {
			r := g.origin.route("/", answer(204, "", "HX-Redirect", "/orders/1001"))
			f := g.visitor(t).render(r)
			f.submit(htmx).must("", wants{status: 204, header: []string{"HX-Redirect", "/orders/1001"}})
			f.submit(htmx).must("replay incl. HX-Redirect", wants{status: 204, outcome: "replayed", replay: true, header: []string{"HX-Redirect", "/orders/1001"}})
			r.mustRun(t, "", 1)
		}},
		{"five clicks are five applications", "civiform/civiform#2469, carpentries/amy#2511, phoenixframework/phoenix_live_view#2625", func(t *testing.T) {
			r := g.origin.route("/", func(x *turn) { time.Sleep(50 * time.Millisecond); answer(303, "", "Location", "/thanks")(x) })
			for _, got := range g.visitor(t).render(r).parallel(5, browser) {
				got.must("one run", wants{status: 303, header: []string{"Location", "/thanks"}, replay: got.header.Get("Idempotency-Status") == "replayed"})
			}
			r.mustRun(t, "one run", 1)
		}},
		{"a plain form cannot set a header", "hackclub/hcb#14892", func(t *testing.T) {
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(bare).must("the hidden field is first-class", wants{outcome: "created"})
			f.submit(bare).must("the hidden field is first-class", wants{outcome: "replayed", replay: true})
		}},
		{"a double click shows an error", "quickapps/cms#69, alphagov/feedback#34", func(t *testing.T) {
			r := g.origin.route("/")
			for _, got := range g.visitor(t).render(r).parallel(2, browser) {
				got.must("show the result, not an error", wants{status: 200, has: []string{"Order 1001"}, replay: got.header.Get("Idempotency-Status") == "replayed"})
			}
		}},
		{"one-shot session tokens break many tabs", "joindin-legacy#543, volnix/csrf#11, yiisoft/yii2#10498", func(t *testing.T) {
			r := g.origin.route("/")
			v := g.visitor(t)
			tabs := []*form{v.render(r), v.render(r), v.render(r)}
			for i := len(tabs) - 1; i >= 0; i-- {
				tabs[i].submit(browser).must("one key per render, tabs independent", wants{status: 200, outcome: "created"})
			}
			r.mustRun(t, "", 3)
		}},
		{"the browser's own Idempotency-Key differs with each click", "mdn/browser-compat-data#28219, w3c/browser-specs#2199", func(t *testing.T) {
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(browser, "Idempotency-Key", `"aaaaaaaa-0000-4000-8000-000000000001"`)
			f.submit(browser, "Idempotency-Key", `"aaaaaaaa-0000-4000-8000-000000000002"`).must("the field wins", wants{outcome: "replayed", replay: true})
			r.mustRun(t, "the field wins", 1)
		}},
	} {
		t.Run(c.symptom, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("reported in %s", c.from)
				}
			})
			c.check(t)
		})
	}
}
