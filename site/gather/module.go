package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// imports finds what an ES module of the kit imports from its neighbours.
var imports = regexp.MustCompile(`(?m)^(?:import|export|\})[^'"\n]*['"](\.{1,2}/[^'"]+\.js)['"]`)

// copyModules copies the named modules of the kit and everything they import, with their paths.
func copyModules(kit, to string, names []string) error {
	done := make(map[string]bool)
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if done[name] {
			continue
		}
		done[name] = true
		content, err := os.ReadFile(filepath.Join(kit, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
		for _, found := range imports.FindAllSubmatch(content, -1) {
			names = append(names, path.Join(path.Dir(name), string(found[1])))
		}
	}
	return nil
}
