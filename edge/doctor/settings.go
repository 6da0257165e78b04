package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// settings are what a wrangler.toml says that concerns the guard, for one environment.
type settings struct {
	Main string
	Vars map[string]any

	KV []struct{ Binding string } `toml:"kv_namespaces"`

	DurableObjects struct {
		Bindings []struct {
			Name      string
			ClassName string `toml:"class_name"`
		}
	} `toml:"durable_objects"`

	Services []struct{ Binding, Service string }

	Migrations []struct {
		NewSQLiteClasses []string `toml:"new_sqlite_classes"`
		NewClasses       []string `toml:"new_classes"`
	}

	Route  any
	Routes []any

	Env map[string]*settings

	folder string
	local  map[string]string // .dev.vars
}

// readSettings reads a wrangler.toml and the .dev.vars beside it. In a named environment wrangler inherits neither
// variables nor bindings from the top, but the rest.
func readSettings(file, environment string) (*settings, error) {
	var s settings
	if _, err := toml.DecodeFile(file, &s); err != nil {
		var wrong toml.ParseError
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("line %d is not TOML: %s", wrong.Position.Line, wrong.Message)
		}
		return nil, err
	}
	if environment != "" {
		e := s.Env[environment]
		if e == nil {
			return nil, fmt.Errorf("there is no [env.%s]; there is %s", environment, orNone(slices.Sorted(maps.Keys(s.Env))))
		}
		s.Vars, s.KV, s.DurableObjects, s.Services = e.Vars, e.KV, e.DurableObjects, e.Services
		if e.Main != "" {
			s.Main = e.Main
		}
		if e.Route != nil || e.Routes != nil {
			s.Route, s.Routes = e.Route, e.Routes
		}
		if e.Migrations != nil {
			s.Migrations = e.Migrations
		}
	}
	s.folder = filepath.Dir(file)
	secrets := filepath.Join(s.folder, ".dev.vars")
	if named := secrets + "." + environment; environment != "" && exists(named) {
		secrets = named
	}
	text, err := os.ReadFile(secrets)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s.local = parseDotenv(string(text))
	return &s, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// get is a variable as the guard gets it: text as it is, everything else as JSON. It is "" where there is none.
func (s *settings) get(name string) string {
	if value, ok := s.local[name]; ok {
		return value
	}
	value, ok := s.Vars[name]
	if !ok {
		return ""
	}
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil { // a number that JSON does not have
		return fmt.Sprint(value)
	}
	return string(text)
}

// parseDotenv reads lines of NAME=value, as wrangler reads .dev.vars: with quotes or without, and with comments.
func parseDotenv(text string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !found || name == "" || name[0] == '#' {
			continue
		}
		if quote := strings.IndexAny(value, "\"'`"); quote == 0 {
			if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
				values[name] = value[1 : 1+end]
				continue
			}
		}
		value, _, _ = strings.Cut(value, "#")
		values[name] = strings.TrimSpace(value)
	}
	return values
}
