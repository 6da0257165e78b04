package core

import "testing"

func TestEveryStatusHasItsOutcome(t *testing.T) {
	retry, hold := DefaultRule(), DefaultRule()
	hold.Hold = true
	commits := map[int]bool{301: true, 302: true, 303: true}
	unknown := map[int]bool{502: true, 504: true, 520: true, 522: true, 524: true}
	for status := 100; status < 600; status++ {
		want := OutcomeRelease // "every other 3xx, every 4xx, every 5xx"
		if commits[status] || 200 <= status && status <= 299 {
			want = OutcomeCommit // "2xx, 301, 302, 303"
		}
		if got := retry.Judge(Judged{Status: status}); got != want {
			t.Errorf("Judge(%d) = %v; want %v", status, got, want)
		}
		if unknown[status] {
			want = OutcomeUnknown // "under hold an answer 502, 504, 520, 522 or 524 is unknown too"
		}
		if got := hold.Judge(Judged{Status: status}); got != want {
			t.Errorf("under hold Judge(%d) = %v; want %v", status, got, want)
		}
	}
}

func TestRedirectToSignInReleases(t *testing.T) {
	const posted = "/shop/orders"
	const release, commit = OutcomeRelease, OutcomeCommit
	tests := []struct {
		status      int
		name, value string
		want        Outcome
		why         string
	}{
		{303, "Location", "/orders/7", commit, "the receipt"},
		{303, "Location", "/login", release, "\"a path segment login\""},
		{302, "location", "/log-in", release, ""},
		{301, "Location", "/log_in", release, ""},
		{302, "Location", "/signin", release, ""},
		{302, "Location", "/users/sign-in", release, ""},
		{302, "Location", "/users/sign_in", release, ""},
		{302, "Location", "/blog/wp-login.php?action=x", release, ""},
		{302, "Location", "https://id.example/oauth2/v2/authorize?client_id=1", release, "\"on any host\""},
		{302, "Location", "https://id.example/tenant/saml2", release, ""},
		{302, "Location", "/LogIn", release, "\"any letter case\""},
		{302, "Location", "/%6Cogin/", release, "percent-encoded"},
		{302, "Location", "/login;jsessionid=1F", release, "a server's suffix"},
		{302, "Location", "login", release, "relative: /shop/login"},
		{302, "Location", "//id.example/login", release, ""},
		{302, "Location", "/login/../orders/7", commit, "leads to /orders/7"},
		{302, "Location", "https://login.example/orders/7", commit, "a host is no segment"},
		{302, "Location", "/logins", commit, "a segment as a whole"},
		{302, "Location", "/login.html", commit, "which the contract does not list"},
		{302, "Location", "/orders/7#/login", commit, "a fragment is no path"},
		{302, "Location", "/orders/7?tab=login", commit, "nor is a query"},
		{302, "Location", "/start?next=/shop/orders", release, "\"a query parameter that holds the posted path\""},
		{302, "Location", "/start?a=1&Return_To=%2Fshop%2Forders", release, "any letter case, encoded"},
		{302, "Location", "/start?returnUrl=https%3A%2F%2Fshop.example%2Fshop%2Forders%3Fx%3D1", release, "a whole URL, with a query"},
		{302, "Location", "/start?redirect_to=%252Fshop%252Forders", release, "encoded twice"},
		{302, "Location", "https://id.example/?redirect_uri=/shop/%6frders", release, "normalised"},
		{302, "Location", "?next=shop/orders", release, "seen from the root"},
		{302, "Location", "/start?next=/shop/orders/7", commit, "another path"},
		{302, "Location", "/start?next=", commit, ""},
		{302, "Location", "/start?back=/shop/orders", commit, "not one of the five"},
		{302, "Location", "/welcome/tour", release, "rule release_redirects"},
		{302, "Location", "https://x.example/welcome/tour?x", release, "on any host too"},
		{302, "Location", "/welcome", commit, ""},
		{302, "Location", "", commit, "a redirect to itself"},
		{201, "Location", "/login/7", commit, "with 201 it names what was made"},
		{204, "HX-Redirect", "/login", release, "\"wherever it is said\""},
		{200, "hx-redirect", "/start?next=/shop/orders", release, ""},
		{200, "HX-Redirect", "/orders/7", commit, ""},
		{200, "HX-Location", "/users/sign_in", release, ""},
		{200, "HX-Location", ` {"path":"/Login","target":"#main"}`, release, "its JSON form"},
		{200, "HX-Location", `{"path":"/orders/7","source":"/login"}`, commit, ""},
		{200, "HX-Location", `{"path":7}`, commit, "which htmx cannot follow"},
		{200, "HX-Location", `{"target":"#login"}`, commit, "nor a place that is not there"},
		{200, "HX-Location", `{"path":"/login"`, commit, ""},
		{200, "HX-Push-Url", "/login", commit, "no redirect"},
		{307, "Location", "/orders/7", release, "\"every other 3xx\""},
	}
	rule := DefaultRule()
	rule.ReleaseRedirects = []string{"/welcome/*"}
	for _, tt := range tests {
		got := rule.Judge(Judged{Status: tt.status, Headers: Headers{{"Content-Type", "text/html"}, {tt.name, tt.value}}, Path: posted})
		if got != tt.want {
			t.Errorf("Judge(%d, %s: %s) = %v; want %v: %s", tt.status, tt.name, tt.value, got, tt.want, tt.why)
		}
	}
}

