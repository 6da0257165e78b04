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
	order      uint64 // the time in simulated milliseconds since the epoch, and a random number
	generation uint32
	who        int32
	kind       happening
}

const tieBits = 20 // of the random number; leaves 557 years

func (d *due) at() int64 { return epoch + int64(d.order>>tieBits) }

// orderAt is where something stands that is due at a time.
func (w *world) orderAt(at int64) uint64 {
	return uint64(at-epoch)<<tieBits | w.chance.next()>>(64-tieBits)
}

// queue holds what is due, the earliest first; what is due in the same millisecond comes in random order, so
// that messages overtake each other there too. It is a heap of four children a node.
type queue []due

func (q *queue) push(d due) {
	*q = append(*q, d)
	h := *q
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if d.order >= h[parent].order {
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
			if h[c].order < h[least].order {
				least = c
			}
		}
		if h[least].order >= last.order {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return first
}
