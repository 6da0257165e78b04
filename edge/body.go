package edge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/singleshot-edge/singleshot/core"
)

// hash reads the visitor's body, at most a little more than the limit, and hands it to core.
func (c *carrier) hash(e *core.Effect) *core.Effect {
	whole := true
	if c.r.Body != nil && c.r.Body != http.NoBody {
		var err error
		if c.body, whole, err = read(c.r.Body, c.r.ContentLength, e.Limit); err != nil {
			c.broken(err)
			return nil
		}
	}
	c.feed(c.body)
	if len(c.body) == 0 && c.r.PostForm != nil {
		if err := c.feedParsed(); err != nil {
			c.broken(err)
			return nil
		}
	}
	if !whole {
		c.upload = &upload{c: c, source: c.r.Body}
	}
	return c.next(core.Event{Kind: core.EventHashed, Whole: whole})
}

// read takes bytes until limit is exceeded or the end, and says whether it was the end.
func read(from io.Reader, length, limit int64) (body []byte, whole bool, err error) {
	size := int64(bytes.MinRead)
	if length >= 0 {
		size = min(length, limit) + 1 // room for the end to be seen
	}
	body = make([]byte, 0, size)
	for int64(len(body)) <= limit {
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, true, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return body, false, nil
}

// body is what was read of the visitor's body, as the application reads it again.
type body struct{ bytes.Reader }

// Close is io.Closer's.
func (*body) Close() error { return nil }

// broken answers a visitor whose body cannot be read. Mostly they are gone.
func (c *carrier) broken(err error) {
	h := lines(c.r.Header)
	n := core.Notice{Type: core.NoticeBadBody, Shape: core.ShapeOf(h), Language: core.ParseLanguage(h.Get("Accept-Language"))}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		n.Type = core.NoticeTooLarge
	}
	replace(c.w.Header(), append(n.Headers(), core.Header{Name: "Idempotency-Status", Value: "refused"}))
	c.send(n.Status(), n.Append(nil))
}

// drain hands the rest of the visitor's body to core, past the application.
func (c *carrier) drain() *core.Effect {
	if c.upload == nil {
		return c.next(core.Event{Kind: core.EventHashed, Whole: true})
	}
	if err := c.upload.drain(); err != nil && c.answer == nil {
		c.broken(err) // it is a duplicate
		return nil
	}
	return c.next(core.Event{Kind: core.EventHashed, Whole: c.upload.over()})
}

// running is the context of a guarded run: it does not end with the visitor, and a transaction can join it.
func (c *carrier) running() context.Context {
	j, ok := c.store.(Joiner)
	if !ok {
		return c.ctx
	}
	var ctx context.Context
	ctx, c.joint = j.Join(c.ctx)
	return ctx
}

// request is the visitor's request as the application gets it.
func (c *carrier) request(e *core.Effect) *http.Request {
	unread := c.body == nil && c.upload == nil
	if unread && len(e.Edit.Delete) == 0 && len(e.Edit.Set) == 0 {
		return c.r
	}
	if unread && c.r.Trailer == nil && c.r.ContentLength < 0 {
		c.r.Trailer = http.Header{} // one for both, where the server puts what comes behind the body
	}
	ctx := c.r.Context()
	if e.Lease > 0 {
		ctx = c.running()
	}
	r := c.r.WithContext(ctx)
	r.Header = r.Header.Clone()
	edit(r.Header, e.Edit)
	if unread {
		return r
	}
	body := c.body
	if e.Strip {
		body = c.work.x.Strip(nil, body)
		if r.ContentLength >= 0 {
			r.ContentLength += int64(len(body) - len(c.body))
			if r.Header.Get("Content-Length") != "" {
				r.Header.Set("Content-Length", strconv.FormatInt(r.ContentLength, 10))
			}
		}
	}
	switch {
	case c.upload == nil:
		c.reader.Reset(body)
		r.Body = &c.reader
	case e.Stream:
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), c.upload), c.upload}
	default:
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), c.r.Body), c.r.Body}
	}
	return r
}
