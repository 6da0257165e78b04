package core

import "testing"

func TestJapaneseOnlyWhereItIsPreferred(t *testing.T) {
	tests := []struct {
		accept string
		want   Language
		why    string
	}{
		{"", English, "nothing said"},
		{"ja", Japanese, "the only one"},
		{"ja-JP", Japanese, "with a region"},
		{"JA", Japanese, "letter case does not count"},
		{"ja,en-US;q=0.9,en;q=0.8", Japanese, "Chrome in Japan"},
		{"ja,en-US;q=0.7,en;q=0.3", Japanese, "Firefox in Japan"},
		{"en-US,en;q=0.9,ja;q=0.8", English, "Chrome of somebody who reads both"},
		{"en;q=0.5, ja;q=0.6", Japanese, "weight before place"},
		{"en;q=0.601, ja;q=0.600", English, "to the third digit"},
		{"ja, en", Japanese, "equal weight: the first"},
		{"en, ja", English, "equal weight: the first"},
		{"fr, ja;q=0.8", Japanese, "the one of ours that is wanted"},
		{"fr, de", English, "neither is wanted"},
		{"*", English, "anything"},
		{"*;q=0.5, ja;q=0.4", English, "English counts as anything"},
		{"ja, *;q=0.5", Japanese, "anything else, less"},
		{"ja;q=0", English, "refused"},
		{"ja;q=0, en;q=0.1", English, "refused"},
		{"ja;q=0, *", English, "refused, anything else"},
		{"jam, ja-x", Japanese, "a longer tag is another language, ja-x is not"},
		{"jam", English, "Jamaican Creole"},
		{"ja ; q=0.9 , en ; q=1.0", English, "white space around everything"},
		{"ja;q=1.5, en;q=0.1", English, "a weight above 1 cannot be read"},
		{"ja;q=, en;q=0.1", English, "nor an empty one"},
		{"ja;q=0.9999, en;q=0.1", English, "nor one of four digits"},
		{"ja;q=.9, en;q=0.1", English, "nor one without its 0"},
		{"ja;q=0,9, en;q=0.1", English, "nor a comma for a point: q is 0"},
		{"ja;q=0_9, en;q=0.1", English, "nor another mark"},
		{"ja;q=0.x, en;q=0.1", English, "nor a letter for a digit"},
		{"ja;q=1, en;q=0.9", Japanese, "one digit is a weight"},
		{";;,,;q=1,", English, "no tag at all"},
	}
	for _, tt := range tests {
		if got := ParseLanguage(tt.accept); got != tt.want {
			t.Errorf("ParseLanguage(%q) = %v; want %v: %s", tt.accept, got, tt.want, tt.why)
		}
	}
}

func FuzzParseLanguage(f *testing.F) {
	f.Add("ja,en-US;q=0.9,en;q=0.8")
	f.Add("*;q=0.5;x=\"y\", ja")
	f.Fuzz(func(t *testing.T, accept string) {
		got := ParseLanguage(accept)
		if got != ParseLanguage(accept+",") {
			t.Errorf("ParseLanguage(%q) changes with an empty member at the end", accept)
		}
		if got == Japanese && ParseLanguage("en,"+accept) == Japanese && ParseLanguage("en;q=1.000,"+accept) == Japanese {
			t.Errorf("ParseLanguage(%q) prefers Japanese to an English of full weight before it", accept)
		}
	})
}
