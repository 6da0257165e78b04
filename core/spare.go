package core

// spare is memory of an exchange that began in used memory (Exchange.Begin); nil for every other, which then neither
// finds nor keeps any.
type spare struct {
	submission *Submission
	met        *met
	ending     *ending
	headers    Headers
	digests    []FieldDigest
	name       string // of the record, as text
	buffers    [spareBuffers][]byte
}

// The buffers: sealed heads of the claim and of the settled record, one that was opened, and a notice.
const (
	spareClaim = iota
	spareSettled
	spareOpened
	spareInline
	spareBuffers
)

// buffer is one of them, nil if there is none.
func (s *spare) buffer(which int) []byte {
	if s == nil {
		return nil
	}
	return s.buffers[which]
}

// keep puts a buffer back, which may have grown.
func (s *spare) keep(which int, b []byte) {
	if s != nil && cap(b) > cap(s.buffers[which]) && cap(b) <= keepBuffer {
		s.buffers[which] = b[:0]
	}
}

// lines has room for header lines, nil if there is none.
func (s *spare) lines() Headers {
	if s == nil {
		return nil
	}
	return s.headers
}

// keepEffect keeps what the last effect no longer needs.
func (s *spare) keepEffect(e *Effect) {
	if cap(e.Headers) > cap(s.headers) {
		s.headers = e.Headers[:0]
	}
	if e.Source != SourceRecall { // that is the guard's
		s.keep(spareInline, e.Inline)
	}
}

// fieldDigests has room for the digests of a submission, nil if there is none.
func (s *spare) fieldDigests() []FieldDigest {
	if s == nil {
		return nil
	}
	return s.digests
}

// listOf is a list of n, in used memory if that is enough. What it holds is to be written over.
func listOf[T any](used []T, n int) []T {
	if n <= cap(used) {
		return used[:n]
	}
	return make([]T, n)
}

// newMet is room for what the record says, which may hold what another said.
func (s *spare) newMet() *met {
	if s == nil {
		return new(met)
	}
	if s.met == nil {
		s.met = new(met)
	}
	return s.met
}

// newEnding is room for the origin's answer, empty.
func (s *spare) newEnding() *ending {
	if s == nil {
		return new(ending)
	}
	if s.ending == nil {
		s.ending = new(ending)
	}
	*s.ending = ending{}
	return s.ending
}
