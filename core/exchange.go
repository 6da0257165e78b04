package core

// EffectKind says what the host has to do next.
type EffectKind byte

// The effects (ARCHITECTURE.md). Each is answered by one of the events named beside it.
const (
	DoHash    EffectKind = iota // feed the visitor's body, at most Limit bytes: EventHashed
	DoDrain                     // feed what is left of the visitor's body and forward none of it: EventHashed
	DoSwap                      // compare-and-set in the claim store: EventSwapped, EventRefused, EventStoreFailed, EventUndone
	DoWait                      // long-poll in the claim store: EventChanged, EventTimedOut, EventBusy, EventStoreFailed
	DoForward                   // send the request to the origin: EventHead, EventOriginFailed
	DoCollect                   // read the origin's answer, at most Limit bytes: EventBody, EventOriginFailed
	DoFetch                     // read from KV: EventFound, EventMissing
	DoTrail                     // read the trail of a key: EventTrail, EventStoreFailed
	DoForget                    // forget records and the trail, in KV too: EventForgotten, EventStoreFailed
	DoKeep                      // write the sealed body to KV: EventKept, EventKeepFailed
	DoEnd                       // nothing more: the answer was sent before
	DoRespond                   // answer the visitor: nothing, or EventSent where More is set
)

// BodySource says which bytes an answer to the visitor has.
type BodySource byte

// The sources of a body.
const (
	SourceInline BodySource = iota // Effect.Inline
	SourceOrigin                   // the origin's answer, as it comes or as it was collected
	SourceRecord                   // the sealed body that came with the record, opened
	SourceRecall                   // Effect.Inline, as the body of a record
)

// Effect is what the host has to do next. Only the fields that its kind names mean something.
type Effect struct {
	Kind  EffectKind
	Delay int64 // milliseconds to let pass first: a repeat after a failure

	// DoSwap, DoWait: where. Shard is the name of the claim store, Region the place to create it near.
	Shard  string
	Region byte
	Name   string // of the record; in DoFetch and DoKeep the name in KV

	// DoSwap and DoRespond: entries for the trail of the key, all of TrailEntrySize bytes, kept with the write if
	// it is made, or off the critical path beside the answer, for TTL. Mismatch: one more of those counts.
	Trail    string
	Note     []byte
	Mismatch bool
	Forget   []string // DoForget: the names of records

	// DoSwap: store Head, and with it the sealed collected answer if Body is set, if the stored version is Old.
	// Lapsed: only if the lease of what is stored is over. Times are milliseconds by the store's clock.
	Old, Version Version
	Head         []byte
	Body         bool
	Lapsed       bool
	Commit       bool  // this write commits: a host may let it join a transaction of the application
	Lease        int64 // how long the claim holds without renewal; 0 for a settled record
	TTL          int64 // how long the record is kept; DoKeep and KeepAll too
	BodyTTL      int64 // how long its body is kept

	// DoWait: until the version is no longer Old, or Wait milliseconds are over.
	Wait int64

	// DoHash, DoCollect.
	Limit int64

	// DoForward: the request with Edit applied. Renew the claim (Shard, Name, Version) to Lease milliseconds every
	// third of it until the answer has been read; Lease 0 renews nothing. Stream: what is left of the visitor's
	// body is fed while it is sent.
	Edit   HeaderEdit
	Stream bool
	// DoForward: what was read of the visitor's body goes out as Strip makes it.
	Strip bool

	// DoCollect and DoRespond with SourceOrigin: the body goes through Pour.
	Inject bool

	// DoRespond. With SourceOrigin the answer has the origin's status and headers with Edit applied; Held is
	// applied as well as soon as a key was put in, and the head is held back for that (contract §6); a guarded one has
	// its status in Status. Otherwise
	// Status and Headers are the whole head, and Before and After stand around the body.
	Source        BodySource
	Status        int
	Headers       Headers
	Hold          bool
	Held, Altered HeaderEdit // Altered: where a page that was held has no form, but other bytes
	Inline        []byte
	Before, After []byte
	More          bool // the exchange goes on after the answer is sent
	KeepAll       bool // off the critical path: write Head and the sealed body to KV under Name, for TTL

	// What the log line says (contract §10); Outcome is "" for unguarded traffic, which has no line.
	Outcome string
	Rule    string
	Warning string // "subject-unstable": the answer set the cookie anew that the rule names as subject (contract §8); or what circular says
}

