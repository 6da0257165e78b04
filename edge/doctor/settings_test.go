package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const wholeConfig = `
main = "entry.js"
[[kv_namespaces]]
binding = "ANSWERS"
[[durable_objects.bindings]]
name = "CLAIMS"
class_name = "Claims"
[[migrations]]
tag = "v1"
new_sqlite_classes = ["Claims"]
`

// diagnose runs the doctor over a configuration; files are name and text in turn.
func diagnose(t *testing.T, args []string, files ...string) (status int, said string) {
	t.Helper()
	folder := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(folder, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	status = run(append([]string{"-config", filepath.Join(folder, "wrangler.toml")}, args...), &out, &out)
	return status, out.String()
}

func TestTheConfigurationIsReadAsTheGuardReadsIt(t *testing.T) {
	const good = `SINGLESHOT_SECRET="0123456789abcdef0123456789abcdef" # local`
	for _, c := range []struct {
		why     string
		toml    string
		devVars string
		args    []string
		status  int
		says    []string
		saysNot []string
	}{
		{why: "the smallest whole one", toml: wholeConfig, devVars: good, says: []string{"Nothing is wrong", "then every form POST", "note   origin", "would call itself"}},
		{why: "a secret that cannot be seen is no fault", toml: wholeConfig, says: []string{"note   SINGLESHOT_SECRET", "answers 503", "Nothing is wrong that can be seen from here"}},
		{why: "a short one is", toml: wholeConfig, devVars: "SINGLESHOT_SECRET=short\n", status: 1, says: []string{"FAULT  SINGLESHOT_SECRET", "shorter than 32 bytes"}, saysNot: []string{"= short", "\"short\""}},
		{why: "the previous one too", toml: wholeConfig, devVars: good + "\nexport SINGLESHOT_SECRET_PREVIOUS='gone'\n", status: 1, says: []string{"FAULT  SINGLESHOT_SECRET_PREVIOUS"}, saysNot: []string{"gone"}},
		{why: "a secret in the file", toml: wholeConfig + "[vars]\nSINGLESHOT_SECRET = \"0123456789abcdef0123456789abcdef\"\n", status: 1, says: []string{"FAULT  SINGLESHOT_SECRET", "wrangler secret put"}, saysNot: []string{"0123456789"}},
		{why: "which rule, which name, why", toml: wholeConfig + "[[vars.RULES]]\nmatch = \"/a\"\n[[vars.RULES]]\nmatch = \"/b\"\nlees = 30\nttl = 5\n", devVars: good, status: 1,
			says: []string{"FAULT  RULES", "rule 2", "lees is no setting of a rule", "ttl must be a whole number of seconds from 60", "2 things are wrong", "503"}},
		{why: "rules as one table instead of a list", toml: wholeConfig + "[vars.RULES]\nmatch = \"/a\"\n", devVars: good, status: 1, says: []string{"FAULT  RULES", "must be a list of rules"}},
		{why: "rules as JSON text", toml: wholeConfig + "[vars]\nRULES = '[{\"match\":\"/api/**\",\"key\":\"header\",\"required\":true}]'\n", devVars: good, says: []string{"rule 1", "POST /api/**: by Idempotency-Key, required"}},
		{why: "a rule behind a wider one is never used", toml: wholeConfig + "[[vars.RULES]]\nmatch = \"/api/**\"\n[[vars.RULES]]\nmatch = \"/api/v1/*\"\nkey = \"header\"\n", devVars: good,
			says: []string{"ok     rule 1", "note   rule 2", "POST /api/v1/*: never used, rule 1 takes all of it"}},
		{why: "unless it has a method of its own, or goes first", toml: wholeConfig + "[[vars.RULES]]\nmatch = \"/api/v1/*\"\n[[vars.RULES]]\nmatch = \"/api/**\"\n[[vars.RULES]]\nmatch = \"/api/v2\"\nmethods = [\"PUT\", \"POST\"]\n", devVars: good,
			says: []string{"ok     rule 2", "ok     rule 3"}, saysNot: []string{"never used"}},
		{why: "rules that are no JSON", toml: wholeConfig + "[vars]\nRULES = '[{\"match\":'\n", devVars: good, status: 1, says: []string{"FAULT  RULES", "not JSON"}},
		{why: "numbers need no quotes", toml: wholeConfig + "[vars]\nSHARDS = 4\nINJECT_SCRIPT = true\n", devVars: good, says: []string{"Nothing is wrong"}},
		{why: "but have bounds", toml: wholeConfig + "[vars]\nSHARDS = 0\n", devVars: good, status: 1, says: []string{"FAULT  SHARDS"}},
		{why: "an address with a path", toml: wholeConfig + "[vars]\nORIGIN_URL = \"https://app.example.com/shop\"\n", devVars: good, status: 1, says: []string{"FAULT  ORIGIN_URL", "without a path", "all others with 502"}},
		{why: "a word that is none", toml: wholeConfig + "[vars]\nKEEP = \"some\"\n", devVars: good, status: 1, says: []string{"FAULT  KEEP", "all, large"}},
		{why: "a misspelt name", toml: wholeConfig + "[vars]\nORIGN_URL = \"https://app.example.com\"\n", devVars: good, says: []string{"note   ORIGN_URL", "no variable of the guard"}},
		{why: "no place for answers", toml: strings.Replace(wholeConfig, "ANSWERS", "CACHE", 1), devVars: good, status: 1, says: []string{"FAULT  ANSWERS"}},
		{why: "no claim store", toml: strings.Replace(wholeConfig, "class_name = \"Claims\"", "class_name = \"Claim\"", 1), devVars: good, status: 1, says: []string{"FAULT  CLAIMS"}},
		{why: "a claim store without SQLite", toml: strings.Replace(wholeConfig, "new_sqlite_classes", "new_classes", 1), devVars: good, status: 1, says: []string{"FAULT  CLAIMS", "needs SQLite"}},
		{why: "no migration", toml: strings.Replace(wholeConfig, "new_sqlite_classes = [\"Claims\"]", "", 1), devVars: good, status: 1, says: []string{"FAULT  CLAIMS", "no migration"}},
		{why: "an entry that is not there", toml: strings.Replace(wholeConfig, "entry.js", "gone.js", 1), devVars: good, status: 1, says: []string{"FAULT  main"}},
		{why: "a service behind it", toml: wholeConfig + "[[services]]\nbinding = \"ORIGIN\"\nservice = \"shop\"\n", devVars: good, says: []string{"the service shop"}},
		{why: "ORIGIN_URL wins", toml: wholeConfig + "[[services]]\nbinding = \"ORIGIN\"\nservice = \"shop\"\n[vars]\nORIGIN_URL = \"https://app.example.com\"\n", devVars: good, says: []string{"https://app.example.com"}, saysNot: []string{"service shop"}},
		{why: "a route", toml: "route = \"shop.example.com/*\"\n" + wholeConfig, devVars: good, says: []string{"the zone's own"}},
		{why: "no TOML: which line", toml: wholeConfig + "[vars\n", devVars: good, status: 2, says: []string{"is not TOML"}},
		{why: "another environment inherits no bindings", toml: wholeConfig + "[env.staging.vars]\nKEEP = \"large\"\n", devVars: good, args: []string{"-env", "staging"}, status: 1, says: []string{"FAULT  ANSWERS", "FAULT  CLAIMS"}},
		{why: "an environment that is not there", toml: wholeConfig + "[env.staging.vars]\n", devVars: good, args: []string{"-env", "production"}, status: 2, says: []string{"no [env.production]; there is staging"}},
		{why: "a word too many", toml: wholeConfig, args: []string{"x"}, status: 2, says: []string{`what is "x"?`}},
	} {
		t.Run(c.why, func(t *testing.T) {
			files := []string{"wrangler.toml", c.toml, "entry.js", ""}
			if c.devVars != "" {
				files = append(files, ".dev.vars", c.devVars)
			}
			status, said := diagnose(t, c.args, files...)
			if status != c.status {
				t.Errorf("exit status = %d; want %d", status, c.status)
			}
			for _, part := range c.says {
				if !strings.Contains(said, part) {
					t.Errorf("no %q in what it says", part)
				}
			}
			for _, part := range c.saysNot {
				if strings.Contains(said, part) {
					t.Errorf("%q in what it says", part)
				}
			}
			if t.Failed() {
				t.Log(said)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		if status, said := diagnose(t, nil); status != 2 || !strings.Contains(said, "no such file") {
			t.Errorf("exit status %d, %s; want 2 and the reason", status, said)
		}
	})
}

func TestDevVarsAreReadAsWranglerReadsThem(t *testing.T) {
	got := parseDotenv("# a comment\n\nA=1\nexport B = two words \nC=\"with # and \\n\" # comment\nD='q'\nE=x # y\nno line\n=z\nF=\"open\nG=a=b\r\n")
	want := map[string]string{"A": "1", "B": "two words", "C": `with # and \n`, "D": "q", "E": "x", "F": `"open`, "G": "a=b"}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s = %q; want %q", name, got[name], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d variables: %v; want %d", len(got), got, len(want))
	}
}
