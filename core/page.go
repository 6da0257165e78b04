package core

import "strings"

// HeaderEdit is a change of an answer's header: the names of Delete go, then the lines of Set come.
type HeaderEdit struct {
	Delete []string
	Set    Headers
}

// PagePlan says what is done to an answer that may hold forms (contract §6). The zero plan is: nothing.
type PagePlan struct {
	// Inject: the body goes through an Injector.
	Inject bool
	// Turbo is for Injection.Turbo.
	Turbo bool
	// Hold: the origin marks the page as cacheable. It is held until Injector.Keyed is above 0 or its end, at
	// most HoldLimit bytes, and keeps its header if no form comes; the lines that describe the body must go all
	// the same once Injector.Changed.
	Hold bool
	// Edit is applied at once, or under Hold when the first form is found or HoldLimit is reached.
	Edit HeaderEdit
}

// HoldLimit is how much of a cacheable page is held back while it may turn out to have no form, in bytes.
const HoldLimit = 256 << 10

// PlanPage decides by status and header what is done to an answer. Forms stand in text/html and in
// text/vnd.turbo-stream.html. Partial content, attachments, charsets that are no superset of ASCII, and content
// encodings that a guard cannot undo pass as they are; so does an answer that has no body. The body must reach
// the Injector decoded.
func PlanPage(status int, h Headers) PagePlan {
	if status < 200 || status == 204 || status == 205 || status == 206 || status == 304 {
		return PagePlan{}
	}
	media, parameters, _ := strings.Cut(h.Get("Content-Type"), ";")
	media = strings.TrimSpace(media)
	turbo := sameName(media, "text/vnd.turbo-stream.html")
	if !turbo && !sameName(media, "text/html") {
		return PagePlan{}
	}
	if !overASCII(charsetOf(parameters)) || isAttachment(h) || !decodable(h) {
		return PagePlan{}
	}
	cacheable, noStore := cachePolicy(h)
	policy := "private, no-cache"
	if noStore {
		policy = "private, no-cache, no-store"
	}
	return PagePlan{Inject: true, Turbo: turbo, Hold: cacheable, Edit: HeaderEdit{
		Delete: []string{
			// What would bring an old key back, or hand a key to somebody else (contract §6).
			"ETag", "Last-Modified", "CDN-Cache-Control", "Cloudflare-CDN-Cache-Control",
			// What describes bytes that are others now.
			"Content-Length", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest", "Accept-Ranges",
			"Cache-Control",
		},
		Set: Headers{{"Cache-Control", policy}},
	}}
}

// cachePolicy reports whether the origin marks an answer as cacheable, and whether it says no-store.
func cachePolicy(h Headers) (cacheable, noStore bool) {
	cacheable = h.Has("ETag") || h.Has("Last-Modified")
	private := false
	for i := range h {
		if !sameName(h[i].Name, "Cache-Control") {
			continue
		}
		for rest := h[i].Value; rest != ""; {
			var directive string
			directive, rest = cutList(rest, ',')
			name, value, _ := strings.Cut(directive, "=")
			switch name = lowerText(strings.TrimSpace(name)); name {
			case "public":
				cacheable = true
			case "max-age", "s-maxage":
				value = strings.Trim(value, " \t\"")
				cacheable = cacheable || strings.Trim(value, "0") != "" && isDigits(value)
			case "private", "no-cache":
				private = true
			case "no-store":
				private, noStore = true, true
			}
		}
	}
	return cacheable && !private, noStore
}

