package coretest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

var modelRules = []storeRule{
	{"whatever is asked in whatever order, a store answers as the simplest one would", "rules that hold alone may break each other", func(s *storeTest) {
		seed, err := strconv.ParseUint(os.Getenv("STORE_SEED"), 10, 64)
		if err != nil {
			seed = rand.Uint64()
		}
		defer func() {
			if s.Failed() {
				s.Logf("STORE_SEED=%d asks the same again", seed)
			}
		}()
		newModel(s, rand.New(rand.NewPCG(seed, 0))).run()
	}},
}

// model is a store without concurrency, durability or sweep, and a clock of its own: what every other store
// looks like from outside. Two of its three records share a trail.
type model struct {
	s       *storeTest
	chance  *rand.Rand
	now     time.Duration
	at      [3]edge.Address
	records map[string]modelRecord
	trails  map[string]modelTrail
	used    []core.Version
}

type modelRecord struct {
	edge.Write
	lease, expires, fades time.Duration
}

type modelTrail struct {
	entries    []byte
	mismatches int
	expires    time.Duration
}

func newModel(s *storeTest, chance *rand.Rand) *model {
	m := &model{s: s, chance: chance, records: map[string]modelRecord{}, trails: map[string]modelTrail{}, used: []core.Version{{}}}
	for i := range m.at {
		m.at[i] = address()
	}
	m.at[1].Trail = m.at[0].Trail
	return m
}

// run compares the store with the model over a number of steps.
func (m *model) run() {
	steps := 60
	if m.s.Advance != nil {
		steps = 3000
	}
	for i := range steps {
		at := m.at[m.chance.IntN(len(m.at))]
		switch n := m.chance.IntN(20); {
		case n < 8:
			m.swap(at, i)
		case n < 11:
			m.wait(at)
		case n < 14:
			m.renew(at)
		case n < 16:
			m.note(at, i)
		case n < 18:
			m.tell(at)
		case n < 19:
			m.forget(at)
		default:
			m.pass()
		}
		if m.s.Failed() {
			m.s.Fatalf("at step %d", i)
		}
	}
}

// time is one that is over at once or not during the test, or with a clock that stands still anything between.
func (m *model) time() time.Duration {
	choice := []time.Duration{0, ages}
	if m.s.Advance != nil {
		choice = append(choice, 1*time.Second, 2*time.Second, 3*time.Second)
	}
	return choice[m.chance.IntN(len(choice))]
}

func (m *model) pass() {
	if m.s.Advance != nil {
		d := time.Duration(1+m.chance.IntN(2000)) * time.Millisecond
		m.s.Advance(d)
		m.now += d
	}
}

// version is the stored one in most cases, else one of those that were used.
func (m *model) version(at edge.Address) core.Version {
	if m.chance.IntN(4) > 0 {
		return m.seen(at).Version
	}
	return m.used[m.chance.IntN(len(m.used))]
}

// seen is what a store has to return.
func (m *model) seen(at edge.Address) (row edge.Row) {
	r, ok := m.records[at.Name]
	if !ok || max(r.lease, r.expires) <= m.now {
		return edge.Row{}
	}
	row = edge.Row{Version: r.Version, Lease: r.lease - m.now, Head: r.Head}
	if r.fades > m.now {
		row.Body = r.Body
	}
	if t := m.trails[at.Trail]; t.expires > m.now {
		row.Mismatches = t.mismatches
	}
	return row
}

// same compares rows. A lease can be compared to the millisecond only where the clock stands still.
func (m *model) same(call string, got, want edge.Row) {
	m.s.Helper()
	lease := (got.Lease > 0) == (want.Lease > 0)
	if m.s.Advance != nil && want.Lease > 0 {
		lease = got.Lease == want.Lease
	}
	if !lease || got.Version != want.Version || got.Mismatches != want.Mismatches || !bytes.Equal(got.Head, want.Head) ||
		!bytes.Equal(got.Body, want.Body) || (got.Body == nil) != (want.Body == nil) {
		m.s.Errorf("%s = %s, %d mismatches; want %s, %d", call, told(got), got.Mismatches, told(want), want.Mismatches)
	}
}

