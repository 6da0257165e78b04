//go:build !js && !wasip1

package app

import (
	"strings"
	"testing"
)

func TestHTTPLanguages(t *testing.T) {
	base := origin(t)
	tests := []struct {
		why     string
		path    string
		headers []string
		want    string
	}{
		{"English by default", "/", nil, `<html lang="en">`},
		{"Japanese by the browser", "/", []string{"Accept-Language: ja-JP,ja;q=0.9,en;q=0.8"}, `<html lang="ja">`},
		{"Japanese by the switch", "/?lang=ja", nil, `<html lang="ja">`},
		{"Japanese by the choice made before", "/", []string{"Cookie: a=b; lang=ja"}, `<html lang="ja">`},
		{"the button as the tests press it", "/api/recipes/idempotency-key/form", nil, ">Place order</button>"},
		{"the button in Japanese", "/api/recipes/idempotency-key/form?lang=ja", nil, ">注文を確定</button>"},
		{"the 404 page too", "/none?lang=ja", nil, "ページが見つかりません"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if got := send(t, "GET", base+tt.path, "", tt.headers...); !strings.Contains(got.body, tt.want) {
				t.Errorf("GET %s lacks %q", tt.path, tt.want)
			}
		})
	}

	chosen := send(t, "GET", base+"/?lang=ja", "")
	if cookie := chosen.header.Get("Set-Cookie"); cookie != "lang=ja; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly" {
		t.Errorf("Set-Cookie = %q; want the choice remembered", cookie)
	}
	if cookie := send(t, "GET", base+"/", "").header.Get("Set-Cookie"); cookie != "" {
		t.Errorf("Set-Cookie = %q; want none where nothing was chosen", cookie)
	}
	placed := send(t, "POST", base+place, "item=tea&amount=3", htmx, "Accept-Language: ja")
	for _, c := range placed.header.Get("HX-Trigger") {
		if c > '~' {
			t.Fatalf("HX-Trigger has %q; headers are ASCII", c)
		}
	}
	number := found(t, numberAttribute, placed.body)
	if record := placed.header.Get("Idempotency-Record"); !strings.HasSuffix(record, `; title*=UTF-8''%E6%B3%A8%E6%96%87%20`+number) {
		t.Errorf("Idempotency-Record = %s; want the title in Japanese as well", record)
	}
}
