package core

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// TrailKind is what happened to a key (contract §10).
type TrailKind byte

// The kinds of a trail's entries.
const (
	TrailClaim    TrailKind = iota + 1 // a run of the origin began
	TrailTakeover                      // the same, after another's lease had ended
	TrailCommit
	TrailRelease
	TrailUnknown // a run ended and nobody knows how
	TrailWait    // a duplicate waited
	TrailReplay
	TrailMismatch
	TrailRunning // a duplicate waited longer than its budget
	TrailHeld    // a duplicate was refused, because nobody knows how the run ended
)

var trailWords = [...]string{"", "claim", "takeover", "commit", "release", "unknown", "wait", "replay", "mismatch", "running", "held"}

// String returns the word that pages and JSON use.
func (k TrailKind) String() string {
	if int(k) < len(trailWords) {
		return trailWords[k]
	}
	return ""
}

// Trigger is what a person did, as the browser module tells it in Idempotency-Client (contract §9).
type Trigger byte

var triggerWords = [...]string{"", "click", "enter", "retry", "replay"}

// String returns the module's word, or "" where nobody told.
func (t Trigger) String() string {
	if int(t) < len(triggerWords) {
		return triggerWords[t]
	}
	return ""
}

// TrailEntry is one thing that happened to a key: never a value, and of the record only its name.
type TrailEntry struct {
	Kind    TrailKind
	Attempt int   // run of the origin
	Status  int   // of the answer, 0 if there is none yet
	At      int64 // unix milliseconds of the guard
	Trigger Trigger
	Client  int // which submit of the page, by the module; 0 where nobody told
	Record  [recordNameSize]byte
}

const (
	// TrailEntrySize is the size of each entry in bytes.
	TrailEntrySize = recordNameSize + 13

	// MostMismatches is how many mismatches a key answers over its time; one more is 429 (contract §8).
	MostMismatches = 20
)

// appendTrailEntry writes an entry, always in as many bytes, so that a claim store can cut a trail without
// understanding it.
func appendTrailEntry(dst []byte, e *TrailEntry) []byte {
	dst = append(dst, e.Record[:]...)
	dst = append(dst, byte(e.Kind), byte(e.Trigger), byte(min(e.Client, 255)))
	dst = binary.BigEndian.AppendUint16(dst, uint16(min(e.Attempt, 65535)))
	dst = binary.BigEndian.AppendUint16(dst, uint16(e.Status))
	return append(dst, byte(e.At>>40), byte(e.At>>32), byte(e.At>>24), byte(e.At>>16), byte(e.At>>8), byte(e.At))
}

// decodeTrail reads entries, in the order of their times: what happened beside an answer comes to the claim store
// a little later. What is no whole entry is left out, and of a claim that was told more than once all but one.
func decodeTrail(b []byte) []TrailEntry {
	entries := make([]TrailEntry, 0, len(b)/TrailEntrySize)
	for ; len(b) >= TrailEntrySize; b = b[TrailEntrySize:] {
		rest := b[recordNameSize:]
		e := TrailEntry{
			Kind: TrailKind(rest[0]), Trigger: Trigger(rest[1]), Client: int(rest[2]),
			Attempt: int(binary.BigEndian.Uint16(rest[3:])), Status: int(binary.BigEndian.Uint16(rest[5:])),
			At: int64(binary.BigEndian.Uint16(rest[7:]))<<32 | int64(binary.BigEndian.Uint32(rest[9:])),
		}
		copy(e.Record[:], b)
		if i := slices.IndexFunc(entries, e.sameClaim); i >= 0 {
			entries[i].Client, entries[i].Trigger = max(entries[i].Client, e.Client), max(entries[i].Trigger, e.Trigger)
			continue
		}
		entries = append(entries, e)
		for i := len(entries) - 1; i > 0 && entries[i-1].At > entries[i].At; i-- {
			entries[i-1], entries[i] = entries[i], entries[i-1]
		}
	}
	return entries
}

