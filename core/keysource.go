package core

import "strings"

// KeyKind tells where a rule reads the key (contract §2).
type KeyKind byte

const (
	KeyField       KeyKind = iota // the field idempotency_key of the form
	KeyHeader                     // the header Idempotency-Key
	KeyNamedHeader                // an event id in the header Name
	KeyPointer                    // an event id in the JSON body, at the JSON pointer Name
	KeyOff                        // nowhere: what the rule matches is not guarded
)

// KeySource is the value of `key` in a rule.
type KeySource struct {
	Kind KeyKind
	Name string // of KeyNamedHeader and KeyPointer
}

// isEvent reports whether the key is the event id of a webhook, made by the sender.
func (k KeySource) isEvent() bool { return k.Kind == KeyNamedHeader || k.Kind == KeyPointer }

// parseKeySource reads the value of `key`.
func parseKeySource(text string) (KeySource, bool) {
	switch text {
	case "field":
		return KeySource{Kind: KeyField}, true
	case "header":
		return KeySource{Kind: KeyHeader}, true
	case "off":
		return KeySource{Kind: KeyOff}, true
	}
	if name, ok := strings.CutPrefix(text, "header:"); ok {
		return KeySource{KeyNamedHeader, name}, isToken(name)
	}
	if pointer, ok := strings.CutPrefix(text, "json:"); ok {
		// The empty pointer is the whole body, which is no id.
		return KeySource{KeyPointer, pointer}, pointer != "" && validPointer(pointer)
	}
	return KeySource{}, false
}
