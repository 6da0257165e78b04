package core

import (
	"slices"
	"strconv"
	"strings"
)

// RuleError says what is wrong with the text of the rules. It quotes names of the configuration, never values.
type RuleError struct {
	Rule int    // 1-based; 0 where the fault is in no rule
	Line int    // of the text, 1-based; 0 where the text is one line, as a host writes it
	Name string // the setting, or ""
	Why  string
}

func (e *RuleError) Error() string { return "core: rules: " + e.place() }

// place is the message without the prefix of this package.
func (e *RuleError) place() string {
	var at []string
	if e.Rule > 0 {
		at = append(at, "rule "+strconv.Itoa(e.Rule))
	}
	if e.Line > 0 {
		at = append(at, "line "+strconv.Itoa(e.Line))
	}
	text := strings.Join(at, ", ")
	if text != "" {
		text += ": "
	}
	if e.Name != "" {
		text += e.Name + " "
	}
	return text + e.Why
}

// ParseRules reads rules from the text of a JSON array of objects (contract §8); the host turns a TOML table
// into it. An empty text has no rules. The first unknown or repeated name, wrong type, number out of range, bad
// glob or contradiction is a *RuleError, and then there are no rules: a deployment is never half-guarded.
func ParseRules(text []byte) (Rules, error) {
	rules, faults := readRules(text)
	if len(faults) > 0 {
		return nil, faults[0]
	}
	return rules, nil
}

// readRules reads as many rules as it can and finds every fault. With faults the rules guard nothing; they only
// tell what would be guarded, and so has to be refused. A part that cannot be read counts as everything it
// might say: every path, every method, a key that is not off.
func readRules(text []byte) (rules Rules, faults []*RuleError) {
	if !strings.Contains(strings.TrimSpace(string(text)), "\n") {
		defer func() {
			for _, fault := range faults {
				fault.Line = 0
			}
		}()
	}
	if strings.Trim(string(text), " \t\r\n") == "" {
		return nil, nil
	}
	everything := DefaultRule()
	everything.Methods = []string{"POST", "PUT", "PATCH", "DELETE"}
	root, err := parseJSON(text)
	if err != nil {
		e := &RuleError{Line: 1, Why: "not JSON"}
		if at, ok := err.(*jsonError); ok {
			e.Line, e.Why = at.line, "not JSON: "+at.why
		}
		return Rules{everything}, []*RuleError{e}
	}
	if root.kind != jsonArray {
		return Rules{everything}, []*RuleError{{Line: int(root.line), Why: "must be a list of rules"}}
	}
	for i := range root.items {
		t := ruleText{index: i + 1, value: &root.items[i], rule: everything}
		t.read()
		rules = append(rules, t.rule)
		faults = append(faults, t.faults...)
	}
	return rules, faults
}

// ruleText reads one rule.
type ruleText struct {
	index  int // 1-based
	value  *jsonValue
	rule   Rule
	faults []*RuleError
}

func (t *ruleText) fault(line int32, name, why string) {
	if len(name) > 64 {
		name = name[:64]
	}
	t.faults = append(t.faults, &RuleError{Rule: t.index, Line: int(line), Name: name, Why: why})
}

// read reads the key first, because the defaults depend on it, then everything else in the order of the text.
func (t *ruleText) read() {
	if t.value.kind != jsonObject {
		t.fault(t.value.line, "", "must be a table of settings")
		return
	}
	unread := t.rule // every path and method
	var key KeySource
	if v := t.value.member("key"); v != nil {
		t.choice(v, "key", func(text string) (ok bool) {
			key, ok = parseKeySource(text)
			return ok
		}, "must be field, header, header:NAME, json:/pointer or off")
	}
	t.rule = defaultsFor(key.Kind)
	t.rule.Key = key
	t.rule.Match = ""
	for i, name := range t.value.names {
		v := &t.value.items[i]
		if slices.Contains(t.value.names[:i], name) {
			t.fault(v.line, name, "is there twice")
			continue
		}
		t.setting(name, v)
	}
	if t.value.member("match") == nil {
		t.fault(t.value.line, "match", "is missing")
	}
	t.contradictions()
	if len(t.faults) == 0 {
		return
	}
	if t.rule.Match == "" {
		t.rule.Match = unread.Match
	}
	if len(t.rule.Methods) == 0 {
		t.rule.Methods = unread.Methods
	}
	if t.rule.Key.Kind == KeyOff {
		t.rule.Key = unread.Key
	}
}

