package page

import "github.com/singleshot-edge/singleshot/core"

// Adopt says whether a form goes on with the key of a new entry: the guard had refused what the form held, the
// person has submitted that from the notice, with the fresh key that was in it, and it went through. The place is
// that submit's; key is the form's, form how it looks now.
//
// A form that holds again what went through with its own key keeps it: that answer is what it would get.
func (p *Page) Adopt(entry Place, key string, form *core.Fingerprint) bool {
	fresh := p.find(entry.name(entry.Repeat))
	if fresh == nil || fresh.state != Spent {
		return false
	}
	own := entry
	own.Key = key
	old, looks := p.find(own.name(false)), sum(key, form[:])
	if old != nil && old.form == looks {
		return false
	}
	// The notice's form held the button among its fields, so it looked like no form that a person can edit.
	fresh.form = digest{}
	if old != nil && old.latestForm == looks {
		fresh.form = sum(entry.Key, form[:])
	}
	return true
}
