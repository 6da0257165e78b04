package core

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func parseOneRule(t *testing.T, text string) Rule {
	t.Helper()
	rules, err := ParseRules([]byte("[" + text + "]"))
	if err != nil {
		t.Fatalf("ParseRules(%s) error = %v", text, err)
	}
	return rules[0]
}

func TestRuleSaysWhatTheContractSays(t *testing.T) {
	got := parseOneRule(t, `{
		"match": "/api/v1/**", "methods": ["POST", "PATCH"], "key": "header", "required": true, "subject": "cookie:uid", "mint": "guard",
		"ttl": 60, "lease": 1, "wait": 0, "ignore": ["receipt"], "redisplay": ["is-invalid"], "release_redirects": ["/start", "/注文/*"],
		"replay_headers": ["X-Request-Id", "Set-Cookie"], "max_body": 1048576, "max_answer": 25165824, "unknown": "hold", "strip": false, "compare": false}`)
	want := Rule{
		Match: "/api/v1/**", Methods: []string{"POST", "PATCH"}, Key: KeySource{Kind: KeyHeader}, Required: true,
		Subject: SubjectSource{Kind: SubjectCookie, Name: "uid"}, TTL: 60, Lease: 1, Wait: 0, Ignore: []string{"receipt"},
		Redisplay: []string{"is-invalid"}, ReleaseRedirects: []string{"/start", "/%E6%B3%A8%E6%96%87/*"},
		ReplayHeaders: []string{"X-Request-Id", "Set-Cookie"}, MaxBody: 1 << 20, MaxAnswer: 25165824, Hold: true,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("ParseRules = %+v; want %+v", got, want)
	}
}

func TestRuleDefaultsDependOnTheKey(t *testing.T) {
	field := Rule{Match: "/x", Methods: []string{"POST"}, TTL: 86400, Lease: 30, Wait: 20, MaxAnswer: 10485760, Compare: true}
	with := func(edit func(*Rule)) Rule {
		r := field
		edit(&r)
		return r
	}
	tests := []struct {
		text string
		want Rule
		why  string
	}{
		{`{"match":"/x"}`, field, "the values of contract §8"},
		{`{"match":"/x","key":"header"}`, with(func(r *Rule) {
			r.Key.Kind, r.Subject.Kind = KeyHeader, SubjectAuthorization
		}), "\"The default subject is the Authorization value\""},
		{`{"match":"/x","key":"header:webhook-id"}`, with(func(r *Rule) {
			r.Key, r.Subject.Kind, r.Wait, r.Compare = KeySource{KeyNamedHeader, "webhook-id"}, SubjectNone, 5, false
		}), "\"No subject, wait 5, bodies not compared\""},
		{`{"wait":7,"compare":true,"match":"/x","key":"json:/event/id"}`, with(func(r *Rule) {
			r.Key, r.Subject.Kind, r.Wait = KeySource{KeyPointer, "/event/id"}, SubjectNone, 7
		}), "\"unless compare = true\"; the place of key among the settings does not count"},
		{`{"match":"/x","mint":"origin","strip":true}`, with(func(r *Rule) {
			r.MintByOrigin, r.Strip = true, true
		}), ""},
		{`{"match":"/x","key":"off"}`, with(func(r *Rule) { r.Key.Kind = KeyOff }), ""},
	}
	for _, tt := range tests {
		if got := parseOneRule(t, tt.text); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s = %+v; want %+v: %s", tt.text, got, tt.want, tt.why)
		}
	}
	implicit := DefaultRule()
	implicit.Match = "/x"
	if !reflect.DeepEqual(implicit, field) {
		t.Errorf("DefaultRule = %+v; want what an empty rule says, %+v", implicit, field)
	}
}

