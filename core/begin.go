package core

import (
	"strconv"
	"strings"
)

// OwnPath is where the guard answers by itself (contract §2, §9, §10).
const OwnPath = "/_singleshot/"

// Guard decides for any number of requests: the configuration, read once. It is not changed after NewGuard
// and safe for concurrent use, but for one that Recalling has returned.
type Guard struct {
	config  Config
	faults  []Fault
	secrets [][]byte     // the one that signs, then the previous one
	sealing []sealSecret // the same
	region  byte
	shared  *workspace // nil: each exchange has memory of its own
	recall  *Recall    // nil: the claim store is asked each time
}

// workspace is memory that one exchange after another works in, for as long as one call lasts or one body is read.
type workspace struct {
	effect     Effect
	submission *Submission // of an exchange that needs it no more, or nil
	json       jsonRoom
}

// Share lets the exchanges of the guard use some memory together, for a host that asks them one at a time and takes
// each effect apart before it asks again: so those that wait need less, and little of it lies between what comes
// and goes. From then on the guard and its exchanges are not safe for concurrent use.
func (g *Guard) Share() { g.shared = new(workspace) }

// NewGuard takes what ParseConfig returned. With faults the guard is closed: guarded posts are answered with
// 503, pages and everything else pass unchanged (contract §8), unless
// ORIGIN_URL is at fault: then there is no place for them to go, and they are answered with 502.
func NewGuard(config Config, faults []Fault) *Guard {
	g := &Guard{config: config, faults: faults, secrets: [][]byte{config.Secret}}
	if len(config.Previous) > 0 {
		g.secrets = append(g.secrets, config.Previous)
	}
	for _, secret := range g.secrets {
		g.sealing = append(g.sealing, newSealSecret(secret))
	}
	for i, name := range Regions {
		if name == config.Region {
			g.region = byte(i)
		}
	}
	return g
}

// astray reports whether nobody can say where the origin is.
func (g *Guard) astray() bool {
	for _, fault := range g.faults {
		if fault.Name == "ORIGIN_URL" {
			return true
		}
	}
	return false
}

// OriginURL is scheme, host and port of the origin, "" where the platform knows it.
func (g *Guard) OriginURL() string { return g.config.OriginURL }

// Logs says whether the log gets a line for an answer (contract §10): for each of a guarded request, or, with LOG =
// "warnings", for those that warn.
func (g *Guard) Logs(e *Effect) bool {
	return e.Outcome != "" && (!g.config.WarningsOnly || e.Warns())
}

// Request is the head of a visitor's request.
type Request struct {
	Method  string
	URL     string // absolute, as the visitor sees it
	Headers Headers
	Region  int   // index into Regions of the claim stores near the visitor; negative where nobody knows
	Length  int64 // of the body by its Content-Length; negative where it has none

	// Outward says that the origin is asked over the network. Where that would be the guard itself, the answer is 502.
	Outward bool
}

// Begin takes a request and returns its exchange with the first effect. now is unix milliseconds, random comes
// from a cryptographic source and is never used again.
func (g *Guard) Begin(r *Request, now int64, random [32]byte) (*Exchange, *Effect) {
	x := new(Exchange)
	return x, x.begin(g, r, now, random)
}

// Begin is Guard.Begin in the memory of an exchange that has ended, and whose effects nobody looks at any more. For
// servers that keep exchanges in a pool: most of what a request costs beside hashing is making this memory.
func (x *Exchange) Begin(g *Guard, r *Request, now int64, random [32]byte) *Effect {
	x.dropSubmission()
	if x.spare == nil {
		x.spare = new(spare)
	}
	if x.effect != nil {
		x.spare.keepEffect(x.effect)
	}
	*x = Exchange{spare: x.spare, effect: x.effect, notes: x.notes[:0]}
	return x.begin(g, r, now, random)
}

func (x *Exchange) begin(g *Guard, r *Request, now int64, random [32]byte) *Effect {
	h := r.Headers
	head := readHead(h)
	x.guard, x.began, x.now, x.method = g, now, now, methodName(r.Method)
	x.seed.random = random
	x.scheme, x.host, x.path, x.query = splitURL(r.URL)
	x.region = g.region
	if r.Region >= 0 && r.Region < len(Regions) {
		x.region = byte(r.Region)
	}
	x.htmx = head.htmx
	x.shape = head.shape(h)
	x.language = ParseLanguage(head.acceptLanguage)
	x.sameSite = head.fromSameOrigin(x.scheme, x.host)
	x.back = head.cameFrom(x.scheme, x.host)
	keep(&x.host, &x.path, &x.query, &x.back)
	if head.cookie {
		x.meetVisitor(h)
	}
	if g.config.OriginURL != "" {
		x.forwarded(h)
	}
	if strings.HasPrefix(x.path, OwnPath) {
		return x.own(r)
	}
	faulty := len(g.faults) > 0
	if faulty && g.mayBeGuarded(r.Method, x.path, &head) {
		return x.refuse(NoticeConfig)
	}
	if faulty && g.astray() {
		return x.unreachable(false)
	}
	if r.Outward {
		if why := circular(x.scheme, x.host, g.config.OriginURL); why != "" {
			do := x.unreachable(false)
			do.Outcome, do.Warning = statusRefused, why
			return do
		}
	}
	if faulty {
		return x.pass()
	}
	x.rule = g.config.Rules.find(r.Method, x.path)
	if x.rule == nil {
		return x.pass()
	}
	return x.meet(r, &head)
}

