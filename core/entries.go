package core

// Entries makes the fingerprint of a form that is at hand field by field, decoded, as a browser has it in its
// FormData: the same that Submission makes of that form's body, urlencoded or multipart (contract §3).
//
// Reset starts the next form in the same buffers. The zero value is of no use before Reset. Entries must not be
// copied and are not safe for concurrent use.
type Entries struct {
	s   Submission
	err error
}

// Reset makes e ready for another form. Of the options Method, Path, Query, KeyField and Ignore count.
func (e *Entries) Reset(o SubmissionOptions) {
	o.CarryLimit = 0
	e.s.o, e.s.sum, e.err = o, Fingerprint{}, nil
	e.s.body = bodyURLEncoded
	e.s.fields.reset(&e.s.o)
}

// Text begins a field that is a text.
func (e *Entries) Text(name []byte) { e.begin(textField, name) }

// File begins a file of a multipart body. In an urlencoded body a file is a text.
func (e *Entries) File(name, fileName []byte) {
	e.begin(fileField, name)
	e.s.fields.raw(fileName)
	e.s.fields.endFileName()
}

func (e *Entries) begin(kind byte, name []byte) {
	f := &e.s.fields
	f.begin(kind)
	f.text(name)
	f.endName()
}

// Content takes the next bytes of the field that Text or File began, cut anywhere.
func (e *Entries) Content(p []byte) {
	if f := &e.s.fields; f.kind == fileField {
		f.raw(p)
	} else {
		f.text(p)
	}
}

// End ends that field.
func (e *Entries) End() {
	f, end := &e.s.fields, (*fields).endText
	if f.kind == fileField {
		end = (*fields).endFile
	}
	if err := end(f); e.err == nil {
		e.err = err
	}
}

// Key returns the value of the first key field, as Submission.Key does.
func (e *Entries) Key() (string, bool) { return e.s.fields.key, e.s.fields.hasKey }

// Fingerprint ends the form and returns its fingerprint. The error is ErrTooManyFields.
func (e *Entries) Fingerprint() (Fingerprint, error) {
	if e.err != nil {
		return Fingerprint{}, e.err
	}
	e.s.fingerprint()
	return e.s.sum, nil
}
