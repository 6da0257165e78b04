//go:build unix

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var screenshotsFlag = flag.String("screenshots", "", "`folder` for a picture of every page and state, instead of tests")

// TestScreenshots takes the pictures that people look at: every page and state, in both languages, light and dark,
// narrow and wide.
func TestScreenshots(t *testing.T) {
	if *screenshotsFlag == "" {
		t.Skip("only with -screenshots")
	}
	base := guarded(t)
	if err := os.MkdirAll(*screenshotsFlag, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, s := range states {
		for _, l := range []look{
			{language: "en"}, {language: "ja", dark: true}, {language: "ja", width: 320}, {language: "en", width: 320, dark: true},
		} {
			name := fmt.Sprintf("%s-%s-%d", s.name, l.language, max(l.width, 320))
			if l.width == 0 {
				name = fmt.Sprintf("%s-%s-wide", s.name, l.language)
			}
			t.Run(name, func(t *testing.T) {
				p := open(t, base+s.path, l)
				if s.reach != nil {
					s.reach(p)
				}
				p.settled()
				png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(*screenshotsFlag, strings.ReplaceAll(name, "/", "-")+".png"), png, 0o644); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
