package core

import "strings"

// This file answers with what the origin said, and says how it ended.

// The words of Idempotency-Status (contract §4).
const (
	statusCreated  = "created"
	statusReplayed = "replayed"
	statusReleased = "released"
	statusMismatch = "mismatch"
	statusRunning  = "running"
	statusUnknown  = "unknown"
	statusRefused  = "refused"
)

// respond gives the visitor what the origin answered; written says whether the record is settled.
func (x *Exchange) respond(written bool) *Effect {
	status := statusUnknown
	switch {
	case !written || x.verdict == OutcomeUnknown:
	case x.verdict == OutcomeCommit:
		status = statusCreated
	default:
		status = statusReleased
	}
	x.at = stageEnd
	if x.answer.Status == 0 {
		return x.noAnswer(status)
	}
	do := x.do(DoRespond)
	do.Source, do.Status = SourceOrigin, x.answer.Status
	do.Inject = x.inject != nil // what follows a body that was too large to collect goes through it too
	do.Outcome, do.Rule, do.Shard, do.Trail = status, x.rule.Match, x.shard, x.trail
	if x.setsSubject() {
		do.Warning = "subject-unstable"
	}
	do.Edit = x.originEdit(x.raw, framing[:])
	if x.inject != nil && (!x.page.Hold || x.inject.Keyed() > 0 || x.tooLarge) {
		do.Edit = JoinEdits(do.Edit, x.keyedEdit())
	}
	do.Edit.Set = append(do.Edit.Set, Header{"Idempotency-Status", status})
	if written && x.answer.State == Committed && !x.guard.config.KeepLargeOnly {
		do.Name = x.name()
		do.KeepAll, do.TTL, do.Head, do.Body = true, x.ttl, x.head, x.answer.Body == BodyInline
	}
	return do
}

// framing is said of a body by who sends it.
var framing = [...]string{"Content-Length", "Content-Encoding"}

// setsSubject says whether the answer gives the visitor another subject: their next submit of the same key would
// be another record.
func (x *Exchange) setsSubject() bool {
	s := x.rule.Subject
	if s.Name == "" || s.Kind != SubjectCookie && s.Kind != SubjectJWT {
		return false
	}
	for _, line := range x.raw {
		if sameName(line.Name, "Set-Cookie") && strings.HasPrefix(line.Value, s.Name+"=") {
			return true
		}
	}
	return false
}

// respondUnsure answers while the store cannot be reached, and goes on.
func (x *Exchange) respondUnsure() *Effect {
	do := x.respond(false)
	x.at = stageSettle
	do.More = true
	return do
}

// originFailed is what a broken connection leaves: a release where nothing was sent, else an unknown outcome
// (contract §1.5).
func (x *Exchange) originFailed(sent bool) *Effect {
	if x.rule == nil {
		return x.unreachable(sent && x.method != "GET" && x.method != "HEAD")
	}
	x.dropSubmission()
	x.released(sent)
	return x.write()
}

// released makes the record of a claim that brought no answer.
func (x *Exchange) released(unknown bool) {
	if x.ending == nil {
		x.ending = x.spare.newEnding()
	}
	x.verdict = OutcomeRelease
	if unknown {
		x.verdict = OutcomeUnknown
	}
	x.settled = x.fresh()
	x.body = newSealer(&x.guard.sealing[0], &x.root, x.settled)
	x.answer = Record{
		State: Released, Unknown: unknown, Attempt: x.attempt, Claimed: x.claimed, Settled: x.now,
		Known: x.known, Fingerprint: x.fingerprint, Digests: x.digests, HTMX: x.htmx,
	}
}
