package bindings

import (
	"net/http"
	"strconv"
)

// writer is the ResponseWriter that the handler gets.
type writer struct {
	http.ResponseWriter
	head    bool
	status  int // 0: not said yet
	written int64
}

// WriteHeader is http.ResponseWriter's.
func (m *writer) WriteHeader(status int) {
	if m.status != 0 || status < 200 {
		return
	}
	m.status = status
	if m.head {
		leaveOutBody(m.ResponseWriter)
	}
	m.ResponseWriter.WriteHeader(status)
}

// Write is http.ResponseWriter's.
func (m *writer) Write(p []byte) (int, error) {
	m.WriteHeader(http.StatusOK)
	if m.head {
		return len(p), nil
	}
	n, err := m.ResponseWriter.Write(p)
	m.written += int64(n)
	return n, err
}

// Flush is http.Flusher's. What was written is on its way already.
func (m *writer) Flush() {}

// whole says whether the answer is known to be there to its end.
func (m *writer) whole() bool {
	if m.status == 0 {
		return false
	}
	length, err := strconv.ParseInt(m.Header().Get("Content-Length"), 10, 64)
	return m.head || m.status == http.StatusNoContent || m.status == http.StatusNotModified || err == nil && m.written >= length
}
