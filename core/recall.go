package core

// RecallTime is for how long a guard gives a committed answer again without asking the claim store, counted from when it
// asked last, in milliseconds. Forgetting a record takes as long (onForget).
const RecallTime = 2000

const (
	mostRecalled = 256 << 10 // bytes of all that is recalled
	mostToRecall = 16 << 10  // bytes of one record and its answer
)

// recall is what a guard remembers of the committed records that it has just given again, so that a storm of duplicates
// is not one for the claim store too. A committed record does not change until it is over or forgotten (I2), and
// whoever forgets one is told so only when no guard recalls it any more. A retention may end up to RecallTime late.
type recall struct {
	known map[[recordNameSize]byte]*recalled
	queue []*recalled // the oldest first
	size  int         // bytes of those in the queue
}

type recalled struct {
	name  [recordNameSize]byte
	asked int64 // when the claim store was asked that showed it, unix milliseconds of the guard
	bytes []byte
	cut   int // the record's encoding ends here, the answer's body follows
}

// Recalling returns a guard with the same configuration, for the requests of one isolate, that recalls what it gives
// again. It is not safe for concurrent use.
func (g *Guard) Recalling() *Guard {
	own := *g
	own.recall = &recall{known: make(map[[recordNameSize]byte]*recalled)}
	return &own
}

func (r *recall) find(name *[recordNameSize]byte, now int64) *recalled {
	if r == nil {
		return nil
	}
	one := r.known[*name]
	if one == nil || !one.stands(now) {
		return nil
	}
	return one
}

// stands says whether it may still be given. A clock that was set back says nothing.
func (one *recalled) stands(now int64) bool {
	return now >= one.asked && now < one.asked+RecallTime
}

// keep remembers a committed record that the claim store showed, asked at that time, with the plain body of its answer.
func (r *recall) keep(name *[recordNameSize]byte, record *Record, body []byte, asked, now int64) {
	if r == nil {
		return
	}
	one := &recalled{name: *name, asked: asked}
	if !one.stands(now) {
		return
	}
	if newer := r.known[*name]; newer != nil && newer.asked > asked {
		return
	}
	room := recordRoom(record) + len(body)
	if room > mostToRecall {
		return
	}
	one.bytes = appendRecord(make([]byte, 0, room), record)
	one.cut = len(one.bytes)
	one.bytes = append(one.bytes, body...)
	r.queue = append(r.queue, one)
	r.known[*name] = one
	r.size += room
	for r.size > mostRecalled || !r.queue[0].stands(now) {
		r.drop()
	}
}

// drop lets go of the oldest.
func (r *recall) drop() {
	one := r.queue[0]
	r.queue[0] = nil
	r.queue = r.queue[1:]
	r.size -= cap(one.bytes)
	if r.known[one.name] == one {
		delete(r.known, one.name)
	}
}

// recalls meets the record that the guard recalls, if the submission is a duplicate of it. Everything else is for the
// claim store to tell.
func (x *Exchange) recalls() bool {
	one := x.guard.recall.find(&x.recordName, x.now)
	if one == nil || x.large {
		return false
	}
	room := x.spare.newMet()
	record, err := decodeRecord(one.bytes[:one.cut], &room.other)
	if err != nil || decide(&record, circumstances{compare: x.rule.Compare, known: x.known, own: x.fingerprint}) != moveReplay {
		return false
	}
	*room = met{other: record, hasBody: record.Body == BodyInline, recalled: one.bytes[one.cut:]}
	x.met = room
	return true
}

// remember keeps the record that is given again for those who come next, with its plain body.
func (x *Exchange) remember(body []byte) {
	if x.met != nil && x.shown > 0 && x.other.State == Committed {
		x.guard.recall.keep(&x.recordName, &x.other, body, x.shown, x.now)
	}
}
