//go:build !js && !wasip1

package app

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestHTTPRefusedEntry(t *testing.T) {
	base := origin(t)
	tests := []struct {
		why     string
		body    string
		headers []string
		want    []string
		lacks   []string
	}{
		{"htmx gets a fragment that names the field", "item=tea&amount=ten", []string{htmx},
			[]string{`data-field="amount"`, "such as 2400", "data-hc-field-errors"}, []string{"<html", `data-field="item"`}},
		{"both fields are named", "item=x&amount=", []string{htmx},
			[]string{`data-field="item"`, `data-field="amount"`}, nil},
		{"a plain post gets its page back, marked and linked", "item=tea&amount=ten", nil,
			[]string{`<html`, `aria-invalid="true" aria-describedby="amount-hint amount-error"`, `id="amount-error"`,
				`role="alert"`, `value="ten"`, `<option value="tea" selected>`, `href="#amount"`, " autofocus", "<title>Please check: "}, nil},
		{"what was typed is kept as text", `item=tea&amount=` + url.QueryEscape(`"><script>x</script>`), nil,
			[]string{`value="&quot;&gt;&lt;script&gt;x&lt;/script&gt;"`}, []string{"<script>x"}},
		{"an unknown item is marked and not shown", `item=` + url.QueryEscape(`<b>`) + `&amount=1`, nil,
			[]string{`aria-invalid="true" aria-describedby="item-error"`}, []string{"&lt;b", "<b>"}},
		{"a Japanese visitor is told in Japanese", "item=tea&amount=ten", []string{htmx, "Accept-Language: ja"},
			[]string{"整数で入力してください"}, []string{"whole number"}},
		{"a boosted form wants a page", "item=tea&amount=ten", []string{htmx, "HX-Boosted: true"}, []string{"<html"}, nil},
	}
	before := found(t, countAttribute, send(t, "GET", base+"/orders", "").body)
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got := send(t, "POST", base+place, tt.body, tt.headers...)
			if got.status != http.StatusUnprocessableEntity {
				t.Fatalf("POST = %d; want 422", got.status)
			}
			for _, part := range tt.want {
				if !strings.Contains(got.body, part) {
					t.Errorf("the answer lacks %q:\n%s", part, got.body)
				}
			}
			for _, part := range tt.lacks {
				if strings.Contains(got.body, part) {
					t.Errorf("the answer has %q", part)
				}
			}
			if got.header.Get("Idempotency-Record") != "" {
				t.Error("a refused entry names a record")
			}
		})
	}
	if after := found(t, countAttribute, send(t, "GET", base+"/orders", "").body); after != before {
		t.Errorf("refused entries made the orders go from %s to %s", before, after)
	}
}
