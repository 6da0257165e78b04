//go:build !js && !wasip1

package app

import (
	"encoding/json"
	"testing"
)

func TestJSONTextIsASCIIAndReadsBack(t *testing.T) {
	for _, text := range []string{"Order 1", `"\` + "\n\x00\x7f", "注文 1", "😀"} {
		quoted := jsonText(text)
		var back string
		if err := json.Unmarshal([]byte(quoted), &back); err != nil || back != text {
			t.Errorf("jsonText(%q) = %s, reads back as %q, %v", text, quoted, back, err)
		}
		for _, c := range quoted {
			if c < ' ' || c > '~' {
				t.Errorf("jsonText(%q) = %s; want ASCII", text, quoted)
			}
		}
	}
}
