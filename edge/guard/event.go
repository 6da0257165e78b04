//go:build wasip1

package main

import (
	"bytes"
	"strconv"
	"strings"

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

// readEvent reads what happened: a line of time, found, failed, version, lease, tally, status, length, whole, body,
// tooLarge and sent, set off by spaces, each as JavaScript writes it; then a sealed head, or the headers as lines.
// ok is false where it is none, or where the effect cannot fail.
func readEvent(asked core.EffectKind, input []byte) (e core.Event, said word, ok bool) {
	end := bytes.IndexByte(input, '\n')
	if end < 0 {
		return e, 0, false
	}
	line := string(input[:end])
	var parts [12]string
	for i := range parts {
		parts[i], line, _ = strings.Cut(line, " ")
	}
	number := func(i int) int64 {
		v, _ := strconv.ParseInt(parts[i], 10, 64)
		return v
	}
	truth := func(i int) bool { return parts[i] == "true" }
	switch {
	case truth(2):
		said = failed
	case truth(1):
		said = found
	}
	if said == failed && (asked == core.DoHash || asked == core.DoDrain || asked == core.DoRespond) {
		return e, said, false
	}
	e = core.Event{
		Kind: events[asked][said], Now: number(0),
		Lease: number(4), Mismatches: int(number(5)), Status: int(number(6)), Length: number(7),
		Whole: truth(8), HasBody: truth(9), TooLarge: truth(10), Sent: truth(11),
	}
	if parts[3] == "busy" {
		e.Kind = core.EventBusy
	}
	e.Version, _ = core.ParseVersion(parts[3])
	if e.Kind == core.EventHead {
		lines := lineReader(string(input[end+1:]))
		e.Headers = lines.headers()
	} else {
		e.Head = input[end+1:]
	}
	return e, said, true
}
