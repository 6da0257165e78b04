//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// A page stands still while it loads, and its scripts and styles keep to its policy.
func TestPagesStandStill(t *testing.T) {
	base := guarded(t)
	for _, s := range states {
		if s.reach != nil && s.name != "key" {
			continue
		}
		for _, l := range []look{{language: "ja", width: 320}, {language: "en", width: 1600}} {
			t.Run(fmt.Sprintf("%s in %s at %d shifts nothing and breaks no policy", s.name, l.language, l.width), func(t *testing.T) {
				t.Parallel()
				p := open(t, base+s.path, l)
				if s.reach != nil {
					s.reach(p)
				}
				p.settled()
				shift := p.ask(`new Promise(done => { let sum = 0;
					new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) sum += e.value })
						.observe({type: 'layout-shift', buffered: true});
					setTimeout(() => done(sum < 0.01 ? 'none' : String(sum)), 50) })`)
				if shift != "none" {
					t.Errorf("the layout shifts by %s", shift)
				}
				for _, line := range p.console() {
					if !strings.Contains(line, "404") || s.name != "missing" {
						t.Errorf("the console says: %s", line)
					}
				}
			})
		}
	}
}

// Of what can be chosen nothing is cut off, however narrow the screen.
func TestEveryChoiceCanBeRead(t *testing.T) {
	base := guarded(t)
	for _, s := range states {
		if s.reach != nil && s.name != "key" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for i, width := range []int64{320, 768, 1280} {
				for _, language := range []string{"en", "ja"} {
					p := open(t, base+s.path, look{language: language, width: width, dark: i == 1})
					if s.reach != nil {
						s.reach(p)
					}
					p.settled()
					cut := p.ask(`JSON.stringify([...document.querySelectorAll('select')].flatMap(select => {
						const style = getComputedStyle(select), measure = document.createElement('canvas').getContext('2d');
						measure.font = style.font;
						const room = select.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd);
						return [...select.options].filter(o => measure.measureText(o.label).width > room).map(o => o.label) }))`)
					if cut != "[]" {
						t.Errorf("at %d pixels in %s: %s do not fit", width, language, cut)
					}
				}
			}
		})
	}
}

func TestADarkSystemGetsDarkPagesWithoutJavaScript(t *testing.T) {
	base := guarded(t)
	const ground = `(c => { const d = document.createElement('canvas').getContext('2d'); d.fillStyle = c; d.fillRect(0, 0, 1, 1);
		return String(d.getImageData(0, 0, 1, 1).data[0]) })(getComputedStyle(document.body).backgroundColor)`
	light, dark := open(t, base+"/", look{noScript: true}), open(t, base+"/", look{noScript: true, dark: true})
	if l, d := light.ask(ground), dark.ask(ground); len(l) != 3 || len(d) == 3 {
		t.Errorf("the red of the ground is %s in light and %s in dark; want bright and dim", l, d)
	}
}

// Every page and state fits its screen and passes axe, in turns light and dark, English and Japanese, wide and narrow; and the kit's own
// checker, warnings included, with what the guard put into it.
func TestEveryState(t *testing.T) {
	base := guarded(t)
	root, err := workerd.Root()
	if err != nil {
		t.Fatal(err)
	}
	axe, err := os.ReadFile(filepath.Join(root, "node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	t.Run("axe", func(t *testing.T) {
		for i, s := range states {
			l := look{dark: i%2 == 1, language: []string{"en", "ja"}[i/2%2], width: []int64{1280, 320}[i/4%2]}
			t.Run(fmt.Sprintf("%s, %+v", s.name, l), func(t *testing.T) {
				t.Parallel()
				p := open(t, base+s.path, l)
				if s.reach != nil {
					s.reach(p)
				}
				p.settled()
				if wide := p.ask(`String(document.documentElement.scrollWidth - innerWidth)`); wide[0] != '0' && wide[0] != '-' {
					t.Errorf("the page is %s pixels wider than the screen", wide)
				}
				page := "<!doctype html>\n" + p.ask(`document.documentElement.outerHTML`)
				if err := os.WriteFile(filepath.Join(folder, s.name+".html"), []byte(page), 0o600); err != nil {
					t.Fatal(err)
				}
				p.ask(string(axe) + `; ''`)
				found := p.ask(`axe.run({resultTypes: ['violations']}).then(({violations}) => JSON.stringify(
					violations.map(({id, help, nodes}) => ({id, help, nodes: nodes.map(({html, failureSummary}) => html.slice(0, 200) + ' ' + failureSummary)}))))`)
				var violations []struct {
					ID, Help string
					Nodes    []string
				}
				if err := json.Unmarshal([]byte(found), &violations); err != nil {
					t.Fatal(err)
				}
				for _, v := range violations {
					t.Errorf("%s: %s\n%s", v.ID, v.Help, strings.Join(v.Nodes, "\n"))
				}
			})
		}
	})
	// A mismatch is the guard's own fragment, which speaks htmx's short attributes: the checker prefers the long ones.
	if err := os.Remove(filepath.Join(folder, "key-mismatch.html")); err != nil {
		t.Fatal(err)
	}
	check := exec.Command(filepath.Join(root, "node_modules/.bin/node"),
		filepath.Join(root, "node_modules/@hypermedia-components/cli/bin/hc-cli.mjs"), "validate", folder, "--strict")
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("the kit's checker: %v\n%s", err, out)
	}
}