func (t *ruleText) setting(name string, v *jsonValue) {
	r := &t.rule
	switch name {
	case "key": // read before
	case "match":
		if text, ok := t.text(v, name); ok {
			if why := globFault(text); why != "" {
				t.fault(v.line, name, why)
			} else {
				r.Match = NormalPath(text)
			}
		}
	case "methods":
		r.Methods = t.list(v, name, func(text string) string {
			if !guardable(text) {
				return "must be of POST, PUT, PATCH and DELETE: no other method is guarded"
			}
			return ""
		})
		if v.kind == jsonArray && len(v.items) == 0 {
			t.fault(v.line, name, "must not be empty")
		}
	case "required":
		r.Required = t.flag(v, name)
	case "subject":
		t.choice(v, name, func(text string) (ok bool) {
			r.Subject, ok = parseSubjectSource(text)
			return ok
		}, "must be visitor, cookie:NAME, header:NAME, jwt:cookie:NAME:claim, jwt:bearer:claim, authorization or none")
	case "mint":
		r.MintByOrigin = t.word(v, name, "guard", "origin")
	case "ttl":
		r.TTL = int(t.number(v, name, minTTL, maxTTL))
	case "lease":
		r.Lease = int(t.number(v, name, 1, maxLease))
	case "wait":
		r.Wait = int(t.number(v, name, 0, maxWait))
	case "ignore":
		r.Ignore = t.list(v, name, func(text string) string { return "" })
	case "redisplay":
		r.Redisplay = t.list(v, name, func(text string) string {
			if strings.ContainsAny(text, " \t\n\f\r") {
				return "must be class names, each without spaces"
			}
			return ""
		})
	case "release_redirects":
		r.ReleaseRedirects = t.list(v, name, globFault)
		for i, glob := range r.ReleaseRedirects {
			r.ReleaseRedirects[i] = NormalPath(glob)
		}
	case "replay_headers":
		r.ReplayHeaders = t.list(v, name, replayHeaderFault)
	case "max_body":
		r.MaxBody = t.number(v, name, 0, maxMaxBody)
	case "max_answer":
		r.MaxAnswer = t.number(v, name, 0, maxAnswer)
	case "unknown":
		r.Hold = t.word(v, name, "retry", "hold")
	case "strip":
		r.Strip = t.flag(v, name)
	case "compare":
		r.Compare = t.flag(v, name)
	default:
		t.fault(v.line, name, "is no setting of a rule")
	}
}

// contradictions finds settings that cannot hold together: what the operator meant would silently not happen.
func (t *ruleText) contradictions() {
	r := &t.rule
	line := func(name string) int32 { return t.value.member(name).line }
	if r.Required && r.Key.Kind == KeyOff {
		t.fault(line("required"), "required", `contradicts key = "off"`)
	}
	if r.MintByOrigin && r.Key.Kind != KeyField {
		t.fault(line("mint"), "mint", `"origin" needs key = "field": only a form's field is minted`)
	}
	if r.Strip && r.Key.Kind != KeyField {
		t.fault(line("strip"), "strip", `needs key = "field": there is no field to take out`)
	}
}

func (t *ruleText) text(v *jsonValue, name string) (string, bool) {
	if v.kind != jsonString {
		t.fault(v.line, name, "must be text")
		return "", false
	}
	return v.text, true
}

// choice reads a text that set must accept, else why is the fault.
func (t *ruleText) choice(v *jsonValue, name string, set func(string) bool, why string) {
	if text, ok := t.text(v, name); ok && !set(text) {
		t.fault(v.line, name, why)
	}
}

// word reads one of two words and reports whether it is the second.
func (t *ruleText) word(v *jsonValue, name, no, yes string) (second bool) {
	t.choice(v, name, func(text string) bool {
		second = text == yes
		return second || text == no
	}, "must be "+no+" or "+yes)
	return second
}

func (t *ruleText) flag(v *jsonValue, name string) bool {
	if v.kind != jsonTrue && v.kind != jsonFalse {
		t.fault(v.line, name, "must be true or false")
	}
	return v.kind == jsonTrue
}

func (t *ruleText) number(v *jsonValue, name string, low, high int64) int64 {
	if v.kind == jsonNumber {
		if n, err := strconv.ParseInt(v.text, 10, 64); err == nil && low <= n && n <= high {
			return n
		}
	}
	of := ""
	switch name {
	case "ttl", "lease", "wait":
		of = "of seconds "
	case "max_body", "max_answer":
		of = "of bytes "
	}
	t.fault(v.line, name, "must be a whole number "+of+"from "+strconv.FormatInt(low, 10)+" to "+strconv.FormatInt(high, 10))
	return low
}

// list reads a list of texts that are not empty and in which check finds nothing.
func (t *ruleText) list(v *jsonValue, name string, check func(string) string) []string {
	if v.kind != jsonArray {
		t.fault(v.line, name, "must be a list of text")
		return nil
	}
	texts := make([]string, 0, len(v.items))
	for i := range v.items {
		item := &v.items[i]
		switch {
		case item.kind != jsonString:
			t.fault(item.line, name, "must be a list of text")
			return nil
		case item.text == "":
			t.fault(item.line, name, "must not have an empty text in it")
			return nil
		}
		if why := check(item.text); why != "" {
			t.fault(item.line, name, why)
			return nil
		}
		texts = append(texts, item.text)
	}
	return texts
}
