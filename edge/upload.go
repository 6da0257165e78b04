package edge

import (
	"io"
	"net/http"
	"sync"
)

// upload is the rest of a large body. Whoever reads it lets core hash it on its way.
type upload struct {
	c      *carrier
	source io.Reader

	mu    sync.Mutex
	taken bool // drain has it: nobody else reads it any more
	ended bool
	broke bool // the visitor broke off
}

func (u *upload) Read(p []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.taken {
		return 0, http.ErrBodyReadAfterClose
	}
	return u.read(p)
}

func (u *upload) read(p []byte) (int, error) {
	n, err := u.source.Read(p)
	if n > 0 {
		u.c.feed(p[:n])
	}
	u.ended = u.ended || err == io.EOF
	u.broke = u.broke || err != nil && err != io.EOF
	return n, err
}

// Close lets nobody read on but drain: the fingerprint needs the rest.
func (u *upload) Close() error { return nil }

func (u *upload) drain() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.taken = true
	for piece := make([]byte, 32<<10); !u.ended; {
		if _, err := u.read(piece); err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// over says whether everything has been read.
func (u *upload) over() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.ended
}

// half says whether the application got a part of the body, and there will be no more.
func (u *upload) half() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.broke
}
