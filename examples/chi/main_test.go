//go:build !wasm

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/singleshot-edge/singleshot/edge"
)

func TestAPaymentThatIsSentTwiceIsMadeOnce(t *testing.T) {
	p := new(payments)
	s := httptest.NewServer(router(edge.Options{Secret: "a-secret-for-tests-0123456789abcdef"}, p))
	defer s.Close()
	for _, c := range []struct {
		path, name, key, body string
		status                int
		outcome               string
		made                  int64
		why                   string
	}{
		{"/payments", "Idempotency-Key", "", `{"amount":5}`, 400, "refused", 0, "the rule requires a key"},
		{"/payments", "Idempotency-Key", "0f5c6f2e-9a77-4c06", `{"amount":"x"}`, 422, "released", 0, "a wrong request spends nothing"},
		{"/payments", "Idempotency-Key", "0f5c6f2e-9a77-4c06", `{"amount":5}`, 201, "created", 1, "the first"},
		{"/payments", "Idempotency-Key", "0f5c6f2e-9a77-4c06", `{ "amount": 5 }`, 201, "replayed", 1, "JSON is compared by value"},
		{"/payments", "Idempotency-Key", "0f5c6f2e-9a77-4c06", `{"amount":6}`, 422, "mismatch", 1, "another payment"},
		{"/hooks/orders", "Webhook-Id", "evt_1", `{"try":1}`, 204, "created", 2, "the first delivery"},
		{"/hooks/orders", "Webhook-Id", "evt_1", `{"try":2}`, 204, "replayed", 2, "a second one, whatever its body"},
	} {
		r, err := http.NewRequest("POST", s.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer me")
		if c.key != "" {
			r.Header.Set(c.name, c.key)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if got := res.Header.Get("Idempotency-Status"); res.StatusCode != c.status || got != c.outcome || p.made.Load() != c.made {
			t.Errorf("%s %s = %d %q, %s, %d made; want %d %q, %d made: %s", c.path, c.body, res.StatusCode, got, body, p.made.Load(), c.status, c.outcome, c.made, c.why)
		}
	}
}
