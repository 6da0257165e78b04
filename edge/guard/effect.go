//go:build wasip1

package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/singleshot-edge/singleshot/core"
)

// A message to the host is a line of JSON: `do` names the method of its Carrier that carries it out, without one the
// exchange is over; `blobs` names byte strings and their lengths, which follow the line in that order. What has its
// zero value is left out.
type message struct {
	object
	blobs []blob
}

type blob struct {
	name  string
	bytes []byte
}

// theOne is the memory of every message: each is told before the next one is made.
var theOne message

func newMessage(handle uint32, do string) *message {
	theOne = message{object: object{out: append(result(), '{')}, blobs: theOne.blobs[:0]}
	theOne.text("do", do)
	theOne.integer("handle", int64(handle))
	return &theOne
}

// give hands the message out.
func (m *message) give() uint32 {
	if len(m.blobs) > 0 {
		m.member("blobs")
		open := byte('[')
		for _, b := range m.blobs {
			m.out = append(m.out, open, '[')
			m.out = core.AppendJSONString(m.out, b.name)
			m.out = append(m.out, ',')
			m.out = strconv.AppendInt(m.out, int64(len(b.bytes)), 10)
			m.out = append(m.out, ']')
			open = ','
		}
		m.out = append(m.out, ']')
	}
	m.out = append(m.out, '}', '\n')
	for _, b := range m.blobs {
		m.out = append(m.out, b.bytes...)
	}
	return give(m.out)
}

// claims is a call of the claim store at the address of an effect, with the message as its argument.
func (m *message) claims(call string, e *core.Effect) {
	m.text("call", call)
	m.text("shard", e.Shard)
	m.text("region", core.Regions[e.Region])
	m.text("trail", e.Trail)
	m.text("name", e.Name)
}

// put is a call of KV, which keeps nothing for less than a minute.
func (m *message) put(name string, ttl int64) {
	m.text("call", "put")
	m.text("name", name)
	m.member("options")
	options := object{out: append(m.out, '{')}
	options.integer("expirationTtl", max(60, (ttl+999)/1000))
	m.out = append(options.out, '}')
}

// tell tells the host an effect of core. With more, the exchange goes on after the answer.
func tell(handle uint32, e *core.Effect, more bool) uint32 {
	var m *message
	switch e.Kind {
	case core.DoHash:
		m = newMessage(handle, "hash")
		m.integer("limit", e.Limit)
	case core.DoDrain:
		m = newMessage(handle, "hash")
	case core.DoSwap:
		m = newMessage(handle, "claims")
		m.claims("swap", e)
		m.text("old", e.Old.String())
		m.text("version", e.Version.String())
		m.truth("lapsed", e.Lapsed)
		m.integer("lease", e.Lease)
		m.integer("ttl", e.TTL)
		m.integer("bodyTtl", e.BodyTTL)
		m.truth("sealed", e.Body)
		m.blobs = append(m.blobs, blob{"head", e.Head})
		if len(e.Note) > 0 {
			m.blobs = append(m.blobs, blob{"note", e.Note})
		}
	case core.DoWait:
		m = newMessage(handle, "claims")
		m.claims("wait", e)
		m.text("old", e.Old.String())
		m.integer("ms", e.Wait)
	case core.DoTrail:
		m = newMessage(handle, "claims")
		e.Name = "" // nor has its row one
		m.claims("read", e)
	case core.DoForget:
		m = newMessage(handle, "claims")
		m.claims("forget", e)
		m.list("names", len(e.Forget), func(out []byte, i int) []byte { return core.AppendJSONString(out, e.Forget[i]) })
	case core.DoForward:
		m = newMessage(handle, "forward")
		if e.Lease > 0 {
			m.claims("renew", e)
			m.text("version", e.Version.String())
			m.integer("lease", e.Lease)
		}
		if guard.OriginURL() != "" {
			m.text("origin", guard.OriginURL())
		}
		m.truth("stream", e.Stream)
		m.truth("strip", e.Strip)
		m.edit(e.Edit)
	case core.DoCollect:
		m = newMessage(handle, "collect")
		m.integer("limit", e.Limit)
		m.truth("inject", e.Inject)
	case core.DoFetch:
		m = newMessage(handle, "answers")
		m.text("call", "get")
		m.text("name", e.Name)
		m.text("options", "arrayBuffer")
		m.truth("headed", strings.IndexByte(e.Name, '.') < 0) // under a record's own name its head stands before the body
	case core.DoKeep:
		m = newMessage(handle, "answers")
		m.put(e.Name, e.TTL)
		m.truth("sealed", true)
	case core.DoRespond:
		m = newMessage(handle, "respond")
		m.answer(e)
		m.truth("last", !more)
	default:
		return tellEnd()
	}
	m.integer("delay", e.Delay)
	return m.give()
}

// answer is what the visitor gets: with a status the guard's own, else the origin's.
func (m *message) answer(e *core.Effect) {
	if e.Source == core.SourceOrigin {
		m.edit(e.Edit)
		m.truth("inject", e.Inject)
	} else {
		m.integer("status", int64(e.Status))
		m.changes(nil, e.Headers)
		m.truth("sealed", e.Source == core.SourceRecord)
		switch {
		case e.Source == core.SourceInline:
			m.blobs = append(m.blobs, blob{"before", e.Inline})
		case e.Source == core.SourceRecall:
			m.blobs = append(m.blobs, blob{"before", slices.Concat(e.Before, e.Inline, e.After)})
		case len(e.Before)+len(e.After) > 0:
			m.blobs = append(m.blobs, blob{"before", e.Before}, blob{"after", e.After})
		}
	}
	if !guard.Logs(e) {
		return
	}
	m.member("log")
	log := object{out: append(m.out, '{')}
	if e.Shard != "" {
		log.text("key", e.Shard+"."+e.Trail)
	}
	log.text("rule", e.Rule)
	log.integer("status", int64(e.Status))
	log.text("outcome", e.Outcome)
	if e.Warning != "" {
		log.text("warning", e.Warning)
	}
	m.out = append(log.out, '}')
}

