package simulator

import (
	"strconv"

	"github.com/singleshot-edge/singleshot/core"
)

// run is one time that the origin was asked to do the work of a submission.
type run struct {
	index    int
	id       string // in the X-Run line and the body of its answer
	record   *record
	carrier  *carrier
	asker    uint32
	step     uint32
	reply    *reply
	verdict  act // commit, release, or none where it is unknown
	headers  core.Headers
	body     []byte
	out      []byte // as it went out to the visitor
	length   int64  // of the answer, where that is more than its bytes
	ttl      int64  // of its own, milliseconds
	attempt  int
	serial   int  // of the exchange that asked
	silent   bool // it breaks before the answer
	idle     bool // it breaks before the work
	cutShort bool
	failed   bool // no answer came to the guard
	sent     bool // and the request had gone out
}

// reply is a kind of answer that the origin gives.
type reply struct {
	name    string
	weight  int
	status  int
	headers core.Headers
	body    string // stands around the run's id
	length  int64
	ttl     int64
	verdict act
	gateway bool // unknown under unknown = hold
	needs   func(f *form) bool
}

func attaching(f *form) bool { return f.rule.attaches }

const (
	inKV    = 1_200_000  // bytes of an answer that does not fit into a record
	beyond  = 11_000_000 // more than any rule keeps
	overset = 1_600_000  // more than the rule with a small max_answer keeps
)

var html = core.Header{Name: "Content-Type", Value: "text/html; charset=utf-8"}
var text = core.Header{Name: "Content-Type", Value: "text/plain"}

// replies are what an origin may say, with what that has to do to the key (contract §1.1, §1.5, §4).
var replies = [...]reply{
	{name: "done", weight: 30, status: 200, headers: core.Headers{text}, body: "done ", verdict: actCommit},
	{name: "a fragment", weight: 10, status: 200, headers: core.Headers{html, {Name: "HX-Trigger", Value: mark}}, body: "<p>done ", verdict: actCommit},
	{name: "see other", weight: 12, status: 303, headers: core.Headers{{Name: "Location", Value: "/receipts/" + mark}}, verdict: actCommit},
	{name: "created", weight: 6, status: 201, headers: core.Headers{text, {Name: "Location", Value: "/things/" + mark}}, body: "made ", verdict: actCommit},
	{name: "no content", weight: 5, status: 204, verdict: actCommit},
	{name: "go there, htmx", weight: 5, status: 200, headers: core.Headers{{Name: "HX-Redirect", Value: "/receipts/" + mark}}, verdict: actCommit},
	{name: "done, with a cookie", weight: 5, status: 200, headers: core.Headers{text, {Name: "Set-Cookie", Value: "cart=" + mark}}, body: "done ", verdict: actCommit},
	{name: "done, named", weight: 5, status: 200, headers: core.Headers{text, {Name: "Idempotency-Record", Value: `</orders/1>; title="` + mark + `"`}}, body: "done ", verdict: actCommit},
	{name: "a page with a form", weight: 2, status: 200, headers: core.Headers{html}, body: `<form method="post" action="/orders/x"><input name="amount"></form>` + mark + " ", verdict: actCommit},
	{name: "done for 90 s", weight: 4, status: 200, headers: core.Headers{text, {Name: "Idempotency-TTL", Value: "90"}}, body: "done ", ttl: 90_000, verdict: actCommit},
	{name: "invalid, but keep it", weight: 2, status: 422, headers: core.Headers{text, {Name: "Idempotency-Outcome", Value: "commit"}}, body: "kept ", verdict: actCommit},
	{name: "a large answer", weight: 6, status: 200, headers: core.Headers{text}, body: "long ", length: inKV, verdict: actCommit},
	{name: "an answer beyond the limit", weight: 4, status: 200, headers: core.Headers{text}, body: "longer ", length: beyond, verdict: actCommit},
	{name: "a download", weight: 25, status: 200, headers: core.Headers{text, {Name: "Content-Disposition", Value: "attachment"}}, body: "file ", verdict: actCommit, needs: attaching},
	{name: "a download beyond the limit", weight: 8, status: 200, headers: core.Headers{text, {Name: "Content-Disposition", Value: "attachment"}}, body: "file ", length: overset, verdict: actRelease, needs: attaching},
	{name: "invalid", weight: 16, status: 422, headers: core.Headers{html}, body: "<p>amount? ", verdict: actRelease},
	{name: "invalid, at length", weight: 2, status: 422, headers: core.Headers{html}, body: "<p>amount? ", length: inKV, verdict: actRelease},
	{name: "the form again", weight: 4, status: 200, headers: core.Headers{html}, body: `<form method="post"><input aria-invalid="true"></form>` + mark + " ", verdict: actRelease},
	{name: "sign in", weight: 4, status: 302, headers: core.Headers{{Name: "Location", Value: "/login?x=" + mark}}, verdict: actRelease},
	{name: "an error", weight: 6, status: 500, headers: core.Headers{text}, body: "oops ", verdict: actRelease},
	{name: "done, but try again", weight: 2, status: 200, headers: core.Headers{text, {Name: "Idempotency-Outcome", Value: "release"}}, body: "not yet ", verdict: actRelease},
	{name: "a gateway's timeout", weight: 6, status: 504, headers: core.Headers{text}, body: "timeout ", verdict: actRelease, gateway: true},
}