func (m *model) swap(at edge.Address, step int) {
	w := edge.Write{
		Old: m.version(at), Version: version(), Lapsed: m.chance.IntN(2) == 0,
		Lease: m.time(), TTL: m.time(), BodyTTL: m.time(), Head: []byte{byte(step)},
	}
	if m.chance.IntN(2) == 0 {
		w.Body = noise(1 + m.chance.IntN(9))
	}
	if m.chance.IntN(2) == 0 {
		w.Note = entries(step, 1+m.chance.IntN(4))
	}
	found := m.seen(at)
	allowed := found.Version == w.Old && !(w.Lapsed && found.Lease > 0)
	got, swapped := m.s.swap(at, w)
	if swapped != allowed {
		m.s.Fatalf("Swap over %s = %v, %s; want %v", told(found), swapped, told(got), allowed)
	}
	if !swapped {
		m.same("Swap", got, found)
		return
	}
	m.used = append(m.used, w.Version)
	m.records[at.Name] = modelRecord{w, m.now + w.Lease, m.now + w.TTL, m.now + w.BodyTTL}
	m.add(at, edge.Note{Entries: w.Note, TTL: w.TTL})
}

func (m *model) wait(at edge.Address) {
	old, found := m.version(at), m.seen(at)
	got, changed, err := m.s.Wait(m.s.Context(), at, old, 0)
	if err != nil || changed != (found.Version != old) {
		m.s.Fatalf("Wait = %s, %v, %v; want %s", told(got), changed, err, told(found))
	}
	if changed {
		m.same("Wait", got, found)
	}
}

func (m *model) renew(at edge.Address) {
	v, lease, found := m.version(at), m.time(), m.seen(at)
	want := found.Version == v && v != core.Version{}
	if held := m.s.renew(at, v, lease); held != want {
		m.s.Fatalf("Renew of %s = %v; want %v", told(found), held, want)
	}
	if want {
		r := m.records[at.Name]
		r.lease = m.now + lease
		m.records[at.Name] = r
	}
}

func (m *model) note(at edge.Address, step int) {
	n := edge.Note{Entries: entries(step, 1+m.chance.IntN(4)), TTL: m.time(), Mismatch: m.chance.IntN(2) == 0}
	m.s.note(at, n)
	m.add(at, n)
}

// add notes in the model.
func (m *model) add(at edge.Address, n edge.Note) {
	if len(n.Entries) == 0 {
		return // of a write without a note
	}
	t := m.trails[at.Trail]
	if t.expires <= m.now {
		t = modelTrail{}
	}
	t.entries = slices.Concat(t.entries, n.Entries)
	t.expires = max(t.expires, m.now+n.TTL)
	if n.Mismatch {
		t.mismatches++
	}
	m.trails[at.Trail] = t
}

func (m *model) tell(at edge.Address) {
	t := m.trails[at.Trail]
	if t.expires <= m.now {
		t = modelTrail{}
	}
	const size = core.TrailEntrySize
	all, count := t.entries, len(t.entries)/size
	if count > edge.TrailFirst+edge.TrailLast {
		all = slices.Concat(all[:edge.TrailFirst*size], all[(count-edge.TrailLast)*size:])
	}
	m.s.tells(at, all, count)
}

func (m *model) forget(at edge.Address) {
	names := []string{at.Name}
	for _, other := range m.at {
		if other.Trail == at.Trail && other.Name != at.Name {
			names = append(names, other.Name)
		}
	}
	names = names[:m.chance.IntN(len(names)+1)]
	m.s.forget(at, names...)
	for _, name := range names {
		delete(m.records, name)
	}
	delete(m.trails, at.Trail)
}
