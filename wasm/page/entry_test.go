package page

import "testing"

// TestAFormGoesOnWithTheKeyOfItsNewEntry: what the guard refused under one key went through under another.
func TestAFormGoesOnWithTheKeyOfItsNewEntry(t *testing.T) {
	tests := []struct {
		reason string
		entry  Answer // to the new entry
		looks  byte   // the form then
		want   bool
		edit   Verdict // of the form, by the new key
	}{
		{"it holds what was refused", Answer{Status: 200, Word: "created"}, 102, true, Duplicate},
		{"the entry had gone through before", Answer{Status: 200, Word: "replayed"}, 102, true, Duplicate},
		{"it led elsewhere", Answer{Status: 200, Redirected: true, Place: "/orders/2"}, 102, true, Duplicate},
		{"something else was typed meanwhile: nobody knows how the entry would look in it", Answer{Status: 200, Word: "created"}, 103, true, Again},
		{"it holds again what went through with its own key", Answer{Status: 200, Word: "created"}, 101, false, Again},
		{"the entry was not valid", Answer{Status: 422, Word: "released"}, 102, false, New},
		{"nobody knows whether the entry went through", Answer{Status: 502, Word: "unknown"}, 102, false, Again},
	}
	for _, tt := range tests {
		p := done("old", 1)
		p.send("old", print(2), print(102))
		p.Answer(at("old"), Answer{Status: 422, Word: "mismatch"})
		p.send("new", print(2), nil)
		p.Answer(at("new"), tt.entry)
		if got := p.Adopt(at("new"), "old", print(tt.looks)); got != tt.want {
			t.Errorf("the form takes the new key: %t; want %t: %s", got, tt.want, tt.reason)
		}
		if got := p.Edit(at("new"), print(tt.looks)); got != tt.edit {
			t.Errorf("the form is %d under the new key; want %d: %s", got, tt.edit, tt.reason)
		}
		if v, _ := p.send("new", print(2), nil); tt.want && v != Duplicate {
			t.Errorf("the form sent again = %d; want a duplicate: %s", v, tt.reason)
		}
	}
}