func TestSignInFormThatPostsToItselfIsJudgedByWhereItLeads(t *testing.T) {
	rule := DefaultRule()
	for place, want := range map[string]Outcome{"/dashboard": OutcomeCommit, "/login": OutcomeRelease, "?error=1": OutcomeRelease, "": OutcomeRelease} {
		if got := rule.Judge(Judged{Status: 303, Headers: Headers{{"Location", place}}, Path: "/login"}); got != want {
			t.Errorf("POST /login, Location %q: Judge = %v; want %v", place, got, want)
		}
	}
}

func TestRedisplayedFormReleases(t *testing.T) {
	rule := DefaultRule()
	if got := rule.Judge(Judged{Status: 200, Redisplayed: true}); got != OutcomeRelease {
		t.Errorf("Judge(200, redisplayed) = %v; want release", got)
	}
	if got := rule.Judge(Judged{Status: 201, Redisplayed: true}); got != OutcomeCommit {
		t.Errorf("Judge(201, redisplayed) = %v; want commit: \"A 200 html answer that redisplays the form\"", got)
	}
}

func TestOriginsWordWinsOverAllOfThis(t *testing.T) {
	hold := DefaultRule()
	hold.Hold = true
	tests := []struct {
		word   string
		judged Judged
		want   Outcome
		why    string
	}{
		{"commit", Judged{Status: 500}, OutcomeCommit, ""},
		{" Commit ", Judged{Status: 200, Redisplayed: true}, OutcomeCommit, ""},
		{"commit", Judged{Status: 303, Headers: Headers{{"Location", "/login"}}}, OutcomeCommit, ""},
		{"commit", Judged{Status: 504}, OutcomeCommit, "it knows, under hold too"},
		{"release", Judged{Status: 504}, OutcomeRelease, ""},
		{"release", Judged{Status: 200}, OutcomeRelease, ""},
		{"keep", Judged{Status: 200}, OutcomeCommit, "no word of the contract is no word"},
		{"", Judged{Status: 422}, OutcomeRelease, ""},
	}
	for _, tt := range tests {
		tt.judged.Headers = append(tt.judged.Headers, Header{"idempotency-outcome", tt.word})
		if got := hold.Judge(tt.judged); got != tt.want {
			t.Errorf("Idempotency-Outcome: %q with %d: Judge = %v; want %v: %s", tt.word, tt.judged.Status, got, tt.want, tt.why)
		}
	}
}

func TestNothingLeadsBackToTheHomePageByItself(t *testing.T) { // contract §1.1: a parameter that holds the posted path
	rule := DefaultRule()
	for query, want := range map[string]Outcome{"next=": OutcomeCommit, "next=/": OutcomeRelease} {
		if got := rule.Judge(Judged{Status: 303, Headers: Headers{{"Location", "/start?" + query}}, Path: "/"}); got != want {
			t.Errorf("a post to / that leads to /start?%s = %v; want %v", query, got, want)
		}
	}
}

func TestOutcomeHasItsContractWord(t *testing.T) {
	for o, want := range map[Outcome]string{OutcomeCommit: "commit", OutcomeRelease: "release", OutcomeUnknown: "unknown"} {
		if got := o.String(); got != want {
			t.Errorf("String = %q; want %q", got, want)
		}
	}
}

func TestOriginMaySayTheTTL(t *testing.T) {
	tests := []struct {
		value string
		want  int
		why   string
	}{
		{"60", 60, "\"at least 60 s\""},
		{" 3600\t", 3600, ""},
		{"0086399", 86399, "any digits"},
		{"315360000", 315360000, "the most a rule can say"},
		{"", 86400, "the rule's"},
		{"59", 86400, "too short"},
		{"0", 86400, ""},
		{"-60", 86400, ""},
		{"+60", 86400, ""},
		{"60.0", 86400, ""},
		{"1h", 86400, ""},
		{"315360001", 86400, "too long"},
		{"4294967356", 86400, "60 in 32 bits"},
		{"18446744073709551676", 86400, "60 in 64 bits"},
		{"60, 90", 86400, "two lines, joined"},
	}
	rule := DefaultRule()
	for _, tt := range tests {
		if got := answerTTL(Headers{{"idempotency-ttl", tt.value}}, &rule); got != tt.want {
			t.Errorf("answerTTL(%q) = %d; want %d: %s", tt.value, got, tt.want, tt.why)
		}
	}
}

// FuzzJudge holds that no header breaks the judgement and that a redirect to a sign-in page is found however the
// reference before it is spelled.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"/x", "{\"path\":\"/x\"}", "//h", "?next=", "..", "%", `{`, "a:b"} {
		f.Add(s, "/orders")
	}
	rule := DefaultRule()
	rule.ReleaseRedirects = []string{"/**/start*"}
	f.Fuzz(func(t *testing.T, place, posted string) {
		for _, name := range []string{"Location", "HX-Redirect", "HX-Location"} {
			if o := rule.Judge(Judged{Status: 303, Headers: Headers{{name, place}}, Path: posted}); o == OutcomeUnknown {
				t.Fatalf("Judge(%s: %q) = unknown without hold", name, place)
			}
		}
		if o := rule.Judge(Judged{Status: 303, Headers: Headers{{"Location", "/login?" + place}}, Path: posted}); o != OutcomeRelease {
			t.Fatalf("Judge(/login?%s) = %v; want release", place, o)
		}
	})
}
