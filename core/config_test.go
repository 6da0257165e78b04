package core

import (
	"reflect"
	"strings"
	"testing"
)

const testSecret = "correct-horse-battery-staple-0001"

func configOf(vars map[string]string) (Config, []Fault) {
	return ParseConfig(func(name string) string { return vars[name] })
}

func TestConfigOfASecretAlone(t *testing.T) {
	got, faults := configOf(map[string]string{"SINGLESHOT_SECRET": testSecret})
	want := Config{Secret: []byte(testSecret), Region: "weur", Shards: 32}
	if !reflect.DeepEqual(got, want) || faults != nil {
		t.Errorf("ParseConfig = %+v, %v; want %+v", got, faults, want)
	}
}

func TestConfigReadsEveryVariable(t *testing.T) {
	got, faults := configOf(map[string]string{
		"SINGLESHOT_SECRET": testSecret, "SINGLESHOT_SECRET_PREVIOUS": testSecret + "-old", "SINGLESHOT_ADMIN": "open sesame",
		"RULES": `[{"match":"/api/**","key":"header"}]`, "ORIGIN_URL": "HTTPS://Shop.Example:8443/", "REGION": "apac", "SHARDS": "1024",
		"KEEP": "large", "INJECT_SCRIPT": "true", "LOG": "warnings", "RECALL": "off",
	})
	rule := defaultsFor(KeyHeader)
	rule.Match = "/api/**"
	want := Config{
		Secret: []byte(testSecret), Previous: []byte(testSecret + "-old"), Admin: []byte("open sesame"), Rules: Rules{rule},
		OriginURL: "https://shop.example:8443", Region: "apac", Shards: 1024, KeepLargeOnly: true, InjectScript: true, WarningsOnly: true, AskAlways: true,
	}
	if !reflect.DeepEqual(got, want) || faults != nil {
		t.Errorf("ParseConfig = %+v, %v; want %+v", got, faults, want)
	}
}

