package core

import (
	"crypto/subtle"
	"encoding/base64"
	"strconv"
	"strings"
)

// admin answers for one key to who has the admin secret: its trail, and with DELETE it forgets its records
// (contract §10). name is a key, or what the log calls it.
func (x *Exchange) admin(name string, h Headers) *Effect {
	if !isAdmin(h.Get("Authorization"), x.guard.config.Admin) {
		return x.refuse(NoticeUnauthorized)
	}
	if len(x.guard.faults) > 0 {
		return x.refuse(NoticeConfig)
	}
	if !x.find(decodeQuery(strings.ReplaceAll(name, "+", "%2B"))) {
		return x.refuse(NoticeNotFound)
	}
	switch x.method {
	case "GET", "HEAD", "DELETE":
		if x.method == "DELETE" && h.Has("Sec-Fetch-Site") && !x.sameSite && h.Get("Sec-Fetch-Site") != "none" {
			return x.refuse(NoticeCrossSite)
		}
		x.at = stageTrail
		do := x.do(DoTrail)
		x.address(do)
		return do
	}
	return x.refuse(NoticeNotFound)
}

// isAdmin compares a bearer token or the password of Basic with the admin secret, in constant time.
func isAdmin(authorization string, secret []byte) bool {
	scheme, value, _ := strings.Cut(authorization, " ")
	value = trimOWS(value)
	switch {
	case sameName(scheme, "Bearer"):
	case sameName(scheme, "Basic"):
		pair, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return false
		}
		_, value, _ = strings.Cut(string(pair), ":")
	default:
		return false
	}
	return subtle.ConstantTimeCompare([]byte(value), secret) == 1
}

// find turns a key, or a claim store and a trail's name set off by a dot, into the place of a trail.
func (x *Exchange) find(name string) bool {
	if shard, trail, ok := strings.Cut(name, "."); ok && len(trail) == text64.EncodedLen(recordNameSize) {
		region, number, _ := strings.Cut(shard, "-")
		n, err := strconv.ParseUint(number, 10, 16)
		for i, known := range Regions {
			if err == nil && region == known && shard == shardName(byte(i), uint16(n)) {
				x.shard, x.shardPlace, x.trail = shard, byte(i), trail
				return true
			}
		}
	}
	key, minted, err := OpenKey(name, x.guard.secrets...)
	if err != nil || name == "" || len(name) > maxEventID {
		return false
	}
	x.trail = trailName(name)
	x.shardPlace, x.shard = x.guard.region, clientShard(x.guard.region, x.trail)
	if minted {
		x.shardPlace, x.shard = key.store()
	}
	return true
}

// onTrail has the entries.
func (x *Exchange) onTrail(e *Event) *Effect {
	if e.Kind != EventTrail {
		return x.refuse(NoticeStore)
	}
	t := Trail{Digest: x.shard + "." + x.trail, Entries: decodeTrail(e.Head)}
	t.Count = int(e.Length) - (len(e.Head)/TrailEntrySize - len(t.Entries))
	if len(t.Entries) == 0 {
		return x.outlast(x.refuse(NoticeNotFound))
	}
	if x.method != "DELETE" {
		return x.show(&t)
	}
	x.at = stageForget
	do := x.do(DoForget)
	x.address(do)
	for i := range t.Entries {
		if name := text64.EncodeToString(t.Entries[i].Record[:]); !lists(do.Forget, name) {
			do.Forget = append(do.Forget, name)
		}
	}
	return do
}

func (x *Exchange) onForget(e *Event) *Effect {
	if e.Kind != EventForgotten {
		return x.refuse(NoticeStore)
	}
	x.at = stageEnd
	do := x.do(DoRespond)
	do.Status = 204
	do.Headers = Headers{{"Cache-Control", "no-store"}}
	return x.outlast(do)
}

// outlast lets the answer to a DELETE wait until no isolate recalls what it was shown before. One that finds nothing
// may repeat one that was not heard.
func (x *Exchange) outlast(do *Effect) *Effect {
	if x.guard.recall != nil && x.method == "DELETE" {
		do.Delay = RecallTime
	}
	return do
}

// show is the trail as a page or as JSON.
func (x *Exchange) show(t *Trail) *Effect {
	x.at = stageEnd
	do := x.do(DoRespond)
	do.Status = 200
	do.Headers = Headers{{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}}
	if x.shape == ShapeProblem {
		do.Headers = append(do.Headers, Header{"Content-Type", "application/json"})
		do.Inline = t.appendJSON(nil)
		return do
	}
	do.Headers = append(do.Headers, Header{"Content-Type", "text/html; charset=utf-8"}, Header{"Content-Security-Policy", TrailPolicy})
	do.Inline = t.appendPage(nil, x.language)
	return do
}
