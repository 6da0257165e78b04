package core

import "bytes"

// charsetName is the field that browsers fill with the name of the encoding, and htmx 1 does not.
const charsetName = "_charset_"

// tokenField reports whether the name, whole or as the last segment of a[b], is that of a field whose value
// changes with every render or click although the person submits the same: CSRF tokens, view state, captcha and
// card tokens (contract §3). Every name of every form comes by here, so the length decides first.
func tokenField(name []byte) bool {
	n := len(name)
	if n > 0 && name[n-1] == ']' {
		i := bytes.LastIndexByte(name, '[')
		if i <= 0 {
			return false
		}
		name = name[i+1 : n-1]
		n = len(name)
	}
	switch n {
	case 4:
		return sameBytes(name, "csrf")
	case 5:
		return sameBytes(name, "_csrf")
	case 6:
		return sameBytes(name, "_token")
	case 8:
		return sameBytes(name, "form_key") || sameBytes(name, "_wpnonce")
	case 10:
		return sameBytes(name, "csrf_token") || sameBytes(name, "form_token")
	case 11:
		return sameBytes(name, "_csrf_token") || sameBytes(name, "__VIEWSTATE") || sameBytes(name, "stripeToken")
	case 13:
		return sameBytes(name, "form_build_id")
	case 17:
		return sameBytes(name, "__EVENTVALIDATION")
	case 18:
		return sameBytes(name, "authenticity_token") || sameBytes(name, "h-captcha-response")
	case 19:
		return sameBytes(name, "csrfmiddlewaretoken")
	case 20:
		return sameBytes(name, "g-recaptcha-response")
	case 21:
		return sameBytes(name, "cf-turnstile-response") || sameBytes(name, "javax.faces.ViewState")
	case 26:
		return sameBytes(name, "__RequestVerificationToken")
	}
	return false
}

// leftOut reports whether fields of that name stay out of the fingerprint (contract §3), whatever they hold.
func leftOut(name []byte, o *SubmissionOptions) bool {
	if isKeyField(name, o) || tokenField(name) || sameBytes(name, charsetName) {
		return true
	}
	for _, ignored := range o.Ignore {
		if sameBytes(name, ignored) {
			return true
		}
	}
	return false
}

func isKeyField(name []byte, o *SubmissionOptions) bool {
	return o.KeyField != "" && sameBytes(name, o.KeyField)
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
