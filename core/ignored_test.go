package core

import "testing"

// The names of contract §3, and no others: what has the length or the beginning of a token is a value that somebody typed.
func TestOnlyTokensAreLeftOut(t *testing.T) {
	differs := func(name string) bool {
		o := orderOptions(urlencodedMedia)
		return submit(t, o, name+"=1&a=b").Fingerprint() != submit(t, o, name+"=2&a=b").Fingerprint()
	}
	for _, name := range []string{
		"_charset_", "_csrf", "csrf", "csrf_token", "_csrf_token", "authenticity_token", "csrfmiddlewaretoken",
		"__RequestVerificationToken", "_token", "_wpnonce", "form_token", "form_build_id", "form_key", "javax.faces.ViewState",
		"__VIEWSTATE", "__EVENTVALIDATION", "g-recaptcha-response", "h-captcha-response", "cf-turnstile-response", "stripeToken",
	} {
		if differs(name) || name != "_charset_" && (differs("user["+name+"]") || differs("a[b]["+name+"]")) {
			t.Errorf("%s counts; want it left out, whole and as last segment", name)
		}
		for _, other := range []string{name[:len(name)-1] + "~", "~" + name[1:], name + "s", name + "[a]", "[" + name + "]"} {
			if !differs(other) {
				t.Errorf("%s is left out; want only %s", other, name)
			}
		}
	}
}
