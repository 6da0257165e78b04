package edge

import "context"

// CloseNotify is http.CloseNotifier's: net/http's writers have it, and gin's Stream takes it for granted.
func (p *page) CloseNotify() <-chan bool { return done(p.c.r.Context()) }

// CloseNotify is http.CloseNotifier's. A guarded run does not end with its visitor, so that this tells of none.
func (a *collector) CloseNotify() <-chan bool { return done(a.c.ctx) }

// done gets one value when the context is done.
func done(ctx context.Context) <-chan bool {
	told := make(chan bool, 1)
	context.AfterFunc(ctx, func() { told <- true })
	return told
}
