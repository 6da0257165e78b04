package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDarkThemeFollowsTheSystem(t *testing.T) {
	core := `@layer hc.tokens {
  :root, [data-theme="light"] {
    --a: 1;
  }

  [data-theme="dark"] {
    --a: 2;
  }
}

@layer hc.base {
  [data-theme="dark"] a:visited {
    color: red;
  }
}
`
	got, err := followSystem(core)
	if err != nil {
		t.Fatal(err)
	}
	want := `@layer hc.tokens { :root, [data-theme="light"] { --a: 1; } ` +
		`@media screen and (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { --a: 2; } } } ` +
		`@layer hc.base { @media screen and (prefers-color-scheme: dark) { :root:not([data-theme="light"]) a:visited { color: red; } } }`
	if got := strings.Join(strings.Fields(got), " "); got != want {
		t.Errorf("followSystem =\n%s\nwant\n%s", got, want)
	}
}

// If the kit is built differently one day, the pages must not silently lose their dark side.
func TestMissingDarkThemeIsAnError(t *testing.T) {
	if _, err := followSystem(":root { --a: 1 }"); err == nil {
		t.Error("followSystem found a dark theme where there is none")
	}
}

func TestCompactKeepsRules(t *testing.T) {
	got := compact("/* one\n * two */\n@layer a {\n  .b {\n    color: red; /* why */\n  }\n}\n")
	if want := "@layer a {\n.b {\ncolor: red;\n}\n}\n"; strings.ReplaceAll(got, " \n", "\n") != want {
		t.Errorf("compact = %q; want %q", got, want)
	}
}

func TestModulesComeWithTheirImports(t *testing.T) {
	kit, out := t.TempDir(), t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(kit, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.js", "import {\n  b,\n} from './b.js';\n//   import x from './never.js'\n")
	write("b.js", "export { c } from './deep/c.js';\nimport './a.js';\n")
	write("deep/c.js", "import { d } from '../d.js';\n")
	write("d.js", "")
	write("unused.js", "")
	if err := copyModules(kit, out, []string{"a.js"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.js", "b.js", "deep/c.js", "d.js"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Errorf("%s was not copied", name)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "unused.js")); err == nil {
		t.Error("unused.js was copied")
	}
}

func TestGatherWithoutModulesSaysWhatToDo(t *testing.T) {
	err := gather(t.TempDir(), "", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "npm ci") {
		t.Errorf("gather = %v; want advice", err)
	}
}
