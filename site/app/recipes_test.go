//go:build !js && !wasip1

package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What the recipes promise as an application, without a guard in front.

func TestHTTPJobIsAcceptedAndWorksOnce(t *testing.T) {
	base := origin(t)
	started := send(t, "POST", base+"/api/recipes/async-job/jobs", "lines=3000", htmx)
	if started.status != http.StatusAccepted || !strings.Contains(started.body, `data-hx-trigger="every 1s"`) {
		t.Fatalf("POST = %d %s; want 202 and a card that asks again", started.status, started.body)
	}
	if record := started.header.Get("Idempotency-Record"); !strings.HasPrefix(record, "</recipes/async-job/") {
		t.Errorf("Idempotency-Record = %s", record)
	}
	unknown := send(t, "GET", base+"/recipes/async-job/none", "", htmx)
	if unknown.status != 200 || strings.Contains(unknown.body, "data-hx-trigger") {
		t.Errorf("a job nobody knows = %d %s; want a state that asks no more", unknown.status, unknown.body)
	}
}

func TestHTTPWorkflowConflicts(t *testing.T) {
	base := origin(t)
	request := send(t, "POST", base+"/api/recipes/workflow-actions/requests", "item=tea&quantity=3").header.Get("Location")
	if !strings.HasPrefix(request, workflowActions.path+"/") {
		t.Fatalf("Location = %q; want the request's page", request)
	}
	act := base + "/api" + request + "/transition"
	tests := []struct {
		why    string
		body   string
		status int
		state  string
	}{
		{"an older version is not applied", "version=0&transition=approve", 409, "version 1"},
		{"no version is an older one", "transition=approve", 409, "version 1"},
		{"a transition that nobody knows", "version=1&transition=burn", 409, "version 1"},
		{"approved", "version=1&transition=approve", 200, "version 2"},
		{"approved twice, without a guard, is a conflict with oneself", "version=1&transition=approve", 409, "version 2"},
		{"nothing follows the end", "version=2&transition=return", 409, "version 2"},
	}
	for _, tt := range tests {
		got := send(t, "POST", act, tt.body, htmx)
		if got.status != tt.status || !strings.Contains(got.body, tt.state) {
			t.Errorf("%s: POST = %d %s; want %d at %s", tt.why, got.status, got.body, tt.status, tt.state)
		}
	}
}

func TestHTTPEditConflictOverwritesNothing(t *testing.T) {
	base := origin(t)
	request := send(t, "POST", base+"/api/recipes/edit-conflict/requests", "item=tea&quantity=3").header.Get("Location")
	send(t, "POST", base+"/api"+request+"/colleague", "")
	late := send(t, "POST", base+"/api"+request, "version=1&item=lamp&quantity=9", htmx)
	if late.status != 409 || late.header.Get("HX-Retarget") != "#error-dialog" || !strings.Contains(late.body, `name="version" value="2"`) {
		t.Fatalf("POST = %d %v %s; want a dialog that can overwrite version 2", late.status, late.header, late.body)
	}
	if now := send(t, "GET", base+request, ""); !strings.Contains(now.body, `value="4"`) {
		t.Error("the colleague's 4 is gone")
	}
	if forced := send(t, "POST", base+"/api"+request, "version=2&item=lamp&quantity=9", htmx); forced.status != 200 || !strings.Contains(forced.body, `value="9"`) {
		t.Errorf("overwriting = %d %s", forced.status, forced.body)
	}
}

func TestHTTPSessionIsAskedForBeforeAnythingIsDone(t *testing.T) {
	base := origin(t)
	before := found(t, countAttribute, send(t, "GET", base+"/orders", "").body)
	dialog := send(t, "POST", base+sessionExpiryOrder.action, "item=tea&amount=5", htmx)
	if dialog.status != 401 || !strings.Contains(dialog.body, "<dialog") || dialog.header.Get("HX-Retarget") != "#error-dialog" {
		t.Errorf("htmx without a session = %d %s", dialog.status, dialog.body)
	}
	plain := send(t, "POST", base+sessionExpiryOrder.action, "item=tea&amount=5")
	if place := plain.header.Get("Location"); plain.status != 303 || !strings.Contains(place, "/sign-in?") {
		t.Errorf("a plain form without a session = %d to %q; want the sign-in page", plain.status, place)
	}
	if after := found(t, countAttribute, send(t, "GET", base+"/orders", "").body); after != before {
		t.Errorf("orders went from %s to %s", before, after)
	}
	signed := send(t, "POST", base+"/api/recipes/session-expiry/sign-in", "next=%2F%2Felsewhere.example")
	if place := signed.header.Get("Location"); place != sessionExpiry.path {
		t.Errorf("signing in leads to %q; want no other site", place)
	}
	if placed := send(t, "POST", base+sessionExpiryOrder.action, "item=tea&amount=5", htmx, "Cookie: demo-session=open"); placed.status != 200 {
		t.Errorf("with a session = %d", placed.status)
	}
}

