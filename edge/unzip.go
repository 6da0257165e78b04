package edge

import (
	"compress/gzip"
	"io"
	"net/http"
	"sync"
)

// unzip undoes the gzip of a page that the application compressed itself, while it streams. What comes out is
// poured from a goroutine that ends with the page.
type unzip struct {
	to   *io.PipeWriter
	over sync.WaitGroup

	mu     sync.Mutex // over the page, between the goroutine and Flush
	page   *page
	prompt bool // the application flushes: every piece goes out at once
}

func newUnzip(p *page) *unzip {
	from, to := io.Pipe()
	u := &unzip{to: to, page: p}
	u.over.Go(func() {
		err := u.run(from)
		if err == nil {
			err = io.ErrClosedPipe // what follows the end is no gzip
		}
		from.CloseWithError(err)
	})
	return u
}

func (u *unzip) run(from io.Reader) error {
	z, err := gzip.NewReader(from)
	if err != nil {
		return err
	}
	for piece := make([]byte, 32<<10); ; {
		n, err := z.Read(piece)
		if n > 0 {
			if err := u.pour(piece[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

func (u *unzip) pour(piece []byte) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.page.pour(piece, false); err != nil {
		return err
	}
	if u.prompt && u.page.state == pageInjecting {
		_ = http.NewResponseController(u.page.w).Flush()
	}
	return nil
}

// Write takes a piece of gzip.
func (u *unzip) Write(p []byte) (int, error) { return u.to.Write(p) }

func (u *unzip) flush() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.prompt = true
	if u.page.state != pageInjecting {
		return nil
	}
	return http.NewResponseController(u.page.w).Flush()
}

// close is the end of the gzip. It returns when everything has been poured. A second call does nothing.
func (u *unzip) close() {
	u.to.Close()
	u.over.Wait()
}
