package core

import (
	"bytes"
	"strconv"
	"testing"
)

func TestOnlyTheQueryDiffers(t *testing.T) { // §5
	many := func(last string) (pairs []string) {
		for i := range MaxDigests + 6 {
			pairs = append(pairs, "field"+strconv.Itoa(100+i), "same")
		}
		pairs[len(pairs)-1] = last
		return pairs
	}
	for _, tt := range []struct {
		why           string
		first, second []string
		query         string
		only          bool
	}{
		{"the same fields elsewhere", []string{"amount", "5"}, []string{"amount", "5"}, "?page=2", true},
		{"a form of nothing but the key", nil, nil, "?page=2", true},
		{"more names than a record lists, all alike", many("same"), many("same"), "?page=2", true},
		{"more names than a record lists, one behind them differs", many("same"), many("other"), "", false},
		{"a field differs too", []string{"amount", "5"}, []string{"amount", "6"}, "?page=2", false},
	} {
		l := newLoop(t)
		key := l.key("/orders")
		l.send(form(key, false, tt.first...))
		second := form(key, false, tt.second...)
		second.url = "https://shop.example/orders" + tt.query
		second.headers = append(second.headers, Header{"Accept", "application/json"})
		got := l.send(second)
		if only := bytes.Contains(got.body, []byte(`"query":true`)); got.status != 422 || only != tt.only {
			t.Errorf("%s: answer = %d %s; want a mismatch, query %v", tt.why, got.status, got.body, tt.only)
		}
	}
}
