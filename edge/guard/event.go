//go:build wasip1

package main

import (
	"strconv"

	"github.com/singleshot-edge/singleshot/core"
)

// events says what the host's word means for what it was asked to do: that it is done or nothing is there, that it
// found something, that it failed.
var events = [...][3]core.EventKind{
	core.DoHash:    {core.EventHashed, core.EventHashed},
	core.DoDrain:   {core.EventHashed, core.EventHashed},
	core.DoSwap:    {core.EventSwapped, core.EventRefused, core.EventStoreFailed},
	core.DoWait:    {core.EventTimedOut, core.EventChanged, core.EventStoreFailed},
	core.DoForward: {core.EventOriginFailed, core.EventHead, core.EventOriginFailed},
	core.DoCollect: {core.EventOriginFailed, core.EventBody, core.EventOriginFailed},
	core.DoFetch:   {core.EventMissing, core.EventFound, core.EventMissing},
	core.DoTrail:   {core.EventStoreFailed, core.EventTrail, core.EventStoreFailed},
	core.DoForget:  {core.EventForgotten, core.EventForgotten, core.EventStoreFailed},
	core.DoKeep:    {core.EventKept, core.EventKept, core.EventKeepFailed},
	core.DoRespond: {core.EventSent, core.EventSent},
}

// word is what the host says of an effect.
type word int

const (
	done word = iota
	found
	failed
)

// readEvent reads what happened: a line of time; what was found, name and value in turn, as JavaScript writes them; an
// empty line; then headers in the same way, or else a sealed head. ok is false where the effect cannot fail.
func readEvent(asked core.EffectKind, input []byte) (e core.Event, said word, ok bool) {
	lines := lineReader(string(input))
	number := func(text string) int64 {
		v, _ := strconv.ParseInt(text, 10, 64)
		return v
	}
	e.Now = number(lines.next())
	busy := false
	for name := lines.next(); name != ""; name = lines.next() {
		value := lines.next()
		switch name {
		case "found":
			if value == "true" {
				said = max(said, found)
			}
		case "failed":
			said = failed
		case "version":
			e.Version, _ = core.ParseVersion(value)
			busy = value == "busy"
		case "lease":
			e.Lease = number(value)
		case "tally":
			e.Mismatches = int(number(value))
		case "status":
			e.Status = int(number(value))
		case "length":
			e.Length = number(value)
		case "whole":
			e.Whole = value == "true"
		case "body":
			e.HasBody = value == "true"
		case "tooLarge":
			e.TooLarge = value == "true"
		case "sent":
			e.Sent = value == "true"
		}
	}
	if said == failed && (asked == core.DoHash || asked == core.DoDrain || asked == core.DoRespond) {
		return e, said, false
	}
	e.Kind = events[asked][said]
	if busy {
		e.Kind = core.EventBusy
	}
	if e.Kind == core.EventHead {
		e.Headers = lines.headers()
	} else {
		e.Head = input[len(input)-len(lines):]
	}
	return e, said, true
}
