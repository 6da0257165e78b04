package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/singleshot-edge/singleshot/core"
)

// names are the variables that the guard knows (contract §8).
var names = []string{"INJECT_SCRIPT", "KEEP", "LOG", "ORIGIN_URL", "RECALL", "REGION", "RULES", "SHARDS",
	"SINGLESHOT_ADMIN", "SINGLESHOT_SECRET", "SINGLESHOT_SECRET_PREVIOUS"}

const secretName = "SINGLESHOT_SECRET"

// examine looks at the settings without starting anything.
func (s *settings) examine(r *report) {
	s.bindings(r)
	before := r.faults
	for _, name := range slices.Sorted(maps.Keys(s.Vars)) {
		switch {
		case strings.HasPrefix(name, "SINGLESHOT_"):
			r.fault(name, "stands in the file: secrets are set by `npx wrangler secret put %s`, and locally in .dev.vars", name)
		case !slices.Contains(names, name):
			r.note(name, "is no variable of the guard; it knows %s", strings.Join(names, ", "))
		}
	}
	get := s.get
	if s.get(secretName) == "" {
		r.hidden = true
		r.note(secretName, "is not in .dev.vars, so wrangler dev answers 503 to guarded posts; whether the deployment has it cannot be seen from here")
		get = func(name string) string {
			if name == secretName {
				return strings.Repeat("-", 32)
			}
			return s.get(name)
		}
	}
	config, faults := core.ParseConfig(get)
	for _, fault := range faults {
		r.fault(fault.Name, "%s", fault.Why)
	}
	if r.faults > before {
		switch {
		case slices.ContainsFunc(faults, func(f core.Fault) bool { return f.Name == "ORIGIN_URL" }):
			r.note("effect", "guarded posts are answered with 503 and all others with 502 until this is right")
		case len(faults) > 0:
			r.note("effect", "guarded posts are answered with 503 until this is right; pages and everything else pass")
		}
		return
	}
	for i, rule := range config.Rules {
		if first := slices.IndexFunc(config.Rules[:i], func(earlier core.Rule) bool { return takesAll(&earlier, &rule) }); first >= 0 {
			r.note(fmt.Sprint("rule ", i+1), "%s %s: never used, rule %d takes all of it", strings.Join(rule.Methods, ", "), rule.Match, first+1)
			continue
		}
		r.ok(fmt.Sprint("rule ", i+1), "%s %s: %s", strings.Join(rule.Methods, ", "), rule.Match, keyWords(&rule))
	}
	r.ok("rules", "then every form POST, by its field")
	s.origin(r, &config)
}

// bindings are what the guard's host asks of the platform.
func (s *settings) bindings(r *report) {
	main := s.Main
	if !filepath.IsAbs(main) {
		main = filepath.Join(s.folder, main)
	}
	if s.Main == "" || !exists(main) {
		r.fault("main", "%q is not there", s.Main)
	} else {
		r.ok("main", "%s", s.Main)
	}
	answers := false
	for _, b := range s.KV {
		answers = answers || b.Binding == "ANSWERS"
	}
	if answers {
		r.ok("ANSWERS", "a KV namespace")
	} else {
		r.fault("ANSWERS", "is no binding in [[kv_namespaces]]: answers have no place")
	}
	class := ""
	for _, b := range s.DurableObjects.Bindings {
		if b.Name == "CLAIMS" {
			class = b.ClassName
		}
	}
	sqlite, plain := false, false
	for _, m := range s.Migrations {
		sqlite = sqlite || slices.Contains(m.NewSQLiteClasses, "Claims")
		plain = plain || slices.Contains(m.NewClasses, "Claims")
	}
	switch {
	case class != "Claims":
		r.fault("CLAIMS", "is no binding of class \"Claims\" in [[durable_objects.bindings]]: nothing can be claimed")
	case plain:
		r.fault("CLAIMS", "is in new_classes: the claim store needs SQLite, new_sqlite_classes = [\"Claims\"]")
	case !sqlite:
		r.fault("CLAIMS", "is in no migration: [[migrations]] needs new_sqlite_classes = [\"Claims\"]")
	default:
		r.ok("CLAIMS", "a Durable Object with SQLite")
	}
}

// origin says what the guard stands in front of.
func (s *settings) origin(r *report, config *core.Config) {
	for _, b := range s.Services {
		if b.Binding == "ORIGIN" && config.OriginURL == "" {
			r.ok("origin", "the service %s", b.Service)
			return
		}
	}
	switch {
	case config.OriginURL != "":
		r.ok("origin", "%s", config.OriginURL)
	case s.Route != nil || len(s.Routes) > 0:
		r.ok("origin", "the zone's own, behind the route")
	default:
		r.note("origin", "none: neither ORIGIN_URL, nor a service binding ORIGIN, nor a route; wrangler dev would call itself, and answers 502")
	}
}

// takesAll says whether the earlier rule leaves nothing to the later one, as far as their texts tell: the same glob,
// or one that ends in /** above the other.
func takesAll(earlier, later *core.Rule) bool {
	for _, method := range later.Methods {
		if !slices.Contains(earlier.Methods, method) {
			return false
		}
	}
	above, deep := strings.CutSuffix(earlier.Match, "**")
	return earlier.Match == later.Match || deep && (above == "" || strings.HasSuffix(above, "/")) && strings.HasPrefix(later.Match, above)
}

// keyWords say where a rule reads its key.
func keyWords(rule *core.Rule) string {
	words := map[core.KeyKind]string{core.KeyField: "by its field", core.KeyHeader: "by Idempotency-Key",
		core.KeyNamedHeader: "by " + rule.Key.Name, core.KeyPointer: "by JSON " + rule.Key.Name, core.KeyOff: "not guarded"}[rule.Key.Kind]
	if rule.Required {
		words += ", required"
	}
	return words
}
