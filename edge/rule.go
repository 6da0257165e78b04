package edge

import (
	"encoding/json"
	"strconv"
	"time"
)

// Rule says how requests to some paths are guarded (contract §8; docs/rules.md has every setting). A field with
// its zero value has the default. Values out of bounds, and settings that contradict each other, are faults.
type Rule struct {
	Match    string   // path glob: "/api/v1/**"
	Methods  []string // default POST; of PUT, PATCH and DELETE only those that are named
	Key      string   // "field" (default), "header", "header:NAME", "json:/pointer" or "off"
	Required bool     // a request without a key is refused with 400
	// Subject is who submits: "visitor" (default for forms), "cookie:NAME", "header:NAME", "jwt:cookie:NAME:claim",
	// "jwt:bearer:claim", "authorization" (default for Key "header") or "none".
	Subject string
	Mint    string // "guard" (default), or "origin": h renders the keys itself

	TTL   time.Duration // how long a committed answer is replayed, whole seconds, at least a minute; default 24 h
	Lease time.Duration // how long a claim lasts without renewal, whole seconds; default 30 s
	Wait  time.Duration // how long a duplicate waits, whole seconds; default 20 s; negative: not at all

	Ignore           []string // fields left out of the fingerprint
	Redisplay        []string // class names that mark a redisplayed form
	ReleaseRedirects []string // path globs
	ReplayHeaders    []string // names of headers that are replayed as well

	MaxBody   int64 // bytes of a guarded request; 0: no limit
	MaxAnswer int64 // bytes of an answer that are kept; 0: 10 MiB; negative: none

	Unknown string // after an unknown outcome: "retry" (default) or "hold"
	Strip   bool   // the key field is taken out of the body
	Compare *bool  // whether a duplicate's payload is compared; default true, but false for webhooks' keys
}

// rulesText writes rules as the text that core reads, so that there is one place where they are checked.
func rulesText(rules []Rule) string {
	list := make([]map[string]any, 0, len(rules))
	for _, r := range rules {
		m := map[string]any{"match": r.Match}
		words := []struct {
			name, value string
		}{{"key", r.Key}, {"subject", r.Subject}, {"mint", r.Mint}, {"unknown", r.Unknown}}
		for _, w := range words {
			if w.value != "" {
				m[w.name] = w.value
			}
		}
		lists := []struct {
			name  string
			value []string
		}{{"methods", r.Methods}, {"ignore", r.Ignore}, {"redisplay", r.Redisplay},
			{"release_redirects", r.ReleaseRedirects}, {"replay_headers", r.ReplayHeaders}}
		for _, l := range lists {
			if len(l.value) > 0 {
				m[l.name] = l.value
			}
		}
		times := []struct {
			name  string
			value time.Duration
		}{{"ttl", r.TTL}, {"lease", r.Lease}, {"wait", r.Wait}}
		for _, t := range times {
			if t.value != 0 {
				// A part of a second stays in the number, so that core refuses it.
				m[t.name] = json.Number(strconv.FormatFloat(t.value.Seconds(), 'f', -1, 64))
			}
		}
		if r.Wait < 0 {
			m["wait"] = 0
		}
		if r.MaxBody != 0 {
			m["max_body"] = r.MaxBody
		}
		if r.MaxAnswer != 0 {
			m["max_answer"] = max(r.MaxAnswer, 0)
		}
		if r.Required {
			m["required"] = true
		}
		if r.Strip {
			m["strip"] = true
		}
		if r.Compare != nil {
			m["compare"] = *r.Compare
		}
		list = append(list, m)
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic("edge: rules cannot be written as JSON: " + err.Error()) // texts, numbers and truths can
	}
	return string(text)
}
