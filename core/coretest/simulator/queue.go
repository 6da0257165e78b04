package simulator

// happening is a kind of thing that is due at some time.
type happening uint8

const (
	visitDue   happening = iota // a visitor sends a request: index of the visit
	resumeDue                   // a carrier goes on with its effect, or with an event that is ready
	arrivalDue                  // a call reaches the claim store or KV
	replyDue                    // what a call was answered, or its failure, reaches the guard
	waitOver                    // the time of a waiter in the claim store is over
	renewDue                    // a carrier's renewal interval has passed
	originDue                   // the origin's next step in a run
	backDue                     // what the origin sent reaches the guard
	cutDue                      // the platform ends a request whose visitor is gone
	crashDue                    // a guard dies
	freezeDue                   // a guard stands still for a while
	restartDue                  // a claim store restarts
	forgetDue                   // an operator forgets a record
	happenings                  // how many kinds there are
)

// due is one entry of the queue. who is an index whose meaning depends on the kind; generation tells entries
// for an object from entries for an earlier use of the same place.
type due struct {
	at         int64 // simulated milliseconds
	tie        uint32
	generation uint32
	who        int32
	kind       happening
}

func (d *due) before(o *due) bool { return d.at < o.at || d.at == o.at && d.tie < o.tie }

// queue holds what is due, the earliest first; what is due in the same millisecond comes in random order, so
// that messages overtake each other there too. It is a heap of four children a node.
type queue []due

func (q *queue) push(d due) {
	*q = append(*q, d)
	h := *q
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !d.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = d
}

// pop takes the earliest entry out. The queue must not be empty.
func (q *queue) pop() due {
	h := *q
	first := h[0]
	last := h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return first
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(h)); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return first
}