func TestHTTPPaymentsAPI(t *testing.T) {
	base := origin(t)
	const token, json = "Authorization: Bearer t", "Content-Type: application/json"
	tests := []struct {
		why     string
		body    string
		headers []string
		status  int
		want    string
	}{
		{"no token", `{"amount":5}`, []string{json}, 401, "problem"},
		{"no JSON", `amount=5`, []string{json, token}, 400, "whole number"},
		{"an amount that is none", `{"amount":0}`, []string{json, token}, 422, "still good"},
		{"a payment", `{"amount":5}`, []string{json, token, "Idempotency-Key: key-of-the-test-1"}, 201, `"status":"settled"`},
		{"the same key past any guard meets the index", `{"amount":5}`, []string{json, token, `Idempotency-Key: "key-of-the-test-1"`}, 200, `"already_processed":true`},
		{"without a key each is a payment", `{"amount":5}`, []string{json, token}, 201, `"status":"settled"`},
	}
	for _, tt := range tests {
		got := send(t, "POST", base+"/api/v1/payments", tt.body, tt.headers...)
		if got.status != tt.status || !strings.Contains(got.body+got.header.Get("Content-Type"), tt.want) {
			t.Errorf("%s: POST = %d %s; want %d and %s", tt.why, got.status, got.body, tt.status, tt.want)
		}
		if place := got.header.Get("Location"); got.status == 201 {
			if again := send(t, "GET", base+place, ""); again.status != 200 || strings.TrimSpace(again.body) != strings.TrimSpace(got.body) {
				t.Errorf("%s: GET %s = %d %s; want %s", tt.why, place, again.status, again.body, got.body)
			}
		}
	}
	if got := send(t, "GET", base+"/api/v1/payments/999999", ""); got.status != 404 {
		t.Errorf("no such payment = %d", got.status)
	}
}

func TestHTTPWebhookCountsWhatItWorkedOn(t *testing.T) {
	base := origin(t)
	const event = `{"type":"invoice.paid"}`
	deliver := func(headers ...string) int {
		return send(t, "POST", base+"/api/recipes/webhook/events", event, append(headers, "Content-Type: application/json")...).status
	}
	if status := deliver(); status != 400 {
		t.Errorf("an event without an id = %d", status)
	}
	for range 2 {
		if status := deliver("Webhook-Id: evt_1"); status != 200 {
			t.Errorf("delivery = %d", status)
		}
	}
	if page := send(t, "GET", base+"/api/recipes/webhook/events?id=evt_1", "", htmx); !strings.Contains(page.body, `data-event-count="2"`) {
		t.Errorf("without a guard: %s; want each delivery to run", page.body)
	}
}

func TestHTTPBackstop(t *testing.T) {
	base := origin(t)
	pay := func(key, bill, trouble string) exchange {
		return send(t, "POST", base+"/api/recipes/backstop/payments", "bill="+bill+"&amount=5&trouble="+trouble, htmx, "Idempotency-Key: "+key)
	}
	if got := pay("k1", "B-000001", "declined"); got.status != 422 {
		t.Errorf("a declined card = %d", got.status)
	}
	first := pay("k1", "B-000001", "none")
	if first.status != 200 || !strings.Contains(first.body, "Paid") {
		t.Errorf("after a failed payment the same key pays: %d %s", first.status, first.body)
	}
	number := found(t, regexp.MustCompile(`data-payment="(\d+)"`), first.body)
	for why, got := range map[string]exchange{
		"the same key":           pay("k1", "B-000001", "none"),
		"the same bill, new key": pay("k2", "B-000001", "none"),
	} {
		if got.status != 200 || !strings.Contains(got.body, "Already processed") || !strings.Contains(got.body, `data-payment="`+number+`"`) {
			t.Errorf("%s: %d %s; want payment %s again", why, got.status, got.body, number)
		}
	}
	response, err := http.Post(base+"/api/recipes/backstop/payments", "application/x-www-form-urlencoded", strings.NewReader("bill=B-000002&amount=5&trouble=lost"))
	if err == nil {
		response.Body.Close()
		t.Errorf("a lost answer = %d; want a broken connection", response.StatusCode)
	}
	if kept := send(t, "GET", base+"/api/recipes/backstop/payments?bill=B-000002", "", htmx); !strings.Contains(kept.body, `data-settled="1"`) {
		t.Errorf("the payment of a lost answer is not there: %s", kept.body)
	}
	for run, want := range []string{`data-job-runs="1" data-job-exports="1"`, `data-job-runs="2" data-job-exports="1"`} {
		if got := send(t, "POST", base+"/api/recipes/backstop/jobs/abcdefghij012345/run", "x=1", htmx); !strings.Contains(got.body, want) {
			t.Errorf("run %d: %s; want %s", run+1, got.body, want)
		}
	}
}

func TestTrailIsAskedForMintedKeysOnly(t *testing.T) {
	for key, want := range map[string]bool{"ik_abc": true, "demo-key-of-a-program": false, "": false, "ik_" + strings.Repeat("x", 200): false} {
		asked := false
		server := httptest.NewServer(demo(t, func(c *Config) {
			c.Trail = func(_ context.Context, origin, _ string) (*Trail, error) {
				asked = strings.HasPrefix(origin, "http://")
				return &Trail{Count: 1, Entries: []TrailEntry{{At: clock(), Event: "claim", Attempt: 1}}}, nil
			}
		}))
		defer server.Close()
		send(t, "GET", server.URL+"/api/trail?idempotency_key="+key, "", htmx)
		if asked != want {
			t.Errorf("key %q: asked the guard: %v; want %v", key, asked, want)
		}
	}
}

func TestSecondsCountFromZero(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "+0 s", -time.Second: "+0 s", 90 * time.Second: "+90 s"} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %q; want %q", d, got, want)
		}
	}
}
