package core

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// scriptEnd is the tokenizer of the HTML standard for the content of a script, state by state as it is written
// there (§13.2.5.4, §13.2.5.15 to §13.2.5.31). It returns the index of the "<" of the end tag, or -1.
func scriptEnd(s string) int {
	state, word := "data", ""
	at := 0 // of the last "<"
	isEnd := func(c byte) bool { return strings.IndexByte("\t\n\r\f />", c) >= 0 }
	for i := 0; i < len(s); {
		c := s[i]
		i++
		switch state {
		case "data":
			if c == '<' {
				at = i - 1
				state = "less-than"
			}
		case "less-than":
			switch c {
			case '/':
				state, word = "end tag name", ""
			case '!':
				state = "escape start"
			default:
				i--
				state = "data"
			}
		case "end tag name", "escaped end tag name":
			switch {
			case isLetter(c):
				word += string(lower(c))
			case word == "script" && isEnd(c):
				return at
			default:
				i--
				state = strings.TrimSuffix(state, "end tag name")
				state = strings.TrimSpace(state)
				if state == "" {
					state = "data"
				}
			}
		case "escape start", "escape start dash":
			switch {
			case c == '-' && state == "escape start":
				state = "escape start dash"
			case c == '-':
				state = "escaped dash dash"
			default:
				i--
				state = "data"
			}
		case "escaped", "escaped dash", "escaped dash dash":
			switch {
			case c == '-' && state == "escaped":
				state = "escaped dash"
			case c == '-':
				state = "escaped dash dash"
			case c == '<':
				at = i - 1
				state = "escaped less-than"
			case c == '>' && state == "escaped dash dash":
				state = "data"
			default:
				state = "escaped"
			}
		case "escaped less-than":
			switch {
			case c == '/':
				state, word = "escaped end tag name", ""
			case isLetter(c):
				i--
				state, word = "double escape start", ""
			default:
				i--
				state = "escaped"
			}
		case "double escape start", "double escape end":
			from, to := "escaped", "double escaped"
			if state == "double escape end" {
				from, to = to, from
			}
			switch {
			case isEnd(c) && word == "script":
				state = to
			case isEnd(c):
				state = from
			case isLetter(c):
				word += string(lower(c))
			default:
				i--
				state = from
			}
		case "double escaped", "double escaped dash", "double escaped dash dash":
			switch {
			case c == '-' && state == "double escaped":
				state = "double escaped dash"
			case c == '-':
				state = "double escaped dash dash"
			case c == '<':
				state = "double escaped less-than"
			case c == '>' && state == "double escaped dash dash":
				state = "data"
			default:
				state = "double escaped"
			}
		case "double escaped less-than":
			if c == '/' {
				state, word = "double escape end", ""
			} else {
				i--
				state = "double escaped"
			}
		}
	}
	return -1
}

// checkScript compares where a script ends, in one piece and cut anywhere.
func checkScript(t *testing.T, s string, cut int) {
	t.Helper()
	want := scriptEnd(s)
	if want >= 0 {
		want += len("</script")
	}
	for _, at := range []int{0, cut % (len(s) + 1)} {
		var r rawText
		r.begin(nameScript)
		got := r.scan([]byte(s[:at]), 0)
		if !r.closed {
			got = at + r.scan([]byte(s[at:]), 0)
		}
		if !r.closed {
			got = -1
		}
		if got != want {
			t.Fatalf("script %q, cut at %d, ends at %d; want %d", s, at, got, want)
		}
	}
}

func TestScriptsEndWhereTheStandardSays(t *testing.T) {
	words := []string{"<!--", "-->", "<", "/", ">", "-", "--", "!", "script", "SCRIPT", "<script", "</script", "</script>", " ", "x", "</", "<!-", "\n", "\x00", "scripts"}
	random := rand.New(rand.NewPCG(3, 4))
	for range pagesIn(t, 200_000) {
		var b strings.Builder
		for range 1 + random.IntN(10) {
			b.WriteString(words[random.IntN(len(words))])
		}
		checkScript(t, b.String(), random.IntN(100))
	}
}

func FuzzScript(f *testing.F) {
	f.Add("<!-- <script> </script> --> </script>", 3)
	f.Add("<!--><script></script>", 8)
	f.Add("</scriptx></SCRIPT/", 12)
	f.Fuzz(func(t *testing.T, s string, cut int) { checkScript(t, s, max(cut, 0)) })
}
