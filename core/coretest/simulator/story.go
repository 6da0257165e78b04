package simulator

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/singleshot-edge/singleshot/core"
)

// Story is what happened in one simulation, step by step, for people.
type Story struct {
	lines []line
	names map[core.Version]string
}

type line struct {
	at     int64
	record int // 0: concerns everybody
	text   string
}

// Write writes the story; with the number of a record only what concerns that record.
func (s *Story) Write(to io.Writer, record int) {
	for _, l := range s.lines {
		if record <= 0 || l.record == 0 || l.record == record {
			where := "     "
			if l.record > 0 {
				where = fmt.Sprintf("R%-4d", l.record)
			}
			fmt.Fprintf(to, "%10s  %s %s\n", clock(l.at), where, l.text)
		}
	}
}

// say adds a line. Callers ask w.story first: the arguments cost more than the simulation.
func (w *world) say(r *record, format string, args ...any) {
	if w.story == nil {
		return
	}
	l := line{at: w.now - epoch, text: fmt.Sprintf(format, args...)}
	if r != nil {
		l.record = r.index
	}
	w.story.lines = append(w.story.lines, l)
}

func seconds(ms int64) string {
	return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s"
}

func clock(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', 3, 64) }

func (w *world) sayWeather() {
	if w.story == nil {
		return
	}
	var guards []string
	for i := range w.guards {
		g := &w.guards[i]
		text := fmt.Sprintf("guard %d (clock %+.1f s", i+1, float64(g.skew)/1000)
		switch g.knows {
		case newAndOld:
			text += ", signs with the new secret"
		case oldOnly:
			text += ", does not know the new secret"
		}
		guards = append(guards, text+")")
	}
	if w.story != nil {
		w.say(nil, "lease %d s, wait %d s, ttl %d s; %s", w.timing.lease, w.timing.wait, w.timing.ttl, strings.Join(guards, ", "))
	}
	if w.weather.calm {
		if w.story != nil {
			w.say(nil, "calm weather: nothing fails")
		}
	}
}

// versionText gives a version a short name: v1, v2 … in the order in which they appear.
func (w *world) versionText(r *record, v core.Version) string {
	if v == (core.Version{}) {
		return "nothing"
	}
	if w.story.names == nil {
		w.story.names = make(map[core.Version]string)
	}
	name, ok := w.story.names[v]
	if !ok {
		name = "v" + strconv.Itoa(len(w.story.names)+1)
		w.story.names[v] = name
	}
	return name
}

func (w *world) rowText(r *record, found *row, now int64) string {
	if found == nil {
		return "nothing"
	}
	text := fmt.Sprintf("the %s of #%d (%s)", found.means.kind, found.means.serial, w.versionText(r, found.version))
	if found.means.kind == actClaim {
		if left := found.lease - now; left > 0 {
			return text + ", lease " + seconds(left) + " more"
		}
		return text + ", lease over"
	}
	return text
}

// scopeRecord is the record of a carrier's scope, if anybody had one before.
func (c *carrier) scopeRecord(w *world) *record {
	if c.record != nil {
		return c.record
	}
	return w.scopeOf(c).record
}

// visitText says what a visitor sends.
func (w *world) visitText(c *carrier) string {
	v, who := &c.visit, w.visitors[c.visit.visitor].name
	place := v.form.rule.path
	if v.other {
		place = v.form.rule.other
	}
	place = strings.TrimSuffix(place, "/"+mark)
	where := fmt.Sprintf("(#%d at guard %d)", c.serial, c.guard.index+1)
	if v.forgetting {
		return fmt.Sprintf("an operator asks to forget form %d %s", v.form.index, where)
	}
	if v.looking {
		return fmt.Sprintf("%s follows the wait link of form %d %s", who, v.form.index, where)
	}
	payload := strings.ReplaceAll(payloadTexts[v.payload], "&name="+mark, "")
	text := fmt.Sprintf("%s submits form %d to %s with %s %s", who, v.form.index, place, payload, where)
	for _, how := range []struct {
		set  bool
		text string
	}{{v.htmx, ", htmx"}, {v.script, ", from a script"}, {v.override, ", as PUT"}, {v.large, ", over 1 MiB"}} {
		if how.set {
			text += how.text
		}
	}
	return text
}

// answerText says what a visitor gets.
func answerText(c *carrier, e *core.Effect) string {
	text := e.Outcome
	status := e.Status
	if e.Source == core.SourceOrigin {
		status = c.run.reply.status
	}
	text = strconv.Itoa(status) + " " + text
	id := e.Headers.Get("X-Run")
	if e.Source == core.SourceOrigin {
		id = c.run.id
	}
	if id != "" {
		text += ", run " + id
	}
	return text
}
