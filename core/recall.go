package core

// RecallTime is for how long a guard gives a committed answer again without asking the claim store, counted from when it
// asked last, in milliseconds. Forgetting a record takes as long (outlast).
const RecallTime = 2000

const (
	recallRoom   = 128 << 10 // bytes of all that is recalled
	mostToRecall = 16 << 10  // bytes of one record with its answer
	mostRecalled = 256       // records
)

// Recall is what a guard remembers of the records that it has just committed or given again, so that a duplicate soon
// after is no call of the claim store, and a storm of them none for it. A committed record does not change until it is
// over or forgotten (I2), and whoever forgets one is told so only when no guard recalls it any more. A retention may
// end up to RecallTime late.
//
// It is one piece of memory, in which the newest is written over the oldest: a heap of what comes and goes would grow.
// It belongs to one isolate and is not safe for concurrent use. Its zero value recalls nothing.
type Recall struct {
	room [recallRoom]byte
	end  int // of the newest in room
	list [mostRecalled]recalled
	next uint64 // how many there ever were; one has its place in list by its number
	old  uint64 // the oldest of them that is whole
}

// recalled is where a record stands in room: its encoding from begin, the body of its answer from cut.
type recalled struct {
	name            [recordNameSize]byte
	asked           int64 // when the claim store was asked that showed it, unix milliseconds of the guard; 0 not yet
	begin, cut, end int
}

// Recalling returns a guard with the same configuration that recalls in r what it has committed or given again, unless
// the configuration says RECALL = off. It is not safe for concurrent use.
func (g *Guard) Recalling(r *Recall) *Guard {
	own := *g
	if !g.config.AskAlways {
		own.recall = r
	}
	return &own
}

// Clear makes it recall nothing, as at the end of its isolate and of all exchanges there.
func (r *Recall) Clear() { r.end, r.next, r.old = 0, 0, 0 }

// stands says whether it may be given.
func (one *recalled) stands(now int64) bool {
	return one.asked > 0 && now < one.asked+RecallTime
}

// find returns the newest of that name which may be given, or nil. What is yet to come was before the clock was set back:
// nobody knows how long, also when that time comes again.
func (r *Recall) find(name *[recordNameSize]byte, now int64) *recalled {
	for n := r.next; n > r.old; n-- {
		one := &r.list[(n-1)%mostRecalled]
		if one.asked > now {
			one.asked = 0
		}
		if one.name == *name && one.stands(now) {
			return one
		}
	}
	return nil
}

// put takes a committed record with the plain body of its answer, and returns its number: it stands from confirm on.
// It is 0 for what is too large.
func (r *Recall) put(name *[recordNameSize]byte, record *Record, body []byte) uint64 {
	size := recordRoom(record) + len(body)
	if size > mostToRecall {
		return 0
	}
	begin := r.end
	if begin+size > recallRoom {
		begin = 0
		for r.old < r.next && r.list[r.old%mostRecalled].begin >= r.end { // older than what begins at 0
			r.old++
		}
	}
	for r.old < r.next && (r.next-r.old == mostRecalled || r.list[r.old%mostRecalled].within(begin, begin+size)) {
		r.old++
	}
	encoded := appendRecord(r.room[begin:begin:begin+size], record)
	cut := begin + len(encoded)
	r.end = cut + copy(r.room[cut:], body)
	r.list[r.next%mostRecalled] = recalled{name: *name, begin: begin, cut: cut, end: r.end}
	r.next++
	return r.next
}

func (one *recalled) within(begin, end int) bool { return one.begin < end && begin < one.end }

// confirm says when the claim store was asked that confirmed a record.
func (r *Recall) confirm(number uint64, asked int64) {
	if number > r.old {
		r.list[(number-1)%mostRecalled].asked = asked
	}
}

// recalls meets the record that the guard recalls, if the submission is a duplicate of it. Everything else is for the
// claim store to tell.
func (x *Exchange) recalls() bool {
	r := x.guard.recall
	if r == nil || x.large {
		return false
	}
	one := r.find(&x.recordName, x.now)
	if one == nil {
		return false
	}
	room := x.spare.newMet()
	record, err := decodeRecord(r.room[one.begin:one.cut], &room.other)
	if err != nil || decide(&record, circumstances{compare: x.rule.Compare, known: x.known, own: x.fingerprint}) != moveReplay {
		return false
	}
	*room = met{other: record, hasBody: record.Body == BodyInline, recalled: r.room[one.cut:one.end:one.end]}
	x.met = room
	return true
}

// rememberReplay keeps the record that is given again for those who come next, with the plain body of its answer.
func (x *Exchange) rememberReplay(body []byte) {
	if r := x.guard.recall; r != nil && x.met != nil && x.now < x.shown+RecallTime && x.other.State == Committed {
		r.confirm(r.put(&x.recordName, &x.other, body), x.shown)
	}
}

// rememberBody keeps the record that is about to be written, with its whole body.
func (x *Exchange) rememberBody(body []byte) {
	if r := x.guard.recall; r != nil && x.answer.State == Committed && x.answer.Body <= BodyInline {
		x.recalledAs = r.put(&x.recordName, &x.answer, body)
	}
}

// rememberCommit lets it stand when the claim store has it: most duplicates come soon.
func (x *Exchange) rememberCommit() {
	if x.answer.State != Committed {
		return // what was undone may have been sealed as committed before
	}
	if x.answer.Body == BodyEmpty {
		x.rememberBody(nil)
	}
	if x.recalledAs > 0 {
		x.guard.recall.confirm(x.recalledAs, x.asked)
	}
}
