package simulator

import "github.com/singleshot-edge/singleshot/core"

// forward sends the request to the origin.
func (w *world) forward(c *carrier, e *core.Effect) {
	w.checkForward(c, e)
	if w.violation != nil {
		return
	}
	c.forwarded = true
	w.fates[c.serial] |= fateForwarded
	c.run = w.newRun(c, e)
	if e.Lease > 0 {
		c.renewing = true
		c.claimed, c.interval = e.Version, e.Lease
		w.queueCarrier(w.now+max(1, e.Lease/3), renewDue, c)
	}
	w.request(c)
}

// renew is the host's interval.
func (w *world) renew(c *carrier) {
	if !c.renewing {
		return
	}
	if w.now-c.began > 100*w.lease+60_000 {
		w.broken("I8", c.record, "#%d still renews its claim after %s: it stands at effect %d", c.serial, seconds(w.now-c.began), c.e.Kind)
		return
	}
	if w.thaw(c.guard, renewDue, c.index, c.generation) {
		return
	}
	w.queueCarrier(w.now+max(1, c.interval/3), renewDue, c)
	if w.seams.renew != nil && w.seams.renew(w, c) {
		return
	}
	if w.chance.hits(w.weather.renewal) {
		c.trouble = true
		w.tally.LostRenewals++
		if w.story != nil {
			w.say(c.record, "~ lost: a renewal of #%d", c.serial)
		}
		return
	}
	k := w.newCall(callRenew, c)
	k.record, k.version, k.lease = c.record, c.claimed, c.interval
	transit := w.transit()
	if transit > w.lease/8 {
		c.trouble = true
	}
	w.tally.Renewals++
	w.queueCall(w.now+transit, arrivalDue, k)
}

// collect reads the origin's answer: the piece that is there goes through the engine.
func (w *world) collect(c *carrier) {
	r := c.run
	if r.cutShort {
		w.later(c, core.Event{Kind: core.EventOriginFailed, Sent: true}, w.chance.between(1, 50))
		r.failed, r.sent = true, true
		if w.story != nil {
			w.say(c.record, "~ broken: the answer to #%d ends early", c.serial)
		}
		return
	}
	c.out = c.x.Pour(c.out[:0], r.body, true)
	r.out = append(r.out[:0], c.out...)
	length := int64(len(c.out))
	if r.length > length {
		length = r.length // a large answer without its bytes
	}
	if c.visit.large && !c.whole && w.chance.pick(3) > 0 {
		w.feedRest(c)
	}
	c.joined = c.joined || c.whole
	w.later(c, core.Event{Kind: core.EventBody, Length: length, TooLarge: length > c.e.Limit, Whole: c.whole}, w.transit())
}
