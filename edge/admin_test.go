package edge_test

import (
	"strings"
	"testing"

	"github.com/singleshot-edge/singleshot/edge"
)

func TestAForgottenKeyRunsAgain(t *testing.T) { // contract §10
	store, down := outage()
	answers := &slowAnswers{open: make(chan struct{})}
	close(answers.open)
	s := openShop(t, edge.Options{Store: store, Answers: answers, AdminSecret: "an-operator-0123456789"}, order)
	key := s.key()
	s.submit(key, "1", 200, "created")
	s.submit(key, "1", 200, "replayed")
	ask := func(method string, status int) string {
		t.Helper()
		r := s.request(method, "/_singleshot/keys/"+key, nil)
		r.Header.Set("Authorization", "Bearer an-operator-0123456789")
		r.Header.Set("Accept", "application/json")
		res, body := s.do(r)
		if res.StatusCode != status {
			t.Errorf("%s = %d %s; want %d", method, res.StatusCode, body, status)
		}
		return body
	}
	if body := ask("GET", 200); !strings.Contains(body, `"event":"commit"`) || !strings.Contains(body, `"count":3,`) {
		t.Errorf("trail = %s; want claim, commit and replay", body)
	}
	down.Store(true)
	ask("GET", 503)
	ask("DELETE", 503)
	down.Store(false)
	ask("DELETE", 204)
	ask("GET", 404)
	down.Store(true)
	s.submit(key, "1", 503, "refused") // the copy is gone too
	down.Store(false)
	s.submit(key, "1", 200, "created")
	s.ran(2)
}
