package simulator

import (
	"fmt"
	"strings"
	"sync"

	"github.com/singleshot-edge/singleshot/core"
)

// mark stands in every path, field value, subject and answer of the simulation, so that one search finds any of
// them in stored bytes (I9).
const mark = "Quetzalcoatl"

// site is where the visitors think they are.
const site = "https://shop.example"

// keying is where a rule finds its key.
type keying uint8

const (
	keyField  keying = iota // minted by the guard, in the form
	keyOrigin               // rendered by the origin, in the form
	keyHeader               // made by an API's client
	keyEvent                // made by a webhook's sender
)

// ruling is a rule as the oracle knows it. The rules that core reads are made from the same table, see rulesText.
type ruling struct {
	path, other string // where its forms post to; other stands for a second button's formaction
	keying      keying
	hold        bool
	compare     bool
	attaches    bool // its origin sends downloads too
	maxAnswer   int64
	extra       string // more settings, as JSON members
}

// inField says that the key is in the body's field.
func (r *ruling) inField() bool { return r.keying == keyField || r.keying == keyOrigin }

var rulings = [...]ruling{
	{path: "/orders/" + mark, other: "/orders/drafts/" + mark, keying: keyField, compare: true, maxAnswer: 10 << 20},
	{path: "/hold/" + mark, other: "/hold/drafts/" + mark, keying: keyField, hold: true, compare: true, maxAnswer: 10 << 20, extra: `"unknown":"hold"`},
	{path: "/api/" + mark, other: "/api/drafts/" + mark, keying: keyHeader, compare: true, maxAnswer: 10 << 20, extra: `"key":"header","required":true`},
	{path: "/hooks/" + mark, other: "/hooks/drafts/" + mark, keying: keyEvent, maxAnswer: 10 << 20, extra: `"key":"header:webhook-id","required":true`},
	{path: "/files/" + mark, other: "/files/drafts/" + mark, keying: keyField, compare: true, attaches: true, maxAnswer: 1500000, extra: `"max_answer":1500000`},
	{path: "/own/" + mark, other: "/own/drafts/" + mark, keying: keyOrigin, hold: true, compare: true, maxAnswer: 10 << 20, extra: `"mint":"origin","unknown":"hold"`},
}

// timing is how long the rules of one deployment let things last, in seconds.
type timing struct{ lease, wait, ttl int64 }

var timings = [...]timing{
	{lease: 2, wait: 3, ttl: 60},
	{lease: 5, wait: 2, ttl: 60},
	{lease: 30, wait: 20, ttl: 86400},
	{lease: 1, wait: 10, ttl: 120},
	{lease: 120, wait: 5, ttl: 60}, // the lease is longer than the retention
	{lease: 3, wait: 0, ttl: 60},
}

// knowledge is which secrets a guard has.
type knowledge uint8

const (
	oldAndNew knowledge = iota // signs with the old secret, accepts both
	newAndOld                  // signs with the new one: the secret has been rotated here
	oldOnly                    // has not heard of the new one: keys and records made with it must be refused
	knowledges
)

const (
	oldSecret   = "0123456789abcdef-the-old-secret-" + mark
	adminSecret = "an-operator"
	newSecret   = "fedcba9876543210-the-new-secret-" + mark
)

func rulesText(t timing) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, r := range rulings {
		if i > 0 {
			b.WriteByte(',')
		}
		glob := strings.TrimSuffix(r.path, mark) + "**"
		fmt.Fprintf(&b, `{"match":%q,"lease":%d,"wait":%d,"ttl":%d,"replay_headers":["X-Run"]`, glob, t.lease, t.wait, t.ttl)
		if r.extra != "" {
			b.WriteByte(',')
			b.WriteString(r.extra)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.String()
}

// guards are the deployments of the simulation. A core.Guard is safe for concurrent use, so every simulation of
// the process shares them.
var guards = sync.OnceValue(func() (made [len(timings)][2][knowledges]*core.Guard) {
	for i, t := range timings {
		for keep, word := range [...]string{"all", "large"} {
			for k := range knowledges {
				values := map[string]string{"SINGLESHOT_SECRET": oldSecret, "SINGLESHOT_SECRET_PREVIOUS": newSecret,
					"RULES": rulesText(t), "KEEP": word, "SHARDS": "4", "SINGLESHOT_ADMIN": adminSecret}
				switch k {
				case newAndOld:
					values["SINGLESHOT_SECRET"], values["SINGLESHOT_SECRET_PREVIOUS"] = newSecret, oldSecret
					values["SHARDS"] = "7" // changing it loses nothing (contract §8)
				case oldOnly:
					delete(values, "SINGLESHOT_SECRET_PREVIOUS")
				}
				config, faults := core.ParseConfig(func(name string) string { return values[name] })
				if len(faults) > 0 {
					panic(fmt.Sprint("simulator: the rules are wrong: ", faults))
				}
				made[i][keep][k] = core.NewGuard(config, nil)
			}
		}
	}
	return made
})

// newSecretID is how stored heads name the new secret: read off a head that was sealed with it.
var newSecretID = sync.OnceValue(func() []byte {
	g := guards()[0][0][newAndOld]
	x, _ := g.Begin(&core.Request{Method: "POST", URL: site + rulings[3].path, Region: -1,
		Headers: core.Headers{{Name: "webhook-id", Value: "an-event"}}}, epoch, [32]byte{1})
	return x.Next(&core.Event{Kind: core.EventHashed, Whole: true, Now: epoch}).Head[1:5]
})

// guard is one isolate of the Worker.
type guard struct {
	core   *core.Guard
	index  int
	knows  knowledge
	skew   int64            // of its clock, milliseconds
	frozen int64            // it stands still until then
	shown  map[string]shown // by the run whose answer it is
}
