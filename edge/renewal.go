package edge

import (
	"context"
	"sync"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// renewal renews a claim every third of its lease, while the application runs. One that fails is tried again at the
// next third.
type renewal struct {
	c       *carrier
	ctx     context.Context
	cancel  context.CancelFunc
	at      Address
	version core.Version
	lease   time.Duration

	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

// renew begins the renewals of the claim that the effect names, until the returned function is called.
func (c *carrier) renew(e *core.Effect) (stop func()) {
	r := &renewal{c: c, at: place(e), version: e.Version, lease: milliseconds(e.Lease)}
	r.ctx, r.cancel = context.WithCancel(c.ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(r.lease/3, r.run)
	return r.stop
}

func (r *renewal) run() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	ctx, done := context.WithTimeout(r.ctx, r.lease/3)
	defer done()
	if _, err := r.c.store.Renew(ctx, r.at, r.version, r.lease); err != nil && r.ctx.Err() == nil {
		r.c.log.failed("the renewal of a claim", err)
	}
	r.timer.Reset(r.lease / 3)
}

// stop ends the renewals; one that is under way is given up.
func (r *renewal) stop() {
	r.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.timer.Stop()
}
