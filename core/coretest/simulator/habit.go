package simulator

import (
	"bytes"

	"github.com/singleshot-edge/singleshot/core"
)

// plan is what a form's owner does of himself: single and double clicks, edits, other buttons and tabs, and a
// late return after the retention.
func (w *world) plan(f *form, at int64) {
	c := &w.chance
	first := visit{form: f, visitor: f.owner, htmx: c.pick(3) == 0, large: f.large}
	again := func(delay int64, change func(v *visit)) {
		v := first
		change(&v)
		w.visitAt(at+delay, v)
	}
	same := func(*visit) {}
	w.visitAt(at, first)
	if c.pick(200) == 0 { // changes his mind more often than a key allows
		f.left = 2 * core.MostMismatches
		for i := range int64(core.MostMismatches + 6) {
			again(i*100+c.between(500, 1500), func(v *visit) { v.payload = 1 })
		}
		return
	}
	switch c.pick(9) {
	case 0: // once
	case 1, 2: // double click
		again(c.between(0, 30), same)
		if c.pick(2) == 0 {
			again(c.between(0, 400), same)
		}
	case 3: // edits at once
		again(c.between(0, 300), func(v *visit) { v.payload = int8(1 + c.pick(2)) })
	case 4: // another subject with the same key
		again(c.between(0, 300), func(v *visit) { v.visitor = int8(c.pick(len(w.visitors))) })
	case 5: // another button
		again(c.between(0, 300), func(v *visit) { v.other = true })
		again(c.between(0, 3000), func(v *visit) { v.other, v.payload = true, 1 })
	case 6: // a script, or an update
		again(c.between(0, 300), func(v *visit) { v.script, v.htmx = true, false })
		again(c.between(0, 3000), func(v *visit) { v.override, v.payload = f.rule.inField() && c.pick(2) == 0, 1 })
	case 7: // comes back when the time is over, nearly
		w.tally.Returns++
		again(w.timing.ttl*1000+c.between(-3000, 5000), same)
		again(w.timing.ttl*1000+c.between(-50, 200), same)
	case 8: // many at once
		n := 2 + c.pick(6)
		if c.pick(60) == 0 {
			n, f.left = mostWaiters+12, 2*mostWaiters
		}
		for range n {
			again(c.between(0, 200), func(v *visit) {
				if c.pick(6) == 0 {
					v.payload = 1
				}
			})
		}
	}
}

// visitAt plans a visit.
func (w *world) visitAt(at int64, v visit) {
	if v.form.left--; v.form.left < 0 {
		return
	}
	w.visits = append(w.visits, v)
	w.queue.push(due{order: w.orderAt(at), who: int32(len(w.visits) - 1), kind: visitDue})
}

// react is what the visitor does about an answer; status is that of the guard, "" for none at all.
func (w *world) react(c *carrier, status string, inline []byte) {
	if c.gone || c.visit.forgetting || c.form.left <= 0 {
		return
	}
	h, v := &w.chance, c.visit
	switch status {
	case "running":
		link := waitLink(inline)
		if link == "" || h.pick(4) == 0 {
			break
		}
		v.looking, v.link, v.onward = true, link, c.repeat
		if h.pick(8) == 0 {
			v.visitor = int8(h.pick(len(w.visitors))) // passed on to somebody else
		}
		w.visitAt(w.now+h.between(200, 5000), v)
		return
	case "", "unknown", "refused":
		if h.pick(10) < 6 {
			v.looking = false
			w.visitAt(w.now+h.between(0, 4000), v)
		}
		return
	case "mismatch":
		return
	}
	if v.looking || h.pick(10) < 4 {
		return
	}
	if h.pick(3) == 0 {
		v.payload = int8(h.pick(mostPayloads))
	}
	v.htmx = v.htmx != (h.pick(5) == 0)
	w.visitAt(w.now+h.between(0, 9000), v)
}

var linkStart = []byte(core.OwnPath + "wait/")

// waitLink finds the link of a page that says running.
func waitLink(page []byte) string {
	i := bytes.Index(page, linkStart)
	if i < 0 {
		return ""
	}
	page = page[i:]
	end := bytes.IndexAny(page, `"'<> `)
	if end < 0 {
		end = len(page)
	}
	return string(page[:end])
}
