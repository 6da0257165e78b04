package core

import "testing"

// TestTheTransitionTable is contract §1 as a table: what a request does about the record it found.
func TestTheTransitionTable(t *testing.T) {
	own, other := Fingerprint{1}, Fingerprint{2}
	at := func(s State, f Fingerprint) Record { return Record{State: s, Attempt: 2, Known: true, Fingerprint: f} }
	unread := Record{State: Committed, Attempt: 2} // its large body was malformed: it has no fingerprint
	unknown := at(Released, own)
	unknown.Unknown = true
	usual := circumstances{compare: true, known: true, own: own}
	with := func(change func(*circumstances)) circumstances {
		c := usual
		change(&c)
		return c
	}
	hold := with(func(c *circumstances) { c.hold = true })
	leased := with(func(c *circumstances) { c.lease = 1 })
	waited := func(attempt int) circumstances { return with(func(c *circumstances) { c.waitedFor = attempt }) }
	large := with(func(c *circumstances) { c.known = false })
	webhook := with(func(c *circumstances) { c.compare = false })
	for _, tt := range []struct {
		why   string
		found Record
		c     circumstances
		want  move
	}{
		{"somebody is at work", at(Claimed, own), leased, moveWait},
		{"with other values too: it may be released", at(Claimed, other), leased, moveWait},
		{"the holder died", at(Claimed, own), usual, moveTakeOver},
		{"and left other values", at(Claimed, other), usual, moveTakeOver},
		{"the holder died, and nobody is to run again", at(Claimed, own), hold, moveUnknown},
		{"a duplicate", at(Committed, own), usual, moveReplay},
		{"a changed resubmit", at(Committed, other), usual, moveMismatch},
		{"a large duplicate is read before it is judged", at(Committed, own), large, moveCompare},
		{"what has no fingerprint is not compared", unread, usual, moveReplay},
		{"nor is a large body with it", unread, large, moveReplay},
		{"a sender that changes its body between attempts", at(Committed, other), webhook, moveReplay},
		{"and sends a large one", at(Committed, other), with(func(c *circumstances) { c.compare, c.known = false, false }), moveReplay},
		{"a release gives the key back", at(Released, own), usual, moveRun},
		{"to other values too", at(Released, other), usual, moveRun},
		{"who waited for a release shares it", at(Released, own), waited(2), moveShare},
		{"and that of somebody who took over meanwhile", at(Released, own), waited(1), moveShare},
		{"other values run", at(Released, other), waited(2), moveRun},
		{"one that came after the record it waited for was forgotten is none it waited for", at(Released, own), waited(3), moveRun},
		{"a large body was not read yet, and runs", at(Released, own), with(func(c *circumstances) { c.known, c.waitedFor = false, 2 }), moveRun},
		{"a webhook shares without a look at its body", at(Released, other), with(func(c *circumstances) { c.compare, c.waitedFor = false, 2 }), moveShare},
		{"a large one too", at(Released, other), with(func(c *circumstances) { c.compare, c.known, c.waitedFor = false, false, 2 }), moveShare},
		{"nobody knows, and the next one runs", unknown, usual, moveRun},
		{"nobody knows, and nobody is to run again", unknown, hold, moveUnknown},
		{"who waited for it is told what the first was told", unknown, with(func(c *circumstances) { c.hold, c.waitedFor = true, 2 }), moveShare},
		{"a release under hold is a release", at(Released, own), hold, moveRun},
	} {
		if got := decide(&tt.found, tt.c); got != tt.want {
			t.Errorf("%s: decide = %d; want %d", tt.why, got, tt.want)
		}
	}
}