// Warns says whether the line of an answer in the log is one that somebody has to look at: nobody knows what the origin
// did, or the configuration does not fit the application.
func (e *Effect) Warns() bool { return e.Outcome == statusUnknown || e.Warning != "" }

// EventKind says what happened.
type EventKind byte

// The events. The host builds each with the time at which it happened.
const (
	EventHashed       EventKind = iota // Whole: the body ended; otherwise Limit was reached and more is to come
	EventSwapped                       // the write is durable
	EventRefused                       // something else is stored: Version, Head, Lease, HasBody
	EventChanged                       // as EventRefused
	EventTimedOut                      // nothing changed
	EventBusy                          // too many wait for this record already
	EventStoreFailed                   // the store cannot say whether it did it
	EventHead                          // the origin's answer begins: Status, Headers
	EventBody                          // it was read: Length as it goes out, TooLarge if it was cut off at Limit
	EventOriginFailed                  // no answer, or Length bytes of one; Sent if the request, or a part of it, may have reached the origin
	EventFound                         // Head and HasBody, or the frames of a body alone
	EventMissing                       // not there, or it could not be read
	EventKept                          //
	EventKeepFailed                    //
	EventTrail                         // Head: the entries, Length: how many there ever were
	EventForgotten                     //
	EventSent                          // the answer is on its way, the exchange may go on
	EventUndone                        // the commit was not written, and what the origin did was taken back with it
)

// Event is what happened, with the guard's time. Head is copied where it has to live on.
type Event struct {
	Kind       EventKind
	Now        int64 // unix milliseconds
	Whole      bool
	Version    Version
	Head       []byte
	HasBody    bool
	Mismatches int   // of this key so far
	Lease      int64 // milliseconds left by the store's clock; not positive: over
	Status     int
	Headers    Headers
	Length     int64
	TooLarge   bool
	Sent       bool
}

type stage byte

const (
	stageBody     stage = iota // the visitor's body is being read
	stageClaim                 // a swap that claims is under way
	stageWait                  // somebody else's claim runs
	stageDrain                 // a duplicate's large body is hashed to be compared
	stageFallback              // the store failed; KV may know the answer
	stageForward               // the origin works
	stageCollect               // the origin answers
	stageUpload                // it answered before the whole body was hashed
	stageKeep                  // a large answer is written to KV before the commit
	stageSettle                // a swap that commits or releases is under way
	stageReplay                // a large answer is read from KV
	stageLook                  // a wait link asks what is stored
	stageTrail                 // the trail of a key is read
	stageForget                // its records are forgotten
	stageHold                  // a page is held; a host may say that the origin failed before it was sent
	stageEnd
)

