package sqlstore

import (
	"context"
	"time"
)

// sweepEvery is how often a process sweeps at most, and only if it writes.
const sweepEvery = 10 * time.Second

// sweepSometimes sweeps if it is time to. What fails is tried at the next time: nothing depends on it.
func (s *Store) sweepSometimes(ctx context.Context) {
	s.mu.Lock()
	due := time.Since(s.swept) > sweepEvery
	if due {
		s.swept = time.Now()
	}
	s.mu.Unlock()
	if due {
		_ = s.Sweep(ctx)
	}
}

// Sweep takes away rows that are over, some hundred of each kind; calls that write do it every ten seconds. Rows that
// are over are absent for every other call, swept or not.
func (s *Store) Sweep(ctx context.Context) error {
	for _, statement := range s.say.sweep {
		if _, err := s.db.ExecContext(ctx, statement, sweepMost); err != nil {
			return failed(ctx, "sweep", err)
		}
	}
	return nil
}