// meetVisitor takes the visitor cookie out of the request: it stays with the guard (contract §7).
func (x *Exchange) meetVisitor(h Headers) {
	cookie := visitorCookieName(x.scheme)
	value, ok := cookieValue(h, cookie)
	if !ok {
		return
	}
	x.visitor = openVisitor(value, x.guard.secrets...)
	x.edit.Delete = cookieWord[:]
	for _, line := range h {
		if !sameName(line.Name, "Cookie") {
			continue
		}
		if kept := withoutCookie(line.Value, cookie); kept != "" {
			x.edit.Set = append(x.edit.Set, Header{"Cookie", kept})
		}
	}
}

var cookieWord = [...]string{"Cookie"}

// mayBeGuarded is the question that a guard with faults asks; rules that cannot be read count as every path and
// every method (ParseConfig).
func (g *Guard) mayBeGuarded(method, path string, head *head) bool {
	rule := g.config.Rules.Find(method, path)
	return rule != nil && (rule.Key.Kind != KeyField || head.carriesField())
}

// meet looks at a request that a rule guards, as far as its head tells.
func (x *Exchange) meet(r *Request, head *head) *Effect {
	h, rule := r.Headers, x.rule
	switch rule.Key.Kind {
	case KeyField:
		if !head.carriesField() {
			return x.keyless()
		}
	case KeyHeader:
		key, sent, ok := clientKey(h)
		if !sent {
			return x.keyless()
		}
		if !ok {
			return x.refuse(NoticeBadKey)
		}
		x.keyText = strings.Clone(key)
	case KeyNamedHeader:
		if !h.Has(rule.Key.Name) {
			return x.keyless()
		}
		id, ok := eventID(h.Get(rule.Key.Name))
		if !ok {
			return x.refuse(NoticeBadKey)
		}
		x.keyText = strings.Clone(id)
	}
	// Everything that the head says and that counts later is taken now; the head itself is not kept.
	subject, ok := rule.Subject.Find(h, x.visitor)
	if !ok && rule.Subject.Kind != SubjectVisitor {
		// A form without a key passes unguarded whoever sends it; the answer waits for the body.
		x.subject = noSubject
	} else {
		x.subject = subject // put together by Find, so it keeps nothing of the head
	}
	turbo := strings.Contains(head.accept, turboStream)
	x.repeat = head.mode != "" && head.mode != "navigate" && !x.htmx && !turbo && rule.Key.Kind == KeyField
	x.client, x.trigger = parseClient(head.client)
	x.override = strings.ToUpper(head.override)
	x.length = r.Length
	x.multipart = sameName(head.media, "multipart/form-data")
	kept := urlencodedMedia // no copy of what nearly every form says
	if head.contentType != kept {
		kept = strings.Clone(head.contentType)
	}
	if rule.Strip {
		x.contentType = kept
	}
	x.crossSite = rule.Key.Kind == KeyField && head.fromElsewhere(x.scheme, x.host)

	x.takeSubmission()
	options := SubmissionOptions{
		Method: x.method, Path: x.path, Query: x.query,
		ContentType: kept, ContentEncoding: strings.Clone(head.contentEncoding),
		Ignore: rule.Ignore,
	}
	switch rule.Key.Kind {
	case KeyField:
		options.KeyField, options.HTMX = KeyFieldName, x.htmx
		if x.shape != ShapeProblem && x.sameSite {
			options.CarryLimit = carryLimit
		}
	case KeyPointer:
		options.JSONKey = rule.Key.Name
	}
	x.submission.Reset(options)
	x.at = stageBody
	do := x.do(DoHash)
	do.Limit = CollectLimit
	return do
}

const (
	turboStream = "text/vnd.turbo-stream.html"

	// noSubject cannot be what a rule finds: found subjects start with their kind.
	noSubject = "\x00"

	// carryLimit bounds the values that wait in memory for a "submit as a new entry".
	carryLimit = 64 << 10
)

// keyless is a request that a rule could guard and that brings no key (contract §2).
func (x *Exchange) keyless() *Effect {
	if x.rule.Required {
		return x.refuse(NoticeMissingKey)
	}
	return x.pass()
}

// pass sends the request on unguarded, byte for byte but for the visitor cookie and what ORIGIN_URL needs.
func (x *Exchange) pass() *Effect {
	x.rule = nil
	x.dropSubmission()
	x.at = stageForward
	do := x.do(DoForward)
	do.Edit = x.edit
	return do
}

// keep turns texts into parts of one copy, so that the request's head need not be kept.
func keep(texts ...*string) {
	n := 0
	for _, text := range texts {
		n += len(*text)
	}
	var b strings.Builder
	b.Grow(n)
	for _, text := range texts {
		b.WriteString(*text)
	}
	all := b.String()
	for _, text := range texts {
		*text, all = all[:len(*text)], all[len(*text):]
	}
}

// methodName is a method that does not keep the request's head in memory, of which it was a part.
func methodName(method string) string {
	for _, name := range [...]string{"GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		if method == name {
			return name
		}
	}
	return strings.Clone(method)
}

// splitURL cuts an absolute URL.
func splitURL(url string) (scheme, host, path, query string) {
	url, _, _ = strings.Cut(url, "#")
	scheme = "https"
	if rest, ok := strings.CutPrefix(url, "http://"); ok {
		scheme, url = "http", rest
	} else {
		url = strings.TrimPrefix(url, "https://")
	}
	url, query, _ = strings.Cut(url, "?")
	if i := strings.IndexByte(url, '/'); i >= 0 {
		url, path = url[:i], url[i:]
	}
	return scheme, url, NormalPath(path), query
}

// store is the claim store that a minted key names: where it is, and its name.
func (k Key) store() (region byte, shard string) { return k.Region, shardName(k.Region, k.Shard) }

// shardName is the name of a claim store.
func shardName(region byte, shard uint16) string {
	return Regions[region] + "-" + strconv.Itoa(int(shard))
}