func tellEnd() uint32 { return give(append(result(), '{', '}', '\n')) }

// tellPause lets so many milliseconds pass.
func tellPause(handle uint32, ms int64) uint32 {
	m := newMessage(handle, "pause")
	m.integer("delay", ms)
	return m.give()
}

// tellHold reads a page until a key was put in, at most HoldLimit bytes.
func tellHold(handle uint32) uint32 {
	m := newMessage(handle, "collect")
	m.integer("limit", core.HoldLimit)
	m.truth("inject", true)
	m.truth("hold", true)
	return m.give()
}

// tellKeep writes the answer that was sent to KV: the record's head and, where it is there, the sealed body.
func tellKeep(handle uint32, e *core.Effect) uint32 {
	m := newMessage(handle, "answers")
	m.put(e.Name, e.TTL)
	m.truth("sealed", e.Body)
	m.blobs = append(m.blobs, blob{"head", e.Head})
	return m.give()
}

func tellDelete(handle uint32, name string) uint32 {
	m := newMessage(handle, "answers")
	m.text("call", "delete")
	m.text("name", name)
	return m.give()
}

// tellNotes adds entries to trails, at the claim store of an effect. All entries are one byte string.
func tellNotes(handle uint32, e *core.Effect, notes []core.Note) uint32 {
	m := newMessage(handle, "claims")
	m.text("call", "note")
	m.text("shard", e.Shard)
	m.text("region", core.Regions[e.Region])
	var entries []byte
	m.list("trails", len(notes), func(out []byte, i int) []byte {
		n := &notes[i]
		entries = append(entries, n.Entries...)
		one := object{out: append(out, '{')}
		one.text("trail", n.Trail)
		one.integer("length", int64(len(n.Entries)))
		one.integer("ttl", n.TTL)
		one.integer("tally", int64(n.Tally))
		return append(one.out, '}')
	})
	m.blobs = append(m.blobs, blob{"note", entries})
	return m.give()
}

// object writes the members of a JSON object. The values are never nested deeper than lists of headers.
type object struct {
	out   []byte
	begun bool
}

func (j *object) member(name string) {
	if j.begun {
		j.out = append(j.out, ',')
	}
	j.begun = true
	j.out = append(j.out, '"')
	j.out = append(j.out, name...)
	j.out = append(j.out, '"', ':')
}

func (j *object) integer(name string, v int64) {
	if v != 0 {
		j.member(name)
		j.out = strconv.AppendInt(j.out, v, 10)
	}
}

func (j *object) truth(name string, v bool) {
	if v {
		j.member(name)
		j.out = append(j.out, "true"...)
	}
}

func (j *object) text(name, v string) {
	j.member(name)
	j.out = core.AppendJSONString(j.out, v)
}

func (j *object) list(name string, n int, one func(out []byte, i int) []byte) {
	j.member(name)
	j.out = append(j.out, '[')
	for i := range n {
		if i > 0 {
			j.out = append(j.out, ',')
		}
		j.out = one(j.out, i)
	}
	j.out = append(j.out, ']')
}

func (j *object) headers(name string, h core.Headers) {
	j.list(name, len(h), func(out []byte, i int) []byte { return appendHeader(out, &h[i]) })
}

func appendHeader(out []byte, h *core.Header) []byte {
	out = append(out, '[')
	out = core.AppendJSONString(out, h.Name)
	out = append(out, ',')
	out = core.AppendJSONString(out, h.Value)
	return append(out, ']')
}

// edit tells which lines of a header go, and which are added then. It is left out where it changes nothing, so that
// the host can pass a message on as it is.
func (j *object) edit(e core.HeaderEdit) {
	if len(e.Delete) == 0 && len(e.Set) == 0 {
		return
	}
	// Each Set-Cookie is a line of its own; what else is set replaces all of its name.
	added := e.Set[:0:0]
	gone := e.Delete[:len(e.Delete):len(e.Delete)]
	for i := range e.Set {
		if !strings.EqualFold(e.Set[i].Name, "Set-Cookie") {
			gone = append(gone, e.Set[i].Name)
			if setAgain(e.Set[i+1:], e.Set[i].Name) {
				continue
			}
		}
		added = append(added, e.Set[i])
	}
	j.changes(gone, added)
}

// changes are made to the header that a message of the host's has; its own new answer has none. To name the lines as it
// is made costs the runtime three times as much as to add them.
func (j *object) changes(gone []string, added core.Headers) {
	j.member("edit")
	inner := object{out: append(j.out, '{')}
	inner.list("gone", len(gone), func(out []byte, i int) []byte { return core.AppendJSONString(out, gone[i]) })
	inner.headers("added", added)
	j.out = append(inner.out, '}')
}

func setAgain(later core.Headers, name string) bool {
	for i := range later {
		if strings.EqualFold(later[i].Name, name) {
			return true
		}
	}
	return false
}