// Exchange is one request on its way through the guard: a value that takes what happened and says what to do
// next, so that the same decisions run at the edge, in a Go server and in the simulator. It does no I/O and
// holds no lock. One Exchange belongs to one request and is not safe for concurrent use; any number of them
// share a Guard.
//
// Begin gives the first effect, Next each further one, until a DoRespond without More. Feed, Pour, Seal and
// Open move bytes between two events.
type Exchange struct {
	guard *Guard
	rule  *Rule
	at    stage
	seed  seed

	// The request, as far as it is needed after the beginning.
	method    string // HTTP method
	scheme    string
	host      string
	path      string // normalised
	query     string
	region    byte
	visitor   string // "" without a cookie
	sameSite  bool   // the browser says that the request comes from the same origin
	htmx      bool
	shape     Shape
	language  Language
	back      string     // where the form can be opened again, "" if nobody said
	began     int64      // unix milliseconds
	now       int64      // of the event at hand
	length    int64      // Content-Length of the body, negative if unknown
	crossSite bool       // the browser says that another site sends this
	edit      HeaderEdit // for the request to the origin

	// The key and where its record is.
	keyText    string // until the origin has it
	minted     bool
	subject    string
	override   string
	repeat     bool
	root       scopeRoot
	shard      string
	shardPlace byte
	recordName [recordNameSize]byte
	trail      string
	notes      []byte // entries that wait to be kept
	trigger    Trigger
	client     int
	mismatches int // of this key so far, by the claim store
	tookOver   bool

	// The submission.
	submission  *Submission // nil once it is not needed any more
	size        int64       // bytes of it so far
	multipart   bool
	contentType string // of the body, kept for Strip
	large       bool   // the body did not end within the first MiB
	known       bool
	fingerprint Fingerprint
	digests     []FieldDigest

	// The claim, once it is ours.
	version Version
	attempt int
	claimed int64
	asked   int64 // when the claim store was asked for it, by this guard's clock
	late    bool  // its word came after the lease was over
	tries   int
	misses  int // waits that failed

	old     Version // what the claim replaces
	lapsed  bool    // only if its lease is over
	looking bool    // a wait link: the origin never runs

	waitedFor int // attempt that it waited for; 0 if it did not wait

	// Most of the time of an exchange is its origin's. What it needs before and after that only is memory of its
	// own, so that a thousand that wait do not take it.
	*met
	*ending
	effect *Effect
	spare  *spare
}

// met is what the record says that another request holds; nil before there is one.
type met struct {
	seen        Version
	lease       int64 // what is left of that claim, milliseconds
	hasBody     bool  // the host holds its sealed body
	other       Record
	otherSealer sealer
	shown       int64  // when the claim store was asked that showed it, by this guard's clock; 0 where it did not
	recalled    []byte // the plain body, where the guard recalls it
}

// ending is the origin's answer and what becomes of it; nil before there is one.
type ending struct {
	answer    Record // status and headers to keep, with the body's place once known
	raw       Headers
	tooLarge  bool
	inject    *Injector
	page      PagePlan
	ttl       int64
	verdict   Outcome
	settled   Version // of the write that commits or releases
	settledAt int64
	head      []byte
	body      sealer
	sent      bool // the visitor has the answer, the write is still being repeated

	recalledAs uint64 // the number under which the guard recalls it, 0 if it does not
}

// Limits of the exchange (contract §2 to §4).
const (
	CollectLimit = 1 << 20 // bytes of a request's body that are read before the claim
	InlineLimit  = 1 << 20 // bytes of an answer that travel inside the record
	clientShards = 32      // claim stores for keys that were not minted here
)

// seed makes as many unpredictable values as an exchange needs from the 32 random bytes that it began with. Most
// need one or two: these are the halves. The others are digests of both under the guard's secret, because a claim
// store sees the halves.
type seed struct {
	random [32]byte
	n      uint32
}

func (s *seed) next(secret []byte) (out [16]byte) {
	if s.n < 2 {
		copy(out[:], s.random[16*s.n:])
	} else {
		var room [partsRoom]byte
		n := [4]byte{byte(s.n >> 24), byte(s.n >> 16), byte(s.n >> 8), byte(s.n)}
		parts(room[:0]).bytes(secret).bytes(s.random[:]).bytes(n[:]).digest(out[:], &seedLabel)
	}
	s.n++
	return out
}

// fresh is the next value of the exchange's seed.
func (x *Exchange) fresh() [16]byte { return x.seed.next(x.guard.config.Secret) }

var seedLabel = newLabel("singleshot seed 1")

// takeSubmission gets memory for a submission: that of an earlier one, if there is any.
func (x *Exchange) takeSubmission() {
	var used **Submission
	switch {
	case x.guard.shared != nil:
		used = &x.guard.shared.submission
	case x.spare != nil:
		used = &x.spare.submission
	}
	if used != nil {
		x.submission, *used = *used, nil
	}
	if x.submission == nil {
		x.submission = new(Submission)
	}
	if x.guard.shared != nil {
		x.submission.json.room = &x.guard.shared.json
	}
}

