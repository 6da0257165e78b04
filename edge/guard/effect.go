//go:build wasip1

package main

import (
	"encoding/binary"
	"strconv"

	"github.com/singleshot-edge/singleshot/core"
)

// tell writes an effect for the host: four bytes of length, JSON, and the blobs whose lengths the JSON gives, in
// the order head, inline, before, after, note. What has its zero value is left out.
func tell(handle uint32, e *core.Effect) uint32 {
	out := append(result(), 0, 0, 0, 0)
	j := object{out: append(out, '{')}
	j.integer("do", int64(e.Kind), true)
	j.integer("handle", int64(handle), true)
	j.integer("delay", e.Delay, false)
	j.text("name", e.Name)
	if e.Shard != "" {
		j.text("shard", e.Shard)
		j.text("region", core.Regions[e.Region])
		j.integer("lease", e.Lease, true)
		j.text("trail", e.Trail)
	}
	j.integer("ttl", e.TTL, false)
	switch e.Kind {
	case core.DoSwap:
		j.text("old", e.Old.String())
		j.text("version", e.Version.String())
		j.truth("body", e.Body)
		j.truth("lapsed", e.Lapsed)
		j.integer("bodyTtl", e.BodyTTL, true)
	case core.DoWait:
		j.text("old", e.Old.String())
		j.integer("wait", e.Wait, true)
	case core.DoForget:
		j.member("names")
		j.out = append(j.out, '[')
		for i, name := range e.Forget {
			if i > 0 {
				j.out = append(j.out, ',')
			}
			j.out = core.AppendJSONString(j.out, name)
		}
		j.out = append(j.out, ']')
	case core.DoHash:
		j.integer("limit", e.Limit, true)
	case core.DoForward:
		j.text("version", e.Version.String())
		j.truth("stream", e.Stream)
		j.truth("strip", e.Strip)
		j.edit("edit", e.Edit)
	case core.DoCollect:
		j.integer("limit", e.Limit, true)
		j.truth("inject", e.Inject)
	case core.DoRespond:
		j.integer("source", int64(e.Source), true)
		j.integer("status", int64(e.Status), false)
		if e.Source != core.SourceOrigin {
			j.headers("headers", e.Headers)
		}
		j.edit("edit", e.Edit)
		j.truth("inject", e.Inject)
		if e.Hold {
			j.truth("hold", true)
			j.integer("limit", e.Limit, true)
			j.edit("held", e.Held)
			j.edit("altered", e.Altered)
		}
		if e.Mismatch {
			j.integer("tally", 1, true)
		}
		j.truth("more", e.More)
		j.truth("keepAll", e.KeepAll)
		j.truth("body", e.Body)
		if e.Outcome != "" {
			j.text("outcome", e.Outcome)
			j.text("rule", e.Rule)
			if e.Warning != "" {
				j.text("warning", e.Warning)
			}
		}
	}
	blobs := [...]struct {
		name  string
		bytes []byte
	}{{"head", e.Head}, {"inline", e.Inline}, {"before", e.Before}, {"after", e.After}, {"note", e.Note}}
	for _, blob := range blobs {
		j.integer(blob.name, int64(len(blob.bytes)), false)
	}
	out = append(j.out, '}')
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	for _, blob := range blobs {
		out = append(out, blob.bytes...)
	}
	return give(out)
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

func (j *object) integer(name string, v int64, always bool) {
	if v != 0 || always {
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

func (j *object) headers(name string, h core.Headers) {
	j.member(name)
	j.out = append(j.out, '[')
	for i := range h {
		if i > 0 {
			j.out = append(j.out, ',')
		}
		j.out = append(j.out, '[')
		j.out = core.AppendJSONString(j.out, h[i].Name)
		j.out = append(j.out, ',')
		j.out = core.AppendJSONString(j.out, h[i].Value)
		j.out = append(j.out, ']')
	}
	j.out = append(j.out, ']')
}

// edit is left out where it changes nothing, so that the host can pass a message on as it is.
func (j *object) edit(name string, e core.HeaderEdit) {
	if len(e.Delete) == 0 && len(e.Set) == 0 {
		return
	}
	j.member(name)
	inner := object{out: append(j.out, '{')}
	inner.member("delete")
	inner.out = append(inner.out, '[')
	for i := range e.Delete {
		if i > 0 {
			inner.out = append(inner.out, ',')
		}
		inner.out = core.AppendJSONString(inner.out, e.Delete[i])
	}
	inner.out = append(inner.out, ']')
	inner.headers("set", e.Set)
	j.out = append(inner.out, '}')
}
