package simulator

import (
	"encoding/binary"

	"github.com/singleshot-edge/singleshot/core"
)

// answer is a value in KV. It has no compare-and-set, shows late in other places, and remembers there for a
// minute that it was missing (KV's documented behaviour; each guard of the simulation reads in a place of its own).
type answer struct {
	value   []byte
	head    int // bytes of the head that the value begins with; 0 where it is a body alone
	means   meaning
	written int64
	expires int64
	shows   [mostGuards]int64 // from when on, for each place
	missing [mostGuards]int64 // until then a miss is remembered
}

const remembered = 60_000 // milliseconds for which KV caches that something is not there

// put writes to KV. Where nobody waits for it (heard is false) its failure is only logged.
func (w *world) put(c *carrier, name string, head, body []byte, ttl int64, heard bool) {
	k := w.newCall(callPut, c)
	k.name, k.ttl, k.unheard = name, max(60_000, (ttl+999)/1000*1000), !heard
	k.record = nil
	k.head = append(k.head[:0], head...)
	k.body = append(k.body[:0], body...)
	k.means = c.outcome()
	k.means.written = w.now
	w.checkSecret(c.record, k.head, k.body)
	w.tally.Writes++
	fails, unsure := w.chance.hits(w.weather.kvFails), w.chance.hits(w.weather.kvUnsure)
	switch {
	case !fails:
		k.event = core.Event{Kind: core.EventKept}
		w.queueCall(w.now+w.transit(), arrivalDue, k)
	case unsure:
		twin := w.twin(k)
		twin.unheard = true
		w.queueCall(w.now+w.transit(), arrivalDue, twin)
		fallthrough
	default:
		w.tally.KVFailures++
		k.event = core.Event{Kind: core.EventKeepFailed}
		if w.story != nil {
			w.say(c.record, "~ lost: #%d's write to KV fails", c.serial)
		}
		w.queueCall(w.now+w.patience(), replyDue, k)
	}
}

// fetch reads from KV, in the guard's place.
func (w *world) fetch(c *carrier, e *core.Effect) { w.get(c, e.Name, true) }

// get reads a name. A read that comes before the claim store has spoken would plant a miss in KV's cache, just
// when the duplicates arrive (ARCHITECTURE.md).
func (w *world) get(c *carrier, name string, heard bool) {
	if !c.storeFailed && c.seen.kind != actCommit {
		w.broken("KV", c.record, "#%d reads KV before the claim store has spoken", c.serial)
		return
	}
	k := w.newCall(callGet, c)
	k.name, k.unheard = name, !heard
	k.wait = int64(c.guard.index)
	w.tally.Reads++
	w.queueCall(w.now+w.transit(), arrivalDue, k)
}

// arriveKV carries out a call at KV.
func (w *world) arriveKV(k *call) {
	a := w.answers[k.name]
	if k.kind == callPut {
		if a == nil {
			a = w.newAnswer()
			w.answers[k.name] = a
		}
		a.value = append(append(a.value[:0], k.head...), k.body...)
		a.head, a.means, a.written, a.expires = len(k.head), k.means, w.now, w.now+k.ttl
		for place := range a.shows {
			a.shows[place] = w.now
			if w.weather.kvSpreads {
				a.shows[place] = max(w.now+w.chance.between(0, remembered), a.missing[place])
			}
		}
		w.reply(k)
		return
	}
	k.event = core.Event{Kind: core.EventMissing}
	place := k.wait
	switch {
	case a == nil:
		if w.weather.kvSpreads {
			a = w.newAnswer()
			a.missing[place] = w.now + remembered
			w.answers[k.name] = a
		}
	case w.now < a.missing[place] || w.now < a.shows[place]:
	case w.now >= a.expires || w.chance.hits(w.weather.kvFails):
		if w.weather.kvSpreads {
			a.missing[place] = w.now + remembered
		}
	default:
		k.head = append(k.head[:0], a.value[:a.head]...)
		k.body = append(k.body[:0], a.value[a.head:]...)
		k.event = core.Event{Kind: core.EventFound, Head: k.head, HasBody: len(k.body) > 0}
		if a.head > 0 {
			k.seen = a.means
		}
		if w.chance.hits(w.weather.kvSpoilt) {
			w.spoil(k)
		}
	}
	w.reply(k)
}

// spoil changes one bit of what KV returns. The host cuts the bytes into head and body by a length that stands
// in them; where that cannot be, it gives up, as it does on bytes that do not open.
func (w *world) spoil(k *call) {
	w.tally.Spoilt++
	k.carrier.spoilt = true
	value := append(k.head, k.body...)
	if len(value) == 0 {
		return
	}
	value[w.chance.pick(len(value))] ^= 1 << w.chance.pick(8)
	head := 0
	if len(k.head) > 0 {
		head = 25 + int(binary.BigEndian.Uint32(value[21:]))
	}
	if head > len(value) {
		k.broken = true
		return
	}
	k.head = value
	k.body = append(k.body[:0], value[head:]...)
	k.event.Head, k.event.HasBody = value[:head], len(value) > head
}

func (w *world) newAnswer() *answer {
	if w.usedAnswers == len(w.answerPool) {
		w.answerPool = append(w.answerPool, new(answer))
	}
	a := w.answerPool[w.usedAnswers]
	w.usedAnswers++
	*a = answer{value: a.value[:0]}
	return a
}
