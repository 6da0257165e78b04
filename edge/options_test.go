package edge_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/edge"
)

func TestZeroOptionsWorkAndWarn(t *testing.T) {
	var log bytes.Buffer
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, testForm) }),
		edge.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	s := &shop{Server: httptest.NewServer(h), t: t}
	defer s.Close()
	s.submit(s.key(), "1", 200, "created")
	if got := strings.Count(log.String(), "level=WARN"); got != 1 || !strings.Contains(log.String(), "Secret and Store are missing") {
		t.Errorf("log = %s; want one warning", log.String())
	}
}

func TestCheckTellsWhatIsWrong(t *testing.T) {
	good := edge.Options{Secret: testSecret, Store: new(edge.MemoryStore)}
	with := func(change func(o *edge.Options)) edge.Options {
		o := good
		change(&o)
		return o
	}
	rule := func(r edge.Rule) edge.Options { return with(func(o *edge.Options) { o.Rules = []edge.Rule{r} }) }
	off := false
	for _, c := range []struct {
		o    edge.Options
		says string // "" for nothing
		why  string
	}{
		{good, "", "nothing more is needed"},
		{edge.Options{}, "Secret is missing", "a process of its own secret is for development"},
		{edge.Options{Secret: testSecret}, "Store is missing", "records in memory end with the process"},
		{with(func(o *edge.Options) { o.Secret = "short" }), "Secret is shorter", "contract §2"},
		{with(func(o *edge.Options) { o.PreviousSecret = "short" }), "PreviousSecret is shorter", "contract §2"},
		{with(func(o *edge.Options) { o.Site = "shop.example" }), "Site must be", "no scheme"},
		{with(func(o *edge.Options) { o.Site = "https://shop.example/" }), "Site must be", "a path"},
		{with(func(o *edge.Options) { o.Site = "https://shop.example:8443" }), "", "a port is part of it"},
		{with(func(o *edge.Options) { o.Region = "mars" }), "Region must be", "no such region"},
		{with(func(o *edge.Options) { o.Shards = -1 }), "Shards must be", "out of bounds"},
		{with(func(o *edge.Options) { o.RulesText = `[{"match":"/**","lees":1}]` }), "lees is no setting", "as in the Worker"},
		{with(func(o *edge.Options) { o.RulesText, o.Rules = "[]", []edge.Rule{{Match: "/**"}} }), "beside Rules", "which of them?"},
		{rule(edge.Rule{}), "match", "a rule says where"},
		{rule(edge.Rule{Match: "/**", TTL: time.Second}), "ttl must be", "at least a minute"},
		{rule(edge.Rule{Match: "/**", Lease: 1500 * time.Millisecond}), "lease must be", "whole seconds"},
		{rule(edge.Rule{Match: "/**", Key: "heady"}), "key must be", "no such source"},
		{rule(edge.Rule{Match: "/**", Unknown: "maybe"}), "unknown must be", "no such word"},
		{rule(edge.Rule{
			Match: "/api/**", Methods: []string{"POST", "PUT"}, Key: "header", Required: true, Subject: "jwt:bearer:sub",
			TTL: time.Hour, Lease: time.Minute, Wait: -1, Ignore: []string{"a"}, Redisplay: []string{"b"},
			ReleaseRedirects: []string{"/c"}, ReplayHeaders: []string{"X-D"}, MaxBody: 1 << 20, MaxAnswer: -1,
			Unknown: "hold", Compare: &off,
		}), "", "everything that a rule for an API can say"},
		{rule(edge.Rule{Match: "/**", Mint: "origin", Strip: true}), "", "and the rest"},
	} {
		err := c.o.Check()
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("Check = %v; want %q: %s", err, c.says, c.why)
		}
		if err != nil && strings.Contains(err.Error(), "core:") {
			t.Errorf("Check = %v; want the names of Options", err)
		}
	}
}

func TestWrongOptionsGuardNothingAndLoseNothing(t *testing.T) {
	var log bytes.Buffer
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			t.Error("a guarded post reached the application (contract §8)")
		}
		io.WriteString(w, testForm)
	}), edge.Options{Secret: "short", Store: new(edge.MemoryStore), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	s := &shop{Server: httptest.NewServer(h), t: t}
	defer s.Close()
	if _, page := s.do(s.request("GET", "/", nil)); page != testForm {
		t.Errorf("page = %q; want it as it is", page)
	}
	s.submit("", "1", 503, "refused")
	if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "Secret is shorter") {
		t.Errorf("log = %s; want the reason", log.String())
	}
}
