package core

import (
	"math/bits"
	"strings"
)

// maxGlob is the length of the longest glob in bytes, in normal form. One bit stands for each place in it.
const maxGlob = 511

// matchGlob reports whether a path in normal form (NormalPath) matches a glob, letter case included.
//
//   - `*` stands for any text within a segment, the empty text too: /orders/* is /orders/7 and not /orders/7/lines.
//   - `**` stands for any text across segments: /files/**.pdf is /files/a/b.pdf.
//   - `**` as a whole segment stands for any number of segments, none too: /api/** is the tree under /api with
//     /api itself, /a/**/b is also /a/b.
//   - everything else stands for itself.
//
// It follows all places of the glob at once and never goes back, so the time is at most the product of the two
// lengths whatever the glob says. A glob longer than maxGlob matches nothing; ParseRules refuses it.
func matchGlob(glob, path string) bool {
	star := strings.IndexByte(glob, '*')
	if star < 0 {
		return glob == path
	}
	if star > 0 && glob[star-1:] == "/**" { // most globs are a tree
		return strings.HasPrefix(path, glob[:star]) || path == glob[:star-1]
	}
	// Most others are told apart by what stands before the first star; the slash of /** may be missing.
	if prefix := max(star-1, 0); len(glob) > maxGlob || len(path) < prefix || path[:prefix] != glob[:prefix] {
		return false
	}
	var now globPlaces
	now.add(glob, max(star-1, 0))
	for i := max(star-1, 0); i < len(path); i++ {
		c := path[i]
		var next globPlaces
		for w, word := range now {
			for ; word != 0; word &= word - 1 {
				p := w<<6 + bits.TrailingZeros64(word)
				switch {
				case p == len(glob):
				case glob[p] != '*':
					if glob[p] == c {
						next.add(glob, p+1)
					}
				case c != '/' || isDoubleStar(glob, p):
					next.add(glob, p)
				}
			}
		}
		if now = next; now == (globPlaces{}) {
			return false
		}
	}
	return now[len(glob)>>6]>>(len(glob)&63)&1 == 1
}

// globPlaces is the set of places in a glob up to which a path matches.
type globPlaces [(maxGlob + 1) / 64]uint64

// add puts a place into the set, and those after it that need no more text.
func (g *globPlaces) add(glob string, p int) {
	for {
		if g[p>>6]>>(p&63)&1 == 1 {
			return
		}
		g[p>>6] |= 1 << (p & 63)
		switch {
		case p == len(glob):
			return
		case isDoubleStar(glob, p):
			p += 2
		case glob[p] == '*':
			p++
		case isTree(glob, p):
			p += 3
		default:
			return
		}
	}
}

func isDoubleStar(glob string, p int) bool { return strings.HasPrefix(glob[p:], "**") }

// isTree reports whether /** stands at p as a whole segment.
func isTree(glob string, p int) bool {
	return strings.HasPrefix(glob[p:], "/**") && (p+3 == len(glob) || glob[p+3] == '/')
}

// globFault says why a text of the configuration is no glob, or "".
func globFault(glob string) string {
	switch {
	case glob == "":
		return "must not be empty"
	case glob[0] != '/' && !strings.HasPrefix(glob, "**"):
		return "must begin with / or **: it is matched against the whole path"
	case strings.Contains(glob, "***"):
		return "must not have more than two * in a row"
	case strings.ContainsAny(glob, "?#"):
		return "must be a path, without ? or #"
	case strings.ContainsAny(glob, `[]{}\`):
		return `must not contain [ ] { } \: only * and ** are special (percent-encode what stands for itself)`
	case len(NormalPath(glob)) > maxGlob:
		return "is too long"
	}
	return ""
}
