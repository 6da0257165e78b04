package simulator

import "github.com/singleshot-edge/singleshot/core"

// seams are where a planted defect gets at the host, the claim store and the network. None is set in a
// simulation that looks for real ones.
type seams struct {
	begin   func(w *world, c *carrier, r *core.Request, random *[32]byte) // before the exchange begins
	event   func(w *world, c *carrier, e *core.Event)                     // before the exchange is told
	effect  func(w *world, c *carrier, e *core.Effect)                    // before the host carries it out
	feed    func(w *world, c *carrier, piece []byte) []byte               // what of the visitor's body is fed
	swap    func(w *world, c *carrier, k *call)                           // before a swap is sent
	wait    func(w *world, c *carrier, k *call)                           // before a wait is sent
	renew   func(w *world, c *carrier) (skip bool)                        // before a renewal is sent
	arrival func(w *world, k *call)                                       // when a call reaches the claim store
	deaf    func(w *world, r *record) (skip bool)                         // before those who wait are woken
	restart func(w *world, r *record)                                     // when a claim store restarts
}
