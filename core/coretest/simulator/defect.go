package simulator

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/singleshot-edge/singleshot/core"
)

// Defect is a fault that can be planted in the host, the claim store or KV of the simulation, to see that it is
// found. Those inside core are in a test.
type Defect struct {
	Name  string
	Why   string   // what a visitor would suffer
	Found []string // what may find it, the likeliest first
	plant func(s *seams)
}

// Plant plants the defect of that name in all simulations to come.
func (s *Simulator) Plant(name string) error {
	i := slices.IndexFunc(Defects, func(d Defect) bool { return d.Name == name })
	if i < 0 {
		return fmt.Errorf("simulator: there is no defect %q", name)
	}
	s.w.seams = seams{}
	Defects[i].plant(&s.w.seams)
	return nil
}

// Defects are those that can be planted.
var Defects = []Defect{
	{"swap ignores the old version", "two submits hold one key, and an answer is written over another", []string{"I1", "I2", "I3", "I7"}, func(s *seams) {
		s.arrival = func(w *world, k *call) {
			if k.kind == callSwap {
				k.old, k.lapsed = k.record.seen(k.record.cell.clock(w)).v(), false
			}
		}
	}},
	{"takeover ignores the lease", "a holder that has just renewed is taken over", []string{"I1"}, func(s *seams) {
		s.arrival = func(w *world, k *call) { k.lapsed = false }
	}},
	{"claim store forgets at a restart", "an order is placed twice after a deploy", []string{"I2", "I1"}, func(s *seams) {
		s.restart = func(w *world, r *record) { r.row.version = core.Version{} }
	}},
	{"claim store keeps a commit too short", "an order is placed twice within the retention", []string{"I2"}, func(s *seams) {
		s.swap = func(w *world, c *carrier, k *call) {
			if k.means.kind == actCommit {
				k.ttl /= 2
			}
		}
	}},
	{"claim store's clock jumps", "leases end early; the claim store's clock is all that they have", []string{"I1"}, func(s *seams) {
		s.restart = func(w *world, r *record) { r.cell.skew += w.lease / 2 }
	}},
	{"renewal ignores the version", "a dead holder keeps another's claim alive", []string{"I1", "§1.9"}, func(s *seams) {
		s.arrival = func(w *world, k *call) {
			if k.kind == callRenew {
				k.version = k.record.row.version
			}
		}
	}},
	{"renewals do not go out", "an order is placed twice while the first is at work", []string{"I1"}, func(s *seams) {
		s.renew = func(w *world, c *carrier) bool { return true }
	}},
	{"refused swap shows an old row", "a duplicate waits for what is long done", []string{"porcupine", "§1.2", "§1.3", "I4"}, func(s *seams) {
		before := map[*record]call{}
		s.arrival = func(w *world, k *call) {
			if k.kind == callSwap {
				r := k.record
				if found := r.seen(r.cell.clock(w)); found != nil && found.version == k.old {
					before[r] = call{version: found.version, head: bytes.Clone(found.head), lease: found.lease}
				}
			}
		}
		s.event = func(w *world, c *carrier, e *core.Event) {
			if old, ok := before[c.record]; ok && e.Kind == core.EventRefused && w.chance.pick(3) == 0 && e.Version != old.version {
				e.Version, e.Head, e.Lease, e.HasBody = old.version, old.head, old.lease-c.record.cell.clock(w), false
				c.record.shown(c, e)
			}
		}
	}},
	{"waiters are not woken", "a double click looks at the clock until the lease ends", []string{"I8"}, func(s *seams) {
		s.deaf = func(w *world, r *record) bool { return true }
	}},
	{"waiters wait too long", "a browser gives up before it is told to come back", []string{"I8"}, func(s *seams) {
		s.wait = func(w *world, c *carrier, k *call) { k.wait *= 3 }
	}},
	{"failed swap counts as made", "the origin runs without a claim", []string{"I5", "I3"}, func(s *seams) {
		s.event = func(w *world, c *carrier, e *core.Event) {
			if e.Kind == core.EventStoreFailed && c.e.Kind == core.DoSwap {
				e.Kind = core.EventSwapped
			}
		}
	}},
	{"refused claim counts as made", "every duplicate runs", []string{"I5", "I1", "I4", "I7"}, func(s *seams) {
		s.event = func(w *world, c *carrier, e *core.Event) {
			if e.Kind == core.EventRefused && c.e.Lease > 0 {
				e.Kind = core.EventSwapped
			}
		}
	}},
	{"commit is repeated with a new version", "who ordered is told that nobody knows", []string{"I3", "§4", "host"}, func(s *seams) {
		s.swap = func(w *world, c *carrier, k *call) {
			if k.lease == 0 && c.storeFailed {
				random := w.chance.bytes32()
				copy(k.version[:], random[:])
			}
		}
	}},
	{"KV is read before the claim", "the miss is cached when the duplicates arrive", []string{"KV"}, func(s *seams) {
		s.effect = func(w *world, c *carrier, e *core.Effect) {
			if e.Kind == core.DoSwap && c.record == nil {
				w.get(c, e.Name, false)
			}
		}
	}},
	{"every body is fed as the same", "a changed order gets the receipt of the first", []string{"I4", "I6"}, func(s *seams) {
		s.feed = func(w *world, c *carrier, piece []byte) []byte {
			piece = bytes.ReplaceAll(piece, []byte("amount=6"), []byte("amount=5"))
			return bytes.ReplaceAll(piece, []byte("&more=1"), nil)
		}
	}},
	{"another visitor's head is taken", "somebody else's receipt", []string{"I6"}, func(s *seams) {
		s.begin = func(w *world, c *carrier, r *core.Request, _ *[32]byte) {
			for i := range r.Headers {
				if line := &r.Headers[i]; line.Name == "Cookie" {
					line.Value = w.visitors[0].cookie
				}
			}
		}
	}},
	{"exchanges share their randomness", "a version names two writes", []string{"I5", "I1", "I3", "porcupine"}, func(s *seams) {
		s.begin = func(w *world, c *carrier, _ *core.Request, random *[32]byte) { *random = [32]byte{1} }
	}},
	{"the origin is not told the attempt", "a second run looks like the first", []string{"I7"}, func(s *seams) {
		s.effect = func(w *world, c *carrier, e *core.Effect) {
			if e.Kind == core.DoForward {
				e.Edit.Set = slices.DeleteFunc(e.Edit.Set, func(h core.Header) bool { return h.Name == "Idempotency-Attempt" })
			}
		}
	}},
	{"answers are stored as they are", "whoever reads the store reads receipts", []string{"I9"}, func(s *seams) {
		s.swap = func(w *world, c *carrier, k *call) {
			if k.hasBody {
				k.body = append(k.body[:0], c.out...)
			}
		}
	}},
	{"records are named after their key", "whoever lists the store can submit", []string{"I9"}, func(s *seams) {
		s.effect = func(w *world, c *carrier, e *core.Effect) {
			if e.Kind == core.DoSwap || e.Kind == core.DoWait {
				e.Name = c.form.key
			}
		}
	}},
}