func TestConfigFindsAllFaultsInOneGo(t *testing.T) {
	c, faults := configOf(map[string]string{
		"SINGLESHOT_SECRET": "hunter2", "SINGLESHOT_SECRET_PREVIOUS": "hunter3", "REGION": "europe", "SHARDS": "0", "KEEP": "none",
		"INJECT_SCRIPT": "yes", "LOG": "loud", "RECALL": "never", "ORIGIN_URL": "shop.example", "RULES": "[{\"match\":\"/a\",\n\"tll\":1,\"ttl\":1},{\"match\":\"x\"}]",
	})
	want := []string{
		"core: SINGLESHOT_SECRET is shorter than 32 bytes",
		"core: SINGLESHOT_SECRET_PREVIOUS is shorter than 32 bytes",
		"core: RULES rule 1, line 2: tll is no setting of a rule",
		"core: RULES rule 1, line 2: ttl must be a whole number of seconds from 60 to 315360000",
		"core: RULES rule 2, line 2: match must begin with / or **: it is matched against the whole path",
		"core: ORIGIN_URL must begin with http:// or https://",
		"core: SHARDS must be a whole number from 1 to 1024",
		"core: REGION must be one of wnam, enam, sam, weur, eeur, apac, oc, afr, me",
		"core: KEEP must be one of all, large",
		"core: INJECT_SCRIPT must be one of false, true",
		"core: LOG must be one of all, warnings",
		"core: RECALL must be one of on, off",
	}
	var got []string
	for _, f := range faults {
		got = append(got, f.Error())
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("faults =\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Contains(strings.Join(got, ""), "hunter") || c.Secret != nil || c.Previous != nil {
		t.Error("a short secret is shown or used; want neither")
	}
	if _, faults := configOf(nil); len(faults) != 1 || faults[0].Name != "SINGLESHOT_SECRET" || !strings.HasPrefix(faults[0].Why, "is missing") {
		t.Errorf("ParseConfig without variables: faults = %v; want the missing secret", faults)
	}
}

// Contract §8: a wrong rule makes "guarded posts answer 503 … Never half-guarded", so what would be guarded must
// still be known, and be too much rather than too little.
func TestFaultyRulesStillTellWhatIsGuarded(t *testing.T) {
	tests := []struct {
		rules, method, path string
		want                bool
		why                 string
	}{
		{`[`, "DELETE", "/x", true, "nothing can be read: anything may be guarded"},
		{`{}`, "PATCH", "/x", true, ""},
		{`[1]`, "PUT", "/x", true, ""},
		{`[`, "GET", "/x", false, "but never a GET"},
		{`[{"match":"/api/**","methods":["PUT"],"key":"header","tll":1}]`, "PUT", "/api/7", true, "where and what it guards is known"},
		{`[{"match":"/api/**","methods":["PUT"],"key":"header","tll":1}]`, "PUT", "/x", false, ""},
		{`[{"match":"api","methods":["PUT"],"key":"header"}]`, "PUT", "/x", true, "where is not known"},
		{`[{"match":"/x","methods":["put"],"key":"header"}]`, "PUT", "/x", true, "what is not known"},
		{`[{"match":"api","key":"off"}]`, "POST", "/x", true, "a wrong off switches nothing off"},
		{`[{"match":"/x","key":"of"}]`, "POST", "/x", true, ""},
		{`[{"match":"/x","key":"off"},{"match":"/y","tll":1}]`, "POST", "/x", false, "a right one does"},
		{`[{"match":"/y","tll":1}]`, "POST", "/x", true, "the implicit rule stays"},
	}
	for _, tt := range tests {
		c, faults := configOf(map[string]string{"SINGLESHOT_SECRET": testSecret, "RULES": tt.rules})
		if len(faults) == 0 {
			t.Errorf("RULES %s: no fault", tt.rules)
		}
		if got := c.Rules.Find(tt.method, tt.path) != nil; got != tt.want {
			t.Errorf("RULES %s: %s %s guarded = %v; want %v: %s", tt.rules, tt.method, tt.path, got, tt.want, tt.why)
		}
	}
}

func TestShardsAreABound(t *testing.T) { // contract §8; a key has 16 bits for the number
	for value, want := range map[string]int{"1": 1, "1024": 1024, "1025": 0, "0": 0, "-1": 0, "32.0": 0, "": 32} {
		c, faults := configOf(map[string]string{"SINGLESHOT_SECRET": testSecret, "SHARDS": value})
		if len(faults) == 0 && c.Shards != want || (len(faults) == 0) != (want > 0) {
			t.Errorf("SHARDS %q: %d, %v; want %d", value, c.Shards, faults, want)
		}
	}
}

func TestOriginURLIsSchemeHostAndPort(t *testing.T) {
	tests := []struct{ in, want, why string }{
		{"http://127.0.0.1:3000", "http://127.0.0.1:3000", ""},
		{"http://localhost:80", "http://localhost", "a default port is left out, as URLs do"},
		{"https://a.example:443/", "https://a.example", ""},
		{"http://a.example:443", "http://a.example:443", ""},
		{"https://a.example:80", "https://a.example:80", "another scheme's port is none"},
		{"http://" + strings.Repeat("a", 253), "http://" + strings.Repeat("a", 253), "as long as a name may be"},
		{"http://" + strings.Repeat("a", 254), "!must have a host of", ""},
		{"http://::1]", "!must have a host of", ""},
		{"http://@a.example", "!must not hold a name or password", ""},
		{"http://[::1]:3000", "http://[::1]:3000", ""},
		{"http://[::FFFF:1.2.3.4]", "http://[::ffff:1.2.3.4]", ""},
		{"http://my_app.internal:08080", "http://my_app.internal:8080", ""},
		{"", "", "a binding or the zone's own origin"},
		{"ftp://a.example", "!must begin with http:// or https://", ""},
		{"a.example", "!must begin with http:// or https://", ""},
		{"http://a.example/app", "!must be scheme, host and port, without a path", "\"without a path\""},
		{"http://a.example//", "!must be scheme, host and port, without a path", ""},
		{"http://a.example?x", "!must be scheme, host and port, without a path", ""},
		{"http://a.example#x", "!must be scheme, host and port, without a path", ""},
		{"http://user:pw@a.example", "!must not hold a name or password", ""},
		{"http://a.example:", "!must have a port from 1 to 65535, or none", ""},
		{"http://a.example:0", "!must have a port from 1 to 65535, or none", ""},
		{"http://a.example:65536", "!must have a port from 1 to 65535, or none", ""},
		{"http://a.example:+80", "!must have a port from 1 to 65535, or none", ""},
		{"http://", "!must have a host of", ""},
		{"http://:80", "!must have a host of", ""},
		{"http://[::1", "!must have a", ""},
		{"http://[]", "!must have a host of", ""},
		{"http://a b", "!must have a host of", ""},
		{"http://注文.example", "!must have a host of", "written as xn--"},
		{"http://a.example\\b", "!must have a host of", ""},
		{" http://a.example", "!must begin with", ""},
	}
	for _, tt := range tests {
		url, why := parseOriginURL(tt.in)
		want, wantWhy := tt.want, ""
		if strings.HasPrefix(want, "!") {
			want, wantWhy = "", want[1:]
		}
		if url != want || !strings.HasPrefix(why, wantWhy) || (why == "") != (wantWhy == "") {
			t.Errorf("parseOriginURL(%q) = %q, %q; want %q, %q: %s", tt.in, url, why, want, wantWhy, tt.why)
		}
		if again, why := parseOriginURL(url); again != url || why != "" {
			t.Errorf("parseOriginURL(%q) = %q, %q; want a fixed point", url, again, why)
		}
	}
}
