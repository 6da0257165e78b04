package simulator

import (
	"fmt"

	"github.com/singleshot-edge/singleshot/core"
)

// epoch is when every simulation begins, unix milliseconds.
const epoch = 1_800_000_000_000

// mostSkew is how far a clock may be off, milliseconds.
const mostSkew = 4000

// Violation is something that must not be.
type Violation struct {
	Seed      uint64
	Invariant string // I1 to I9, or the section of the contract
	Text      string
	At        int64 // milliseconds since the simulation began
	Record    int   // number of the record in the story, 0 for none
}

func (v *Violation) Error() string {
	return fmt.Sprintf("seed %d: %s at %s: %s", v.Seed, v.Invariant, seconds(v.At), v.Text)
}

// world is one simulation after another. Its buffers are kept from one to the next; nothing else is.
type world struct {
	seed    uint64
	chance  chance
	now     int64
	ticks   int64 // calls and returns, in the order in which they happen
	queue   queue
	weather weather
	timing  timing
	lease   int64 // milliseconds

	guards   []guard
	recalls  [mostGuards]core.Recall // what each of them recalls
	cells    []cell
	visitors [mostVisitors]visitor
	forms    []*form
	usedForm int
	visits   []visit

	carriers     []*carrier
	freeCarriers []int32
	serials      int
	fates        []fate // by serial
	calls        []*call
	freeCalls    []int32
	records      map[string]*record
	recordPool   []*record
	usedRecords  int
	runPool      []*run
	usedRuns     int
	answers      map[string]*answer
	answerPool   []*answer
	usedAnswers  int
	opened       []byte
	keys         map[rendering]string // of all simulations so far
	sent         core.Request

	tally     Tally
	seams     seams
	story     *Story
	histories bool
	checker   checker
	violation *Violation
}

func newWorld() *world {
	return &world{
		records: make(map[string]*record), answers: make(map[string]*answer),
		guards: make([]guard, 0, mostGuards), keys: make(map[rendering]string),
	}
}

func (w *world) cellSkew() int64 {
	if w.weather.calm {
		return 0
	}
	return w.chance.between(-mostSkew, mostSkew)
}

// cellNamed finds or makes a claim store.
func (w *world) cellNamed(name string) *cell {
	for i := range w.cells {
		if w.cells[i].name == name {
			return &w.cells[i]
		}
	}
	if len(w.cells) == cap(w.cells) {
		panic("simulator: more claim stores than there can be")
	}
	w.cells = append(w.cells, cell{name: name, index: int32(len(w.cells)), skew: w.cellSkew()})
	return &w.cells[len(w.cells)-1]
}

// mostCells: 32 fixed ones for keys that were not minted here, and 7 in each of three regions.
const mostCells = 32 + 3*7

// reset makes everything ready for a seed.
func (w *world) reset(seed uint64) {
	w.seed, w.chance = seed, newChance(seed)
	w.now, w.ticks, w.serials, w.violation = epoch, 0, 0, nil
	w.fates = append(w.fates[:0], 0)
	w.queue = w.queue[:0]
	w.visits = w.visits[:0]
	w.usedForm, w.usedRuns, w.usedRecords, w.usedAnswers = 0, 0, 0, 0
	clear(w.records)
	clear(w.answers)
	if cap(w.cells) == 0 {
		w.cells = make([]cell, 0, mostCells)
	}
	w.cells = w.cells[:0]
	// Whatever an earlier simulation left under way ends here: broken ones are left in the middle.
	w.freeCarriers = w.freeCarriers[:0]
	for i := len(w.carriers) - 1; i >= 0; i-- {
		w.carriers[i].alive, w.carriers[i].e = false, nil
		w.freeCarriers = append(w.freeCarriers, int32(i))
	}
	w.freeCalls = w.freeCalls[:0]
	for i := len(w.calls) - 1; i >= 0; i-- {
		w.freeCalls = append(w.freeCalls, int32(i))
	}
	c := &w.chance
	w.weather = forecast(c)
	pace := c.pick(len(timings))
	w.timing = timings[pace]
	w.lease = w.timing.lease * 1000
	of := guards()[pace][c.pick(2)]
	w.guards = w.guards[:2+c.pick(mostGuards-1)]
	for i := range w.guards {
		g := guard{index: i, core: of[oldAndNew]}
		if i > 0 && !w.weather.calm {
			g.skew = c.between(-mostSkew, mostSkew)
			switch c.pick(8) {
			case 0, 1:
				g.knows = newAndOld
			case 2:
				g.knows = oldOnly
			}
		}
		w.recalls[i].Clear()
		g.core = of[g.knows].Recalling(&w.recalls[i])
		w.guards[i] = g
	}
	for i := range w.visitors {
		w.meet(i)
	}
}

