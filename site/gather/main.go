// Gather puts the files that browsers fetch from the demo origin into site/assets: htmx and the parts of the
// kit that the pages use, from node_modules, and our own from site/static. Run it from the repository's root
// after npm ci:
//
//	go run ./site/gather
//
// The folder is what wrangler.toml calls [assets] and what the native server serves; it is never committed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	modules := flag.String("modules", "node_modules", "`folder` with the installed npm packages")
	own := flag.String("static", "site/static", "`folder` with our own files")
	out := flag.String("o", "site/assets", "`folder` to make anew")
	flag.Parse()
	if err := gather(*modules, *own, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gather:", err)
		os.Exit(1)
	}
}

// styles are the kit's style sheets that the pages use, in the order in which they build on each other.
var styles = []string{
	"hc.core.css", "hc-alert.css", "hc-button.css", "hc-card.css", "hc-code.css", "hc-dialog.css", "hc-field.css",
	"hc-input.css", "hc-progress.css", "hc-select.css", "hc-spinner.css", "hc-stepper.css", "hc-table.css", "hc-toast.css",
	"hc-toolbar.css", "hc.a11y.css", "hc.htmx.css", "hc.print.css",
}

// scripts are the kit's modules that static/kit.js imports. What they import themselves follows.
var scripts = []string{
	"toast.js", "field-errors.js", "copy.js", "remote-dialog.js", "close-dialog.js", "session-expiry.js", "locales/ja.js",
}

func gather(modules, own, out string) error {
	kit := filepath.Join(modules, "@hypermedia-components", "core", "dist")
	if _, err := os.Stat(kit); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is missing: run npm ci first", kit)
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	static := filepath.Join(out, "static")
	if err := os.MkdirAll(static, 0o755); err != nil {
		return err
	}

	sheet, err := styleSheet(kit, own)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(static, "site.css"), sheet, 0o644); err != nil {
		return err
	}
	if err := copyModules(kit, filepath.Join(static, "kit"), scripts); err != nil {
		return err
	}
	if err := copyFile(filepath.Join(modules, "htmx.org", "dist", "htmx.min.js"), filepath.Join(static, "htmx.js")); err != nil {
		return err
	}
	files, err := os.ReadDir(own)
	if err != nil {
		return err
	}
	for _, file := range files {
		if name := file.Name(); filepath.Ext(name) != ".css" {
			if err := copyFile(filepath.Join(own, name), filepath.Join(static, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
