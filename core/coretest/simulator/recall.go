package simulator

import "github.com/singleshot-edge/singleshot/core"

// shown is what the claim store showed a guard of a committed record, which the guard may recall.
type shown struct {
	record  *record
	means   meaning
	version core.Version
	asked   int64 // when the guard asked, simulated milliseconds
}

// recall notes what its claim store has shown or confirmed to a guard, which may recall it.
func (g *guard) recall(what shown) {
	if g.shown == nil {
		g.shown = make(map[string]shown)
	}
	if run := what.means.run.id; g.shown[run].asked <= what.asked { // else somebody has asked since
		g.shown[run] = what
	}
}

// checkRecall judges a replay for which no store was asked: this guard was shown that record no longer ago than it may
// recall it, and the visitor began before an operator was told that it is forgotten (I2).
func (w *world) checkRecall(c *carrier, e *core.Effect) {
	w.tally.Recalls++
	r := w.recordOf(c, e)
	if w.violation != nil {
		return
	}
	was, ok := c.guard.shown[e.Headers.Get("X-Run")]
	switch {
	case !ok || was.record != r:
		w.broken("I2", r, "#%d gets a replay that no store has shown its guard", c.serial)
		return
	case w.now >= was.asked+core.RecallTime:
		w.broken("I2", r, "#%d gets a replay that the claim store was asked about %s ago", c.serial, seconds(w.now-was.asked))
		return
	case r.gone.version == was.version && was.asked < r.gone.at && c.asked > r.told:
		w.broken("I2", r, "#%d gets a replay that an operator knew to be forgotten before it began", c.serial)
		return
	}
	c.seen, c.seenVersion, c.recalled = was.means, was.version, true
}

// forgotten is a record that an operator has forgotten, as it was then.
type forgotten struct {
	record  *record
	version core.Version
	at      int64 // simulated milliseconds; the same write may come again, by a message that was late
}

// tellOperator notes that an operator knows what is forgotten, and lets the form's owner send it again.
func (w *world) tellOperator(c *carrier, e *core.Effect) {
	c.answered = true
	if w.story != nil {
		w.say(nil, "the operator gets %d for form %d", e.Status, c.form.index)
	}
	if e.Status == 204 {
		for _, f := range c.forgot {
			f.record.gone, f.record.told = f, w.ticks
		}
		w.visitAt(w.now+w.chance.between(0, 1000), visit{form: c.form, visitor: c.form.owner, large: c.form.large})
	}
	w.drop(c)
}