// dropSubmission lets go of the submission's memory, which waits for the next exchange where there will be one.
func (x *Exchange) dropSubmission() {
	switch {
	case x.submission == nil:
	case x.guard.shared != nil && x.size <= FrameSize: // a large one may have grown
		x.guard.shared.submission = x.submission
	case x.spare != nil:
		x.spare.submission = x.submission
	}
	x.submission = nil
}

// Next takes what happened and returns what to do next. The effect is valid until the next call.
func (x *Exchange) Next(e *Event) *Effect {
	x.now = e.Now
	switch x.at {
	case stageBody:
		return x.onBody(e)
	case stageClaim:
		return x.onClaim(e)
	case stageWait:
		return x.onWait(e)
	case stageDrain:
		return x.onDrain(e)
	case stageFallback:
		return x.onFallback(e)
	case stageForward:
		return x.onForward(e)
	case stageCollect:
		return x.onCollect(e)
	case stageUpload:
		return x.onUpload(e)
	case stageKeep:
		return x.onKeep(e)
	case stageSettle:
		return x.onSettle(e)
	case stageLook:
		return x.onLook(e)
	case stageTrail:
		return x.onTrail(e)
	case stageForget:
		return x.onForget(e)
	case stageReplay:
		return x.onReplay(e)
	case stageHold:
		return x.originFailed(e.Sent)
	}
	return x.refuse(NoticeStore)
}

// do starts the next effect with everything else at its zero value.
func (x *Exchange) do(kind EffectKind) *Effect {
	switch {
	case x.guard.shared != nil:
		x.effect = &x.guard.shared.effect
	case x.effect == nil:
		x.effect = new(Effect)
	}
	*x.effect = Effect{Kind: kind}
	return x.effect
}

// Feed takes a piece of the visitor's body, in order.
func (x *Exchange) Feed(piece []byte) {
	x.size += int64(len(piece))
	if x.submission != nil {
		_, _ = x.submission.Write(piece) // a malformed body is sticky and found at EventHashed
	}
}

// Strip appends to dst what was read of the visitor's body, without its key (rule strip).
func (x *Exchange) Strip(dst, body []byte) []byte { return stripKey(dst, body, x.contentType) }

// Pour appends to dst what a piece of the origin's answer becomes on its way out; last marks the end.
func (x *Exchange) Pour(dst, piece []byte, last bool) []byte {
	if x.ending == nil || x.inject == nil {
		return append(dst, piece...)
	}
	dst = x.inject.Write(dst, piece)
	if last {
		dst = x.inject.Close(dst)
	}
	return dst
}

// Keyed says whether a key was put into the answer so far.
func (x *Exchange) Keyed() bool {
	return x.ending != nil && x.inject != nil && x.inject.Keyed() > 0
}

// Changed says whether the answer has other bytes than the origin's so far.
func (x *Exchange) Changed() bool {
	return x.ending != nil && x.inject != nil && x.inject.Changed()
}

// Seal appends one frame of the outgoing answer, sealed for the record that the last effect writes. Every
// frame but the last has FrameSize bytes.
func (x *Exchange) Seal(dst, frame []byte, last bool) []byte {
	if last && x.body.frame == 0 {
		x.rememberBody(frame)
	}
	return x.body.seal(dst, frame, last)
}

// Open appends one opened frame of the record's body. Every sealed frame but the last has SealedFrameSize
// bytes. ErrSealed means that the stored body cannot be trusted; nothing of it may go out.
func (x *Exchange) Open(dst, frame []byte, last bool) ([]byte, error) {
	if x.met == nil {
		return dst, ErrSealed
	}
	at, first := len(dst), x.otherSealer.frame == 0
	dst, err := x.otherSealer.open(dst, frame, last)
	if first && last && err == nil {
		x.rememberReplay(dst[at:])
	}
	return dst, err
}