// numbers are the texts of small numbers.
var numbers = func() (texts [4096]string) {
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	return texts
}()

func (w *world) newRun(c *carrier, e *core.Effect) *run {
	if w.usedRuns == len(w.runPool) {
		w.runPool = append(w.runPool, new(run))
	}
	r := w.runPool[w.usedRuns]
	*r = run{index: w.usedRuns, headers: r.headers[:0], body: r.body[:0], out: r.out[:0]}
	w.usedRuns++
	r.id = numbers[r.index%len(numbers)]
	r.record, r.carrier, r.asker, r.step = c.record, c, c.generation, c.step
	r.attempt, r.serial = c.record.truth.attempt, c.serial
	if w.tally.Runs++; r.attempt > 1 {
		w.tally.Reruns++
	}
	return r
}

// request is on its way to the origin.
func (w *world) request(c *carrier) {
	r, weather := c.run, &w.weather
	r.step = c.step
	switch {
	case w.chance.hits(weather.refuses):
		r.failed = true
		w.tally.Refused++
		if w.story != nil {
			w.say(c.record, "the origin takes no connection from #%d", c.serial)
		}
		w.later(c, core.Event{Kind: core.EventOriginFailed}, w.chance.between(1, 100))
		return
	case w.chance.hits(weather.breaks):
		w.tally.Broken++
		switch w.chance.pick(3) {
		case 0:
			r.idle = true
		case 1:
			r.silent = true
		default:
			r.cutShort = true
		}
	}
	w.choose(r, c.form)
	if w.story != nil {
		w.say(c.record, "#%d sends R%d to the origin (attempt %d)", c.serial, c.record.index, r.attempt)
	}
	takes := w.chance.between(1, 60)
	if w.chance.hits(weather.drags) {
		takes = w.chance.between(w.lease/2, w.lease*3)
	} else if w.chance.pick(8) == 0 {
		takes = w.chance.between(60, 2500)
	}
	w.queueRun(w.now+w.transit()+takes, originDue, r)
}

func (w *world) queueRun(at int64, kind happening, r *run) {
	w.queue.push(due{order: w.orderAt(at), who: int32(r.index), kind: kind})
}

// choose makes up the answer.
func (w *world) choose(r *run, f *form) {
	for {
		n := w.chance.pick(replyWeight)
		for i := range replies {
			if n -= replies[i].weight; n < 0 {
				r.reply = &replies[i]
				break
			}
		}
		if r.reply.needs == nil || r.reply.needs(f) {
			break
		}
	}
	p := r.reply
	r.verdict, r.length, r.ttl = p.verdict, p.length, p.ttl
	if p.gateway && f.rule.hold {
		r.verdict = actNone
	}
	r.headers = append(append(r.headers, p.headers...), core.Header{Name: "X-Run", Value: r.id})
	if p.body != "" {
		r.body = append(append(append(r.body, p.body...), mark...), r.id...)
	}
}

var replyWeight = func() (n int) {
	for i := range replies {
		n += replies[i].weight
	}
	return n
}()

// work is the moment at which the origin has done what it was asked to do.
func (w *world) work(r *run) {
	if !r.idle {
		w.tally.SideEffects++
		w.checkWork(r)
		if w.story != nil {
			w.say(r.record, "the origin does the work of R%d, run %s: %s", r.record.index, r.id, r.reply.name)
		}
	}
	w.queueRun(w.now+w.transit(), backDue, r)
}

// back brings the head of the answer to the guard, or the end of the connection.
func (w *world) back(r *run) {
	c := r.carrier
	if c.generation != r.asker || c.step != r.step || !c.alive {
		return
	}
	if w.thaw(c.guard, backDue, int32(r.index), 0) {
		return
	}
	if r.idle || r.silent {
		r.failed, r.sent = true, true
		if w.story != nil {
			w.say(r.record, "~ broken: #%d gets no answer from the origin", c.serial)
		}
		c.pending = core.Event{Kind: core.EventOriginFailed, Sent: true}
	} else {
		c.pending = core.Event{Kind: core.EventHead, Status: r.reply.status, Headers: r.headers}
	}
	w.tell(c, &c.pending)
}
