package core

// move is what a request does about the record it found.
type move byte

const (
	moveRun      move = iota // swap it away and run the origin
	moveTakeOver             // the same, but only if the lease is still over when the swap gets there
	moveWait                 // somebody else's run is under way
	moveCompare              // the own body has to be hashed first
	moveReplay               // give the committed answer again
	moveMismatch             // 422
	moveShare                // give the answer of the release that it waited for
	moveUnknown              // 409: nobody knows, and the rule says hold
)

// circumstances are what the decision depends on besides the record.
type circumstances struct {
	lease     int64 // milliseconds left of the found claim, by the store's clock
	hold      bool  // rule unknown = "hold"
	compare   bool  // bodies are compared
	known     bool  // the own fingerprint is known
	own       Fingerprint
	waitedFor int // the attempt that this request waited for, 0 if none
}

// decide is the whole transition table (contract §1): pure, and the only place that knows it.
func decide(r *Record, c circumstances) move {
	same := !c.compare || !r.Known || r.Fingerprint == c.own
	switch r.State {
	case Claimed:
		if c.lease > 0 {
			return moveWait // with another fingerprint too: it may be released (§1.2)
		}
		if c.hold {
			return moveUnknown
		}
		return moveTakeOver
	case Committed:
		if c.compare && r.Known && !c.known {
			return moveCompare
		}
		if !same {
			return moveMismatch
		}
		return moveReplay
	case Released:
		// Nobody runs again because somebody else failed: who waited shares (§1.2). Whom it waited for may have
		// been taken over since, by somebody whose release this is. A large body was not read yet and streams as
		// the new run (§3).
		waited := 0 < c.waitedFor && c.waitedFor <= r.Attempt
		switch {
		case waited && same && (c.known || !c.compare):
			return moveShare
		case r.Unknown && c.hold:
			return moveUnknown
		}
		return moveRun
	}
	return moveRun
}