// cutList returns what stands before the first separator outside of quotes, and what follows it.
func cutList(s string, separator byte) (item, rest string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// isDigits reports whether s is a number.
func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// charsetOf returns the charset among the parameters of a Content-Type, or "".
func charsetOf(parameters string) string {
	for parameters != "" {
		var name, value string
		if name, value, parameters = parameter(parameters); sameName(name, "charset") {
			return value
		}
	}
	return ""
}

// overASCII reports whether markup in a charset can be read as ASCII: true for all charsets but those that
// give the bytes of markup another meaning. A charset that is not known is taken for the default, as browsers do.
func overASCII(charset string) bool {
	c := lowerText(strings.TrimSpace(charset))
	for _, prefix := range []string{
		"utf-16", "utf16", "utf-32", "utf32", "ucs-2", "ucs2", "ucs-4", "ucs4", "iso-10646-ucs", "csucs", "unicode",
		"csunicode", "utf-7", "utf7", "x-utf-16", "unicode-1-1-utf-7", "iso-2022", "iso2022", "csiso2022", "jis",
		"hz", "scsu", "bocu", "replacement", "ebcdic", "x-ebcdic", "cp037", "cp1047", "cp500", "cp1026", "ibm",
		"csibm",
	} {
		if strings.HasPrefix(c, prefix) {
			// Two names that only look like these: UTF-8's old one, and the DOS pages, which keep ASCII.
			return strings.HasPrefix(c, "unicode-1-1-utf-8") || isDOSPage(c)
		}
	}
	return true
}

// isDOSPage reports whether an IBM charset is one of the DOS code pages (437, 8xx but 870, 871 and 880) and not EBCDIC.
func isDOSPage(charset string) bool {
	n := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(charset, "cs"), "ibm"), "-_0")
	if n == "437" || n == "737" || n == "775" {
		return true
	}
	return len(n) == 3 && n[0] == '8' && isDigits(n) && n != "870" && n != "871" && n != "880"
}

// isAttachment reports whether an answer is saved and not shown: every disposition but inline (RFC 6266 §4.2).
func isAttachment(h Headers) bool {
	kind, _, _ := strings.Cut(h.Get("Content-Disposition"), ";")
	kind = strings.TrimSpace(kind)
	return kind != "" && strings.IndexByte(kind, '=') < 0 && !sameName(kind, "inline")
}

// decodable reports whether every content encoding of an answer is one that a guard can undo.
func decodable(h Headers) bool {
	for i := range h {
		if !sameName(h[i].Name, "Content-Encoding") {
			continue
		}
		for rest := h[i].Value; rest != ""; {
			var coding string
			coding, rest = cutList(rest, ',')
			switch lowerText(strings.TrimSpace(coding)) {
			case "", "identity", "gzip", "x-gzip", "br":
			default:
				return false
			}
		}
	}
	return true
}

// CSPNonce returns the nonce that the page's Content-Security-Policy demands of scripts, or "". The script tag
// that goes into the page needs it (contract §6).
func CSPNonce(h Headers) string {
	for _, directive := range [...]string{"script-src-elem", "script-src", "default-src"} {
		for i := range h {
			if !sameName(h[i].Name, "Content-Security-Policy") {
				continue
			}
			if nonce := nonceIn(h[i].Value, directive); nonce != "" {
				return nonce
			}
		}
	}
	return ""
}

// nonceIn returns the first nonce of a directive in a policy, or in a list of policies, or "".
func nonceIn(policies, directive string) string {
	for _, policy := range strings.Split(policies, ",") {
		for _, part := range strings.Split(policy, ";") {
			words := strings.Fields(part)
			if len(words) == 0 || !sameName(words[0], directive) {
				continue
			}
			for _, w := range words[1:] {
				if len(w) > 8 && sameName(w[:7], "'nonce-") && w[len(w)-1] == '\'' {
					return w[7 : len(w)-1]
				}
			}
		}
	}
	return ""
}

// IsSignOut reports whether a path signs the visitor out: its last segment is one of six names, in any letter
// case, with or without an extension, a path parameter or a slash behind it. Such forms carry no key (contract §6).
func IsSignOut(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	path = strings.TrimRight(path, "/")
	last := path[strings.LastIndexByte(path, '/')+1:]
	last, _, _ = strings.Cut(last, ";")
	last, _, _ = strings.Cut(last, ".")
	switch lowerText(last) {
	case "logout", "log-out", "log_out", "signout", "sign-out", "sign_out":
		return true
	}
	return false
}
