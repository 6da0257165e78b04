//go:build unix

package workerd

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Log keeps the lines that a Worker prints, and lets tests wait for one. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	lines   []string
	rest    []byte // of the last line, until its end comes
	changed chan struct{}
}

// NewLog returns an empty Log.
func NewLog() *Log { return &Log{changed: make(chan struct{})} }

// Write takes what the Worker prints.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		line, rest, found := bytes.Cut(l.rest, []byte("\n"))
		if !found {
			break
		}
		l.lines, l.rest = append(l.lines, string(line)), rest
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return len(p), nil
}

// Mark is the place where the next line will stand.
func (l *Log) Mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lines)
}

// Since returns the lines from a mark on.
func (l *Log) Since(mark int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines[mark:], "\n")
}

// Tail returns the last n lines.
func (l *Log) Tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines[max(0, len(l.lines)-n):], "\n")
}

// Wait returns the first line from a mark on that matches, or an error after limit.
func (l *Log) Wait(mark int, want *regexp.Regexp, limit time.Duration) (string, error) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for {
		l.mu.Lock()
		fresh, changed := l.lines[mark:], l.changed
		l.mu.Unlock()
		for _, line := range fresh {
			if want.MatchString(line) {
				return line, nil
			}
		}
		mark += len(fresh)
		select {
		case <-changed:
		case <-deadline.C:
			return "", fmt.Errorf("workerd: no line of the log matches %v", want)
		}
	}
}
