package app

import (
	"net/http/httptest"
	"testing"
)

func TestPreferredLanguage(t *testing.T) {
	tests := []struct {
		why    string
		header string
		want   language
	}{
		{"nothing said", "", english},
		{"what Chromium in Japan sends", "ja,en-US;q=0.9,en;q=0.8", japanese},
		{"what a British Firefox sends", "en-GB,en;q=0.5", english},
		{"a region does not matter", "ja-JP", japanese},
		{"letter case does not matter", "JA-jp", japanese},
		{"the weight decides, not the place", "en;q=0.3, ja;q=0.7", japanese},
		{"of equals the first wins", "ja, en", japanese},
		{"languages we lack are passed over", "fr, de;q=0.9, ja;q=0.1", japanese},
		{"only languages we lack", "fr, de", english},
		{"weight 0 means not this one", "ja;q=0, fr", english},
		{"a broken weight is not said", "ja;q=x, fr", english},
		{"a weight above 1 is broken", "en;q=0.5, ja;q=7", english},
		{"NaN is broken", "ja;q=NaN", english},
		{"anything goes", "*", english},
		{"a longer word is another language", "jam, english", english},
		{"space around everything", "  ja ; q=0.5 ", japanese},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if got := preferred(tt.header); got != tt.want {
				t.Errorf("preferred(%q) = %q; want %q", tt.header, got, tt.want)
			}
		})
	}
}

func TestLanguageOfRequest(t *testing.T) {
	tests := []struct {
		why    string
		url    string
		cookie string
		accept string
		want   language
		chosen bool
	}{
		{"the address beats all", "/?lang=ja", "en", "en", japanese, true},
		{"the choice made before beats the browser", "/", "ja", "en", japanese, false},
		{"the browser, if nothing was chosen", "/", "", "ja", japanese, false},
		{"an unknown choice is none", "/?lang=fr", "xx", "ja", japanese, false},
		{"English without any hint", "/", "", "", english, false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			r := httptest.NewRequest("GET", tt.url, nil)
			if tt.cookie != "" {
				r.Header.Set("Cookie", languageCookie+"="+tt.cookie)
			}
			if tt.accept != "" {
				r.Header.Set("Accept-Language", tt.accept)
			}
			got, chosen := languageOf(r)
			if got != tt.want || chosen != tt.chosen {
				t.Errorf("languageOf = %q, %v; want %q, %v", got, chosen, tt.want, tt.chosen)
			}
		})
	}
}

func FuzzPreferred(f *testing.F) {
	f.Add("ja,en-US;q=0.9,en;q=0.8")
	f.Add("*;q=0.1;,,ja;q=")
	f.Fuzz(func(t *testing.T, header string) {
		if got := preferred(header); got != english && got != japanese {
			t.Errorf("preferred(%q) = %q; want one of ours", header, got)
		}
	})
}
