package simulator

import "github.com/singleshot-edge/singleshot/core"

// respond carries out an answer to the visitor, and judges it.
func (w *world) respond(c *carrier, e *core.Effect) {
	c.renewing = false
	body := e.Inline
	if e.Source == core.SourceRecord {
		opened, err := c.x.Open(w.opened[:0], c.stored, true)
		if err != nil {
			w.giveUp(c)
			return
		}
		w.opened = opened
		body = opened
	}
	if c.visit.forgetting {
		w.tellOperator(c, e)
		return
	}
	w.checkAnswer(c, e, body)
	if w.violation != nil {
		return
	}
	first := !c.answered
	c.answered = true
	// Who was shown a record (429, or 503 where it cannot be opened) knows that its claim does not stand. If that record is
	// forgotten or over before an earlier message of its own arrives, the claim stands, and nobody could have known.
	if e.Outcome == "refused" && e.Status == 503 && !c.unreadable && !e.More {
		w.fates[c.serial] |= fateRefused
	}
	if first {
		w.count(c, e)
		w.react(c, e.Outcome, e.Inline)
	}
	w.sendNote(c, e)
	if e.KeepAll {
		sealed := c.sealed
		if !e.Body {
			sealed = nil
		}
		w.put(c, e.Name, e.Head, sealed, e.TTL, false)
	}
	if e.More {
		c.pending = core.Event{Kind: core.EventSent}
		w.tell(c, &c.pending)
		return
	}
	w.drop(c)
}

// giveUp is what the host does when stored bytes do not open: 503, and nothing of them goes out.
func (w *world) giveUp(c *carrier) {
	if !c.spoilt {
		w.broken("host", c.record, "#%d cannot open what was stored", c.serial)
		return
	}
	if w.story != nil {
		w.say(c.record, "#%d gets 503: what KV returned does not open", c.serial)
	}
	c.renewing, c.answered = false, true
	w.tally.Answers[statusRefused]++
	w.react(c, "refused", nil)
	w.drop(c)
}

func (w *world) count(c *carrier, e *core.Effect) {
	w.tally.Answers[statusIndex(e.Outcome)]++
	if w.story != nil {
		w.say(c.scopeRecord(w), "%s gets the answer to #%d: %s", w.visitors[c.visit.visitor].name, c.serial, answerText(c, e))
	}
}
