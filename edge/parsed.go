package edge

import (
	"io"
	"mime"
	"mime/multipart"
)

// feedParsed hands core a form whose body is empty because a middleware outside has read it, as one that looks for its
// CSRF token does: written anew it has the same fingerprint, and its key.
func (c *carrier) feedParsed() error {
	media, parameters, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")) // net/http reads a wrong one as well
	form := c.r.MultipartForm
	switch {
	case media == "application/x-www-form-urlencoded":
		c.feed([]byte(c.r.PostForm.Encode()))
		return nil
	case media != "multipart/form-data" || form == nil || len(form.Value)+len(form.File) == 0:
		return nil
	}
	m := multipart.NewWriter(feeder{c})
	if err := m.SetBoundary(parameters["boundary"]); err != nil {
		return err
	}
	for name, values := range form.Value {
		for _, value := range values {
			if err := m.WriteField(name, value); err != nil {
				return err
			}
		}
	}
	for _, files := range form.File {
		for _, file := range files {
			if err := copyFile(m, file); err != nil {
				return err
			}
		}
	}
	return m.Close()
}

func copyFile(to *multipart.Writer, file *multipart.FileHeader) error {
	part, err := to.CreatePart(file.Header)
	if err != nil {
		return err
	}
	f, err := file.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(part, f)
	return err
}

// feeder is core's end of a body.
type feeder struct{ c *carrier }

func (f feeder) Write(p []byte) (int, error) {
	f.c.feed(p)
	return len(p), nil
}
