//go:build unix

package contract_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestTheTrailOfAKey(t *testing.T) {
	g := shared(t)
	const why = "GET /_singleshot/keys/<key or digest> as page or JSON, by bearer or Basic password SINGLESHOT_ADMIN (404 while that is unset, 401 else)"
	r := g.origin.route("/", answer(422, "no"), order)
	v := g.visitor(t)
	f := v.render(r)
	f.set("item", "typed-value").submit(htmx)
	f.set("item", "typed-value").submit(htmx)
	f.set("item", "typed-value").submit(htmx).must("replay", wants{outcome: "replayed", replay: true})
	f.set("item", "other-value").submit(htmx).must("mismatch", wants{status: 422, outcome: "mismatch"})
	path := "/_singleshot/keys/" + f.key()
	admin := g.visitor(t)
	ask := func(method string, headers ...string) *reply {
		return admin.send(request{method: method, path: path, header: headers})
	}
	ask("GET", "Accept", "application/json").must(why, wants{status: 401, problem: "unauthorized"})
	ask("GET", "Authorization", "Bearer wrong").must(why, wants{status: 401})
	ask("DELETE", "Authorization", "Bearer wrong").must(why, wants{status: 401})
	got := ask("GET", "Accept", "application/json", "Authorization", "Bearer "+adminSecret).
		must(why, wants{status: 200, hasNot: []string{"typed-value", "other-value", f.key()}})
	if !json.Valid(got.body) {
		t.Errorf("trail = %s; want JSON", cut(got.body))
	}
	for _, event := range []string{"claim", "release", "commit", "replay", "mismatch"} {
		if !strings.Contains(strings.ToLower(string(got.body)), event) {
			t.Errorf("trail = %s; want %q in it\n\t(what happened (claim, waits, replays, mismatches, takeovers, commit, release))", cut(got.body), event)
		}
	}
	q, err := http.NewRequest("GET", "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.SetBasicAuth("admin", adminSecret)
	ask("GET", "Authorization", q.Header.Get("Authorization")).must("by bearer or Basic password", wants{status: 200})
	const forget = "DELETE forgets a record."
	if got := ask("DELETE", "Authorization", "Bearer "+adminSecret); got.status/100 != 2 {
		t.Errorf("DELETE = %d %s; want 2xx\n\t(%s)", got.status, cut(got.body), forget)
	}
	f.submit(htmx).must(forget, wants{status: 200, outcome: "created", has: []string{"Order 1003"}})
}

func TestUnderTheGuardsOwnPath(t *testing.T) {
	g := shared(t)
	const why = "not-found 404, unauthorized 401 under /_singleshot/"
	v := g.visitor(t)
	v.send(request{method: "GET", path: "/_singleshot/nothing", mode: asJSON}).must(why, wants{status: 404, problem: "not-found"})
	v.send(request{method: "GET", path: "/_singleshot/keys/ik_x", mode: asJSON}).must(why, wants{status: 401, problem: "unauthorized"})
}

func TestTheTrailIsAPageToo(t *testing.T) {
	g := shared(t)
	const why = "GET /_singleshot/keys/<key or digest> as page or JSON"
	f := g.visitor(t).render(g.origin.route("/"))
	f.submit(browser).must("fresh key", wants{outcome: "created"})
	g.visitor(t).get("/_singleshot/keys/"+f.key(), "Authorization", "Bearer "+adminSecret).
		must(why, wants{status: 200, has: []string{"<!doctype html", "commit"}, hasNot: []string{f.key()}})
}
