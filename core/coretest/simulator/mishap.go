package simulator

// mishaps plans what befalls guards, claim stores and records by itself.
func (w *world) mishaps(span int64) {
	c := &w.chance
	plan := func(n int, kind happening, who int) {
		for range n {
			at := w.now + c.below(span+5000)
			if c.pick(4) == 0 {
				at += c.below(w.timing.ttl * 1000)
			}
			w.queue.push(due{order: w.orderAt(at), who: int32(c.pick(who)), kind: kind})
		}
	}
	plan(w.weather.crashes, crashDue, len(w.guards))
	plan(w.weather.freezes, freezeDue, len(w.guards))
	plan(w.weather.restart, restartDue, mostCells)
	plan(w.weather.forgets, forgetDue, 5)
}

// crash kills a guard: all its exchanges are lost where they stand. A new isolate takes its place.
func (w *world) crash(g *guard) {
	w.tally.Crashes++
	if w.story != nil {
		w.say(nil, "x guard %d dies with all its exchanges", g.index+1)
	}
	for _, c := range w.carriers {
		if c.alive && c.guard == g {
			if w.story != nil {
				w.say(c.record, "x #%d is lost", c.serial)
			}
			if !c.answered {
				w.tally.Killed++
				w.react(c, "", nil)
			}
			w.drop(c)
		}
	}
	w.recalls[g.index].Clear()
	clear(g.shown)
	if !w.weather.calm {
		g.skew = w.chance.between(-mostSkew, mostSkew)
	}
}

// freeze lets a guard stand still, its timers and its messages with it.
func (w *world) freeze(g *guard) {
	w.tally.Freezes++
	g.frozen = w.now + w.chance.between(w.lease/4, w.lease*2)
	if w.story != nil {
		w.say(nil, "x guard %d stands still for %s", g.index+1, seconds(g.frozen-w.now))
	}
	for _, c := range w.carriers {
		if c.alive && c.guard == g {
			c.trouble = true
		}
	}
}

// thaw puts off what is due at a guard that stands still, and says whether it did.
func (w *world) thaw(g *guard, kind happening, who int32, generation uint32) bool {
	if w.now >= g.frozen {
		return false
	}
	w.queue.push(due{order: w.orderAt(g.frozen), generation: generation, who: who, kind: kind})
	return true
}

// cut is what happens to a request whose visitor leaves: the platform lets it go on for 30 s (contract §1.8).
func (w *world) cut(c *carrier) {
	if !c.gone {
		c.gone = true
		w.tally.Left++
		if w.story != nil {
			w.say(c.record, "%s leaves; #%d goes on without", w.visitors[c.visit.visitor].name, c.serial)
		}
		w.queueCarrier(w.now+30_000, cutDue, c)
		return
	}
	if w.story != nil {
		w.say(c.record, "x the platform ends #%d", c.serial)
	}
	w.tally.Killed++
	w.drop(c)
}
