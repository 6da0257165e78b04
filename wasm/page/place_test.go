package page

import (
	"testing"

	"github.com/singleshot-edge/singleshot/core"
)

// repeating is a key whose form asked for repeat mode.
var repeating = core.MintKey(make([]byte, 32), core.Key{Repeat: true})

// after is a tab in which submits to a place went through, one after the other.
func after(s Submit, sent ...byte) *Page {
	p := &Page{}
	for _, b := range sent {
		s.Sent, s.Form = print(b), print(b+100)
		_, _, s.Repeat = p.Submit(s)
		p.Answer(s.Place, Answer{Status: 200, Word: "created"})
	}
	return p
}

// TestOnlyWhatTheGuardRefusesIsChanged: the guard takes another payload in repeat mode (contract §1).
func TestOnlyWhatTheGuardRefusesIsChanged(t *testing.T) {
	order, repeat := at("k"), at(repeating)
	update, preview := at("k"), at("k")
	update.Override, preview.Path = "PATCH", "/orders/preview"
	tests := []struct {
		reason string
		before Submit
		went   []byte
		now    Submit
		sent   byte
		want   Verdict // of the submit
		edit   Verdict // of the form as it looks then
	}{
		{"the form of the key", Submit{Place: order}, []byte{1}, Submit{Place: order}, 2, Changed, Changed},
		{"it asked for repeat mode", Submit{Place: repeat}, []byte{1}, Submit{Place: repeat}, 2, New, New},
		{"the same in repeat mode", Submit{Place: repeat}, []byte{1}, Submit{Place: repeat}, 1, Duplicate, Duplicate},
		{"the second of two in repeat mode", Submit{Place: repeat}, []byte{1, 2}, Submit{Place: repeat}, 2, Duplicate, Duplicate},
		{"the first of two: of several one is remembered", Submit{Place: repeat}, []byte{1, 2}, Submit{Place: repeat}, 1, Again, Again},
		{"an update", Submit{Place: update}, []byte{1}, Submit{Place: update}, 2, New, New},
		{"the same update", Submit{Place: update}, []byte{1}, Submit{Place: update}, 1, Duplicate, Duplicate},
		{"an update after the form itself", Submit{Place: order}, []byte{1}, Submit{Place: update}, 2, New, New},
		{"the form itself after an update", Submit{Place: update}, []byte{1}, Submit{Place: order}, 2, New, New},
		{"a button that goes elsewhere", Submit{Place: order}, []byte{1}, Submit{Place: preview}, 1, New, New},
		{"the form itself after that button", Submit{Place: preview}, []byte{1}, Submit{Place: order}, 1, New, New},
		{"a script's request", Submit{Place: order, Script: true}, []byte{1}, Submit{Place: order, Script: true}, 2, New, New},
		{"too large for repeat mode: edits are not judged by their size", Submit{Place: update, Weight: Large}, []byte{1}, Submit{Place: update, Weight: Large}, 2, Changed, Again},
		{"a small update after a large one", Submit{Place: update, Weight: Large}, []byte{1}, Submit{Place: update}, 2, New, Again},
		{"it may be too large", Submit{Place: update}, []byte{1}, Submit{Place: update, Weight: Unsure}, 2, Again, New},
		{"once mode whatever the size", Submit{Place: order}, []byte{1}, Submit{Place: order, Weight: Large}, 2, Changed, Changed},
	}
	for _, tt := range tests {
		p := after(tt.before, tt.went...)
		if got := p.Edit(tt.now.Place, print(tt.sent+100)); got != tt.edit {
			t.Errorf("an edit is %d; want %d: %s", got, tt.edit, tt.reason)
		}
		tt.now.Sent = print(tt.sent)
		if got, _, _ := p.Submit(tt.now); got != tt.want {
			t.Errorf("verdict = %d; want %d: %s", got, tt.want, tt.reason)
		}
	}
}

func TestStateIsOfAPlace(t *testing.T) {
	preview := at("k")
	preview.Path = "/orders/preview"
	p := after(Submit{Place: preview}, 1)
	if got := p.State(at("k")); got != Live {
		t.Errorf("the form = %d after its preview; want live", got)
	}
	if got := p.State(preview); got != Spent {
		t.Errorf("the preview = %d; want spent", got)
	}
	if _, press := p.send("k", print(1), nil); press != 2 {
		t.Errorf("press = %d; want the second with this key, as the trail counts", press)
	}
}

func TestDownloadLeavesItsFormInRepeatMode(t *testing.T) {
	p := &Page{}
	p.send("k", print(1), print(101))
	p.Answer(at("k"), Answer{Status: 200, Word: "created", Attachment: true})
	if got := p.Edit(at("k"), print(102)); got != New {
		t.Errorf("other values = %d; want new", got)
	}
	if got := p.Edit(at("k"), print(101)); got != Duplicate {
		t.Errorf("the same values = %d; want a duplicate", got)
	}
}

func TestRepeatModeOutlivesTheDocument(t *testing.T) {
	var next Page
	next.Load(after(Submit{Place: at(repeating)}, 1, 2).Save(nil))
	if got := next.Edit(at(repeating), print(103)); got != Again {
		t.Errorf("a third payload = %d; want again: this tab does not know all of them", got)
	}
	// A page that goes away with another payload has that record too, whatever comes of it.
	one := after(Submit{Place: at(repeating)}, 1)
	_, _, repeat := one.Submit(Submit{Place: at(repeating), Sent: print(2), Form: print(102)})
	to := at(repeating)
	to.Repeat = repeat
	one.Leave(to, true)
	if got := one.Edit(at(repeating), print(102)); got != Again {
		t.Errorf("what the page went away with = %d; want again", got)
	}
	if got := one.Edit(at(repeating), print(101)); got != Duplicate {
		t.Errorf("what had gone through before = %d; want a duplicate", got)
	}
}

func TestWhatAFormSays(t *testing.T) {
	tests := []struct {
		reason  string
		verdict Verdict
		state   State
		sending bool
		want    Word
	}{
		{"it is sent again", Duplicate, Spent, true, WordDuplicate},
		{"it holds again what went through", Duplicate, Spent, false, WordSpent},
		{"it would be refused", Changed, Spent, false, WordChanged},
		{"it will be refused", Changed, Spent, true, WordChanged},
		{"nobody knows whether it went through, so nothing is refused for sure", Changed, Sent, true, words},
		{"nor by typing", Changed, Sent, false, words},
		{"nobody knows whether it went through", Duplicate, Sent, true, WordSent},
		{"the guard runs it", New, Spent, true, words},
		{"nobody knows", Again, Spent, false, words},
		{"nothing was sent", New, Live, true, words},
	}
	for _, tt := range tests {
		if got := Say(tt.verdict, tt.state, tt.sending); got != tt.want {
			t.Errorf("word %d; want %d: %s", got, tt.want, tt.reason)
		}
	}
}
