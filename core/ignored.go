package core

import "bytes"

// tokenNames are the fields whose value changes with every render or click although the person submits the
// same: CSRF tokens, view state, captcha and card tokens (contract §3). They are sorted by length.
var tokenNames = [...]string{
	"csrf", "_csrf", "_token", "form_key", "_wpnonce", "form_token", "csrf_token", "_csrf_token", "__VIEWSTATE",
	"stripeToken", "form_build_id", "__EVENTVALIDATION", "authenticity_token", "h-captcha-response",
	"csrfmiddlewaretoken", "g-recaptcha-response", "cf-turnstile-response", "javax.faces.ViewState",
	"__RequestVerificationToken",
}

// charsetName is the field that browsers fill with the name of the encoding, and htmx 1 does not.
const charsetName = "_charset_"

// tokenField reports whether the name is that of a per-render or per-click token, whole or as the last segment
// of a[b].
func tokenField(name []byte) bool {
	if n := len(name); n > 0 && name[n-1] == ']' {
		i := bytes.LastIndexByte(name, '[')
		if i <= 0 {
			return false
		}
		name = name[i+1 : n-1]
	}
	for _, t := range tokenNames {
		if len(t) >= len(name) {
			if len(t) > len(name) {
				return false
			}
			if sameBytes(name, t) {
				return true
			}
		}
	}
	return false
}

// leftOut reports whether fields of that name stay out of the fingerprint (contract §3), whatever they hold.
func leftOut(name []byte, o *SubmissionOptions) bool {
	if o.KeyField != "" && sameBytes(name, o.KeyField) || sameBytes(name, charsetName) || tokenField(name) {
		return true
	}
	for _, ignored := range o.Ignore {
		if sameBytes(name, ignored) {
			return true
		}
	}
	return false
}

// sameBytes reports whether b holds the bytes of s. It converts nothing, so no compiler allocates for it.
func sameBytes(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range b {
		if b[i] != s[i] {
			return false
		}
	}
	return true
}