func (w *world) newForm() *form {
	if w.usedForm == len(w.forms) {
		w.forms = append(w.forms, new(form))
	}
	f := w.forms[w.usedForm]
	w.usedForm++
	*f = form{index: w.usedForm, keyBytes: f.keyBytes[:0], trail: trail{entries: f.trail.entries[:0], later: f.trail.later[:0]}}
	return f
}

// run is one simulation from its beginning to the time when nothing is left to happen.
func (w *world) run(seed uint64) *Violation {
	w.reset(seed)
	w.tally.Simulations++
	w.sayWeather()
	c := &w.chance
	// The forms are opened close to each other, so that they share the guards, the stores and their faults.
	span := c.between(1000, 20_000)
	for range 5 + c.pick(8) {
		rule := &rulings[0]
		if c.pick(3) > 0 {
			rule = &rulings[c.pick(len(rulings))]
		}
		f := w.open(rule, int8(c.pick(len(w.visitors))))
		w.plan(f, w.now+c.below(span))
	}
	w.mishaps(span)
	for len(w.queue) > 0 && w.violation == nil {
		d := w.queue.pop()
		w.now = d.at()
		w.happen(&d)
	}
	if w.violation == nil {
		w.checkEnd()
	}
	if w.violation == nil && w.histories {
		w.checkHistories()
	}
	return w.violation
}

// happen lets one thing happen.
func (w *world) happen(d *due) {
	w.tally.Steps++
	switch d.kind {
	case visitDue:
		v := w.visits[d.who]
		w.begin(&v)
	case arrivalDue, replyDue, waitOver:
		k := w.calls[d.who]
		switch {
		case k.generation != d.generation || d.kind == waitOver && k.over:
		case d.kind == replyDue:
			w.answer(k)
		case d.kind == waitOver:
			w.waitEnds(k)
		case k.kind == callGet || k.kind == callPut:
			w.arriveKV(k)
		default:
			w.arrive(k)
		}
	case originDue:
		w.work(w.runPool[d.who])
	case backDue:
		w.back(w.runPool[d.who])
	case crashDue:
		w.crash(&w.guards[d.who])
	case freezeDue:
		w.freeze(&w.guards[d.who])
	case restartDue:
		if n := len(w.cells); n > 0 {
			w.restart(&w.cells[int(d.who)%n])
		}
	case forgetDue:
		if n := int(d.who); n < w.usedForm {
			w.begin(&visit{form: w.forms[n], forgetting: true})
		}
	default:
		c := w.carriers[d.who]
		if c.generation != d.generation || !c.alive {
			return
		}
		switch d.kind {
		case resumeDue:
			if !w.thaw(c.guard, d.kind, d.who, d.generation) {
				w.resume(c)
			}
		case renewDue:
			w.renew(c)
		case cutDue:
			w.cut(c)
		}
	}
}

// checkEnd: when nothing is left to happen, no exchange is left (I8).
func (w *world) checkEnd() {
	for _, c := range w.carriers {
		if c.alive {
			w.broken("I8", c.record, "#%d never ends: it stands at effect %d", c.serial, c.e.Kind)
			return
		}
	}
	for _, r := range w.recordPool[:w.usedRecords] {
		if len(r.waiters) > 0 {
			w.broken("I8", r, "somebody waits for R%d for ever", r.index)
			return
		}
	}
}

// broken records the first violation; the simulation stops there.
func (w *world) broken(invariant string, r *record, text string, args ...any) {
	if w.violation != nil {
		return
	}
	v := &Violation{Seed: w.seed, Invariant: invariant, Text: fmt.Sprintf(text, args...), At: w.now - epoch}
	if r != nil {
		v.Record = r.index
		v.Text += fmt.Sprintf(" (R%d, %s)", r.index, r.scope.form.rule.path[1:len(r.scope.form.rule.path)-len(mark)-1])
	}
	w.violation = v
	if w.story != nil {
		w.say(r, "! %s: %s", invariant, v.Text)
	}
}
