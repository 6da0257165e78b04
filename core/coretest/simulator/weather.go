package simulator

// weather says what goes wrong in one simulation, and how often. Each seed has its own: a simulation in which
// everything fails at once rarely gets far enough for the interesting failures, so most faults are switched off
// in most of them.
type weather struct {
	calm bool // nothing fails, and nothing takes long

	// Of calls to the claim store.
	lostBefore odds // the call never arrives; the guard hears of a failure
	lostAfter  odds // it is carried out, the acknowledgement is lost
	late       odds // the guard hears of a failure, and then it is carried out
	twice      odds // it is carried out twice

	slow    odds // a message takes long
	crawl   odds // a message takes about as long as a lease
	edge    odds // a message arrives within a few milliseconds of the end of the lease that it meets
	renewal odds // a renewal is lost

	crash   odds // a guard dies at one of its steps
	crashes int  // guards that die at some time
	freezes int  // guards that stand still for a while
	restart int  // claim stores that restart
	forgets int  // records that an operator forgets

	kvFails   odds // a read or a write fails
	kvUnsure  odds // a write is reported as failed and is there
	kvSpoilt  odds // a read returns other bytes than were written
	kvSpreads bool // a write shows late elsewhere, and a miss is cached (KV's documented behaviour)

	refuses odds // the origin takes no connection
	breaks  odds // the connection to the origin breaks, before or after it worked, or in the midst of its answer
	drags   odds // the origin takes longer than a lease
	leaves  odds // a visitor's browser gives up: after 30 s the platform ends the request
}

// forecast makes the weather of a seed.
func forecast(c *chance) weather {
	if c.pick(8) == 0 {
		return weather{calm: true}
	}
	rate := func(most float64) odds {
		if c.pick(2) == 0 {
			return 0
		}
		// Between a thirtieth of the most and the most, the small ones more often.
		return percent(most / float64(int64(1)<<c.below(6)))
	}
	count := func(most int) int {
		if c.pick(2) == 0 {
			return 0
		}
		return 1 + c.pick(most)
	}
	return weather{
		lostBefore: rate(20), lostAfter: rate(20), late: rate(8), twice: rate(10),
		slow: rate(30), crawl: rate(3), edge: rate(20), renewal: rate(60),
		crash: rate(1.5), crashes: count(3), freezes: count(3), restart: count(4), forgets: count(2),
		kvFails: rate(30), kvUnsure: rate(20), kvSpoilt: rate(10), kvSpreads: c.pick(4) > 0,
		refuses: rate(10), breaks: rate(20), drags: rate(25), leaves: rate(20),
	}
}

// transit is how long a message is under way, in milliseconds.
func (w *world) transit() int64 {
	c := &w.chance
	switch {
	case c.hits(w.weather.crawl):
		return c.between(w.lease*3/4, w.lease*3/2)
	case c.hits(w.weather.slow):
		return c.between(5, 400)
	}
	return c.between(1, 6)
}