func TestFirstMatchingRuleWins(t *testing.T) {
	rules, err := ParseRules([]byte(`[
		{"match": "/api/health", "key": "off"},
		{"match": "/api/**", "methods": ["POST", "PUT"], "key": "header"},
		{"match": "/api/**", "methods": ["DELETE"], "key": "header", "ttl": 60},
		{"match": "/chat/*", "key": "off"},
		{"match": "/注文", "ttl": 120}]`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		method, path string
		want         int // 1-based, 0: nil, -1: the implicit rule
		why          string
	}{
		{"POST", "/api/orders", 2, "first match"},
		{"POST", "/%61pi/orders", 2, "percent-encoding normalised"},
		{"PUT", "/api/orders", 2, "named"},
		{"DELETE", "/api/orders", 3, "a rule for the path that does not name the method leaves it to the next"},
		{"PATCH", "/api/orders", 0, "\"PUT/PATCH/DELETE only when named\""},
		{"GET", "/api/orders", 0, "\"GET/HEAD/OPTIONS never\""},
		{"HEAD", "/api/orders", 0, ""},
		{"OPTIONS", "/api/orders", 0, ""},
		{"post", "/api/orders", 0, "methods are case-sensitive; an unknown one is no form's"},
		{"POST", "/api/health", 0, "off"},
		{"POST", "/chat/7", 0, "off"},
		{"POST", "/%E6%b3%a8文", 5, "a rule in any script"},
		{"POST", "/orders", -1, "\"the last, implicit one guards every form POST\""},
		{"PUT", "/orders", 0, "the implicit rule names POST alone"},
		{"POST", "", -1, "an empty path is the root"},
	}
	for _, tt := range tests {
		got := rules.Find(tt.method, tt.path)
		var want *Rule
		if tt.want > 0 {
			want = &rules[tt.want-1]
		}
		if tt.want < 0 {
			if implicit := DefaultRule(); got == nil || !reflect.DeepEqual(*got, implicit) {
				t.Errorf("Find(%s %s) = %+v; want the implicit rule: %s", tt.method, tt.path, got, tt.why)
			}
		} else if got != want {
			t.Errorf("Find(%s %s) = %+v; want rule %d: %s", tt.method, tt.path, got, tt.want, tt.why)
		}
	}
	if got := (Rules)(nil).Find("POST", "/"); got == nil || got.Key.Kind != KeyField {
		t.Errorf("Find without rules = %+v; want the implicit rule", got)
	}
}

func TestRuleFaultSaysWhereAndWhy(t *testing.T) {
	tests := []struct{ text, want, why string }{
		{`[{"match":"/x"},` + "\n" + `{"match":"/y",` + "\n" + `"tll":60}]`, "rule 2, line 3: tll is no setting of a rule", "an unknown name"},
		{`[{"match":"/x","` + strings.Repeat("n", 65) + `":1}]`, "rule 1: " + strings.Repeat("n", 64) + " is no setting of a rule", "a name is shown, not a page"},
		{"[\n,]", "line 2: not JSON: value expected", ""},
		{`{"match":"/x"}`, "must be a list of rules", ""},
		{`["/x"]`, "rule 1: must be a table of settings", ""},
		{`[{}]`, "rule 1: match is missing", ""},
		{`[{"match":"/x","ttl":60,"ttl":61}]`, "rule 1: ttl is there twice", "which of them would count?"},
		{`[{"match":7}]`, "rule 1: match must be text", ""},
		{`[{"match":""}]`, "rule 1: match must not be empty", ""},
		{`[{"match":"orders"}]`, "rule 1: match must begin with / or **: it is matched against the whole path", "it would match nothing"},
		{`[{"match":"*/orders"}]`, "rule 1: match must begin with / or **: it is matched against the whole path", ""},
		{`[{"match":"/a***"}]`, "rule 1: match must not have more than two * in a row", ""},
		{`[{"match":"/a?x=1"}]`, "rule 1: match must be a path, without ? or #", ""},
		{`[{"match":"/{a,b}"}]`, `rule 1: match must not contain [ ] { } \: only * and ** are special (percent-encode what stands for itself)`, "other globs have these"},
		{`[{"match":"/` + strings.Repeat("あ", 57) + `"}]`, "rule 1: match is too long", "514 bytes when escaped"},
		{`[{"match":"/x","methods":["GET"]}]`, "rule 1: methods must be of POST, PUT, PATCH and DELETE: no other method is guarded", "\"GET/HEAD/OPTIONS never\""},
		{`[{"match":"/x","methods":["post"]}]`, "rule 1: methods must be of POST, PUT, PATCH and DELETE: no other method is guarded", ""},
		{`[{"match":"/x","methods":[]}]`, "rule 1: methods must not be empty", ""},
		{`[{"match":"/x","methods":"POST"}]`, "rule 1: methods must be a list of text", ""},
		{`[{"match":"/x","methods":[""]}]`, "rule 1: methods must not have an empty text in it", ""},
		{`[{"match":"/x","ignore":["a",1]}]`, "rule 1: ignore must be a list of text", ""},
		{`[{"match":"/x","key":"fields"}]`, "rule 1: key must be field, header, header:NAME, json:/pointer or off", ""},
		{`[{"match":"/x","key":"header:a b"}]`, "rule 1: key must be field, header, header:NAME, json:/pointer or off", "no name of a header"},
		{`[{"match":"/x","key":"json:id"}]`, "rule 1: key must be field, header, header:NAME, json:/pointer or off", "a pointer begins with a slash"},
		{`[{"match":"/x","key":"json:"}]`, "rule 1: key must be field, header, header:NAME, json:/pointer or off", "the whole body is no id"},
		{`[{"match":"/x","key":"json:/a~2"}]`, "rule 1: key must be field, header, header:NAME, json:/pointer or off", ""},
		{`[{"match":"/x","key":true}]`, "rule 1: key must be text", ""},
		{`[{"match":"/x","subject":"session"}]`, "rule 1: subject must be visitor, cookie:NAME, header:NAME, jwt:cookie:NAME:claim, jwt:bearer:claim, authorization or none", ""},
		{`[{"match":"/x","required":"true"}]`, "rule 1: required must be true or false", ""},
		{`[{"match":"/x","mint":"client"}]`, "rule 1: mint must be guard or origin", ""},
		{`[{"match":"/x","unknown":"wait"}]`, "rule 1: unknown must be retry or hold", ""},
		{`[{"match":"/x","ttl":59}]`, "rule 1: ttl must be a whole number of seconds from 60 to 315360000", "\"at least 60 s\""},
		{`[{"match":"/x","ttl":315360001}]`, "rule 1: ttl must be a whole number of seconds from 60 to 315360000", "fits 32 bits"},
		{`[{"match":"/x","ttl":99999999999999999999}]`, "rule 1: ttl must be a whole number of seconds from 60 to 315360000", ""},
		{`[{"match":"/x","ttl":60.0}]`, "rule 1: ttl must be a whole number of seconds from 60 to 315360000", ""},
		{`[{"match":"/x","ttl":"60"}]`, "rule 1: ttl must be a whole number of seconds from 60 to 315360000", ""},
		{`[{"match":"/x","lease":0}]`, "rule 1: lease must be a whole number of seconds from 1 to 3600", "a claim that never holds"},
		{`[{"match":"/x","wait":-1}]`, "rule 1: wait must be a whole number of seconds from 0 to 600", ""},
		{`[{"match":"/x","max_body":-1}]`, "rule 1: max_body must be a whole number of bytes from 0 to 1099511627776", ""},
		{`[{"match":"/x","max_answer":25165825}]`, "rule 1: max_answer must be a whole number of bytes from 0 to 25165824", "\"at most 25165824\""},
		{`[{"match":"/x","redisplay":["is-invalid error"]}]`, "rule 1: redisplay must be class names, each without spaces", ""},
		{`[{"match":"/x","release_redirects":["start"]}]`, "rule 1: release_redirects must begin with / or **: it is matched against the whole path", ""},
		{`[{"match":"/x","replay_headers":["X Y"]}]`, "rule 1: replay_headers must be names of headers", ""},
		{`[{"match":"/x","replay_headers":["Transfer-Encoding"]}]`, "rule 1: replay_headers must not name what belongs to one connection, one moment or the guard: transfer-encoding", "\"Never hop-by-hop, Date, Age, Server-Timing\""},
		{`[{"match":"/x","replay_headers":["DATE"]}]`, "rule 1: replay_headers must not name what belongs to one connection, one moment or the guard: date", ""},
		{`[{"match":"/x","replay_headers":["idempotency-status"]}]`, "rule 1: replay_headers must not name what belongs to one connection, one moment or the guard: idempotency-status", ""},
		{`[{"match":"/x","key":"off","required":true}]`, `rule 1: required contradicts key = "off"`, ""},
		{`[{"match":"/x","key":"header","mint":"origin"}]`, `rule 1: mint "origin" needs key = "field": only a form's field is minted`, ""},
		{`[{"match":"/x","key":"header","strip":true}]`, `rule 1: strip needs key = "field": there is no field to take out`, ""},
	}
	for _, tt := range tests {
		rules, err := ParseRules([]byte(tt.text))
		if err == nil || err.Error() != "core: rules: "+tt.want || rules != nil {
			t.Errorf("ParseRules(%s) = %v, %v; want no rules and %q: %s", tt.text, rules, err, tt.want, tt.why)
		}
		if _, ok := err.(*RuleError); !ok {
			t.Errorf("ParseRules(%s) error is a %T; want *RuleError", tt.text, err)
		}
	}
}

func TestNoTextIsNoRules(t *testing.T) {
	for _, text := range []string{"", " \n", "[]"} {
		if rules, err := ParseRules([]byte(text)); len(rules) != 0 || err != nil {
			t.Errorf("ParseRules(%q) = %v, %v; want no rules", text, rules, err)
		}
	}
}

// textOfRule writes a rule as the table that ParseRules reads.
func textOfRule(r Rule) map[string]any {
	key := map[KeyKind]string{KeyField: "field", KeyHeader: "header", KeyNamedHeader: "header:", KeyPointer: "json:", KeyOff: "off"}[r.Key.Kind] + r.Key.Name
	subject := subjectWords[r.Subject.Kind]
	switch {
	case r.Subject.Kind == SubjectJWT && r.Subject.Name == "":
		subject += ":bearer:" + r.Subject.Claim
	case r.Subject.Kind == SubjectJWT:
		subject += ":cookie:" + r.Subject.Name + ":" + r.Subject.Claim
	case r.Subject.Name != "":
		subject += ":" + r.Subject.Name
	}
	// encoding/json knows no half surrogates, which a name may have.
	valid := func(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
	list := func(texts []string) []string {
		out := []string{}
		for _, text := range texts {
			out = append(out, valid(text))
		}
		return out
	}
	word := func(yes bool, words ...string) string {
		if yes {
			return words[1]
		}
		return words[0]
	}
	return map[string]any{
		"match": r.Match, "methods": list(r.Methods), "key": valid(key), "required": r.Required, "subject": valid(subject),
		"mint": word(r.MintByOrigin, "guard", "origin"), "ttl": r.TTL, "lease": r.Lease, "wait": r.Wait,
		"ignore": list(r.Ignore), "redisplay": list(r.Redisplay), "release_redirects": list(r.ReleaseRedirects),
		"replay_headers": list(r.ReplayHeaders), "max_body": r.MaxBody, "max_answer": r.MaxAnswer,
		"unknown": word(r.Hold, "retry", "hold"), "strip": r.Strip, "compare": r.Compare,
	}
}

func FuzzParseRules(f *testing.F) {
	for _, s := range []string{
		"", "[]", `[{"match":"/x"}]`, `[{"match":"/a%62/**","key":"header","subject":"jwt:cookie:s:https://x/y","methods":["PUT"]}]`,
		`[{"match":"**","key":"json:/a~1b","ttl":60,"ignore":["a"],"release_redirects":["/%73tart"],"replay_headers":["X-A"]}]`,
		`[{"match":"/x","ignore":["\ud800\udfff\udfff"]}]`, `[{"match":"/x","key":"header:X-Id","compare":true},{"match":"/y","key":"off"},{"match":7}]`, `{"match":"/x"}`, `[1]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rules, err := ParseRules(text)
		if err != nil {
			if rules, faults := readRules(text); len(faults) == 0 || len(rules) == 0 && len(faults) > 0 {
				t.Fatalf("readRules = %v, %v; want a fault and what would be guarded", rules, faults)
			}
			return
		}
		var again []map[string]any
		for _, r := range rules {
			if globFault(r.Match) != "" || len(r.Methods) == 0 || r.TTL < 60 || r.Lease < 1 {
				t.Fatalf("ParseRules took %+v", r)
			}
			again = append(again, textOfRule(r))
		}
		out, err := json.Marshal(again)
		if err != nil {
			t.Fatal(err)
		}
		if again == nil {
			return
		}
		reread, err := ParseRules(out)
		if err != nil {
			t.Fatalf("an accepted rule, written again, is refused: %v in %s", err, out)
		}
		for i := range rules {
			if !reflect.DeepEqual(textOfRule(reread[i]), textOfRule(rules[i])) {
				t.Fatalf("rule %d = %+v, read again %+v", i+1, rules[i], reread[i])
			}
		}
	})
}
