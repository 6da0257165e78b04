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
	at      Address
	version core.Version
	lease   time.Duration

	mu     sync.Mutex
	timer  *time.Timer // nil: nothing is renewed
	over   bool
	giveUp context.CancelFunc // of the call that is under way
	ended  chan struct{}      // closed with it; nil: there is none
}

// start begins the renewals of the claim that the effect names, until stop.
func (r *renewal) start(c *carrier, e *core.Effect) {
	r.c, r.at, r.version, r.lease = c, place(e), e.Version, milliseconds(e.Lease)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(r.lease/3, r.run)
}

func (r *renewal) run() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	ctx, done := context.WithTimeout(r.c.ctx, r.lease/3)
	defer done()
	ended := make(chan struct{})
	defer close(ended)
	r.giveUp, r.ended = done, ended
	r.mu.Unlock()
	_, err := r.c.store.Renew(ctx, r.at, r.version, r.lease)
	r.mu.Lock()
	r.giveUp, r.ended = nil, nil
	if r.over {
		return
	}
	if err != nil {
		r.c.log.failed("the renewal of a claim", err)
	}
	r.timer.Reset(r.lease / 3)
}

// stop ends the renewals; one that is under way is given up, and waited for.
func (r *renewal) stop() {
	r.mu.Lock()
	r.over = true
	if r.timer != nil {
		r.timer.Stop()
	}
	giveUp, ended := r.giveUp, r.ended
	r.mu.Unlock()
	if ended != nil {
		giveUp()
		<-ended
	}
}