// parseClient reads Idempotency-Client: `attempt=2; trigger=click`. What it does not know it takes for untold.
func parseClient(value string) (client int, trigger Trigger) {
	for value != "" {
		var part string
		part, value, _ = strings.Cut(value, ";")
		name, text, _ := strings.Cut(trimOWS(part), "=")
		switch name {
		case "attempt":
			if n, err := strconv.Atoi(text); err == nil && n > 0 && n < 256 {
				client = n
			}
		case "trigger":
			for i, word := range triggerWords {
				if word == text {
					trigger = Trigger(i)
				}
			}
		}
	}
	return client, trigger
}

// trailName is where the trail of a key is kept: in the key's claim store, whoever sends the key to whatever
// form. It does not depend on the secret.
func trailName(keyText string) string {
	var out [recordNameSize]byte
	var room [partsRoom]byte
	parts(room[:0]).text(keyText).digest(out[:], &trailLabel)
	return nameText(&out)
}

var trailLabel = newLabel("singleshot trail 1")

// note puts an entry down for the trail; it goes out with the next write, or with the answer.
func (x *Exchange) note(kind TrailKind, status int) {
	attempt := x.attempt
	if kind == TrailReplay || kind == TrailMismatch || kind == TrailWait || kind == TrailHeld {
		attempt = x.other.Attempt
	}
	if x.notes == nil {
		x.notes = make([]byte, 0, 2*TrailEntrySize) // few exchanges have more to tell
	}
	x.notes = appendTrailEntry(x.notes, &TrailEntry{
		Kind: kind, Attempt: attempt, Status: status, At: x.now, Trigger: x.trigger, Client: x.client, Record: x.recordName,
	})
}

// appendFound writes the entry of a claim that was found, for its holder, who died: a run's own entries go out with
// its end. Each who finds it may tell it, and a holder who was only late; it is read once.
func (x *Exchange) appendFound(dst []byte) []byte {
	return appendTrailEntry(dst, &TrailEntry{
		Kind: TrailClaim, Attempt: x.other.Attempt, At: x.other.Claimed, Record: x.recordName,
	})
}

// sameClaim says whether two entries tell of one claim.
func (e *TrailEntry) sameClaim(other TrailEntry) bool {
	return e.Kind == TrailClaim && other.Kind == TrailClaim &&
		e.Record == other.Record && e.Attempt == other.Attempt && e.At == other.At
}

// Trail is what is known of a key.
type Trail struct {
	Digest  string // claim store and name, as the log has it
	Count   int    // entries ever; more than len(Entries) where the middle was left out
	Entries []TrailEntry
}

// appendJSON writes the trail for programs.
func (t *Trail) appendJSON(dst []byte) []byte {
	w := &noticeWriter{buf: dst, language: English}
	w.raw(`{"key":`)
	w.json(t.Digest)
	w.raw(`,"count":`)
	w.number(t.Count)
	w.raw(`,"summary":`)
	what, n := t.summary()
	w.json(string(what.appendText(nil, English, n)))
	w.raw(`,"entries":[`)
	for i := range t.Entries {
		e := &t.Entries[i]
		if i > 0 {
			w.raw(",")
		}
		w.raw(`{"at":"`)
		w.rfc3339(instantOf(e.At))
		w.raw(`","event":"`, e.Kind.String(), `","attempt":`)
		w.number(e.Attempt)
		if e.Status > 0 {
			w.raw(`,"status":`)
			w.number(e.Status)
		}
		if e.Trigger != 0 {
			w.raw(`,"trigger":"`, e.Trigger.String(), `"`)
		}
		if e.Client > 0 {
			w.raw(`,"client":`)
			w.number(e.Client)
		}
		w.raw(`,"record":"`, text64.EncodeToString(e.Record[:]), `"}`)
	}
	w.raw("]}")
	return w.buf
}
