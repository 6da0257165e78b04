package core

// Field is one name and value of a submitted form, decoded, in the order in which it was sent.
type Field struct {
	Name, Value string
}
