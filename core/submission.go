package core

import "errors"

// Bounds of one submission.
const (
	maxFields   = 10_000  // fields of a form, those that are left out included
	maxFieldKey = 512     // bytes of a key that came in the body: 128 characters of any kind (contract §2)
	maxMethod   = 16      // bytes of a `_method` value; a longer one is no method
	maxJSON     = 1 << 20 // bytes of a JSON body that is compared by value
	keepBuffer  = 1 << 16 // bytes of a buffer that Reset keeps; a larger one goes back to the collector
)

// What Submission refuses a body for. Neither text says anything that the client sent.
var (
	// ErrBody is a body that is not what its Content-Type says: a multipart body without boundary parameter,
	// first delimiter or end, a part that has no name or more than 16 KiB of header lines, a JSON text that
	// breaks the grammar. An urlencoded body is never malformed.
	ErrBody = errors.New("core: malformed body")
	// ErrTooManyFields is a form of more than 10,000 fields.
	ErrTooManyFields = errors.New("core: too many fields")
)

// SubmissionOptions says what a Submission has to know of the request before its body. Nothing is copied: the
// strings and the slice must not change before the next Reset.
type SubmissionOptions struct {
	// Method is the HTTP method (an override by field or header belongs to the scope, contract §2), Path the
	// path and Query the query without its question mark, both as the caller has normalised them. They enter
	// the fingerprint byte for byte.
	Method, Path, Query string
	// ContentType is the whole value of the request's header. Of its parameters only boundary counts.
	ContentType string
	// ContentEncoding is the whole value of that header. A body that is encoded, so that nothing can be read in
	// it, counts by its bytes, whatever its type.
	ContentEncoding string
	// KeyField is the name of the field that holds the key, "" if the key is not in a field. All fields of
	// that name are left out of the fingerprint.
	KeyField string
	// JSONKey is a JSON pointer (RFC 6901) to a string or number that is the key, or "" for none.
	JSONKey string
	// HTMX says that a JSON body comes from a form, so that the key and `_method` are among its top-level
	// members.
	HTMX bool
	// Ignore are names that the rule leaves out of the fingerprint, compared whole and by letter case. A name
	// longer than 127 bytes is never ignored.
	Ignore []string
	// CarryLimit bounds the bytes of names and values that Carry can give back; 0 keeps none.
	CarryLimit int
}

// Submission reads one request body as it arrives and boils it down to its fingerprint (contract §3). Memory
// does not grow with values and files: what is longer than 127 bytes is hashed while it streams. It grows with
// the number of fields, which is bounded, and with a JSON body up to 1 MiB.
//
// Reset starts the next body in the same buffers. The zero value is of no use before Reset. A Submission must
// not be copied and is not safe for concurrent use.
type Submission struct {
	o       SubmissionOptions
	body    bodyKind
	media   string // media type without parameters, as sent
	closed  bool
	err     error
	fields  fields
	url     urlencoded
	multi   multipart
	json    jsonBody
	sum     Fingerprint
	digests []FieldDigest // of a JSON object; those of a form are made on demand
	rest    uint64        // digest of any other body
}

// Reset makes s ready for the body of another request.
func (s *Submission) Reset(o SubmissionOptions) {
	s.o = o
	s.closed, s.err, s.digests, s.sum = false, nil, nil, Fingerprint{}
	s.fields.reset(&s.o)
	var boundary string
	s.media, boundary = contentType(o.ContentType)
	s.body = kindOfBody(s.media)
	if e := o.ContentEncoding; e != "" && !sameName(e, "identity") {
		s.body = bodyBytes
	}
	switch s.body {
	case bodyURLEncoded:
		s.url = urlencoded{}
	case bodyMultipart:
		if !s.multi.reset(boundary) {
			s.err = ErrBody
		}
	case bodyJSON:
		s.json.reset()
	default:
		s.fields.hash.reset()
	}
}

// Write takes the next bytes of the body, cut anywhere. It keeps no reference to p. The error is ErrBody or
// ErrTooManyFields; after an error, and after Close, every Write fails.
func (s *Submission) Write(p []byte) (int, error) {
	switch {
	case s.err != nil:
		return 0, s.err
	case s.closed:
		return 0, ErrBody
	}
	switch s.body {
	case bodyURLEncoded:
		s.err = s.url.write(&s.fields, p)
	case bodyMultipart:
		s.err = s.multi.write(&s.fields, p)
	case bodyJSON:
		if !s.json.write(p) {
			s.outgrowJSON(p)
		}
	default:
		s.fields.hash.write(p)
	}
	if s.err != nil {
		return 0, s.err
	}
	return len(p), nil
}

// Close says that the body has ended, and makes the fingerprint. The error is ErrBody if the body ended too
// early, or that of an earlier Write. A second Close does nothing.
func (s *Submission) Close() error {
	if s.closed || s.err != nil {
		return s.err
	}
	s.closed = true
	switch s.body {
	case bodyURLEncoded:
		s.err = s.url.close(&s.fields)
	case bodyMultipart:
		s.err = s.multi.close()
	case bodyJSON:
		s.err = s.closeJSON()
	}
	if s.err == nil {
		s.fingerprint()
	}
	if s.body == bodyJSON {
		s.json.reset()
	}
	return s.err
}

// Key returns the value of the first key field (or of the member that JSONKey names) as soon as it has been
// read whole; of a JSON body, after Close or once the body has outgrown 1 MiB. A value longer than 512 bytes is
// no key, and no later field stands in for it.
func (s *Submission) Key() (string, bool) {
	return s.fields.key, s.fields.hasKey
}

// Override returns the value of the first `_method` field in upper case once it has been read, else "".
func (s *Submission) Override() string { return s.fields.override }

// Fingerprint returns the fingerprint. It is zero before Close and after an error.
func (s *Submission) Fingerprint() Fingerprint { return s.sum }

// Carry returns the text fields of a form for the page that submits them as a new entry: decoded, in the order
// in which they came, line ends as LF, without the key. It is whole if nothing else is missing: a file, a
// value that is not UTF-8 or holds a NUL (html can carry neither), or what did not fit CarryLimit. Of other
// bodies nothing can be carried.
func (s *Submission) Carry() (fields []Field, whole bool) {
	if s.body != bodyURLEncoded && s.body != bodyMultipart || s.err != nil || !s.closed {
		return nil, false
	}
	return s.fields.carry.fields()
}
