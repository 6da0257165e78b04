package core

import (
	"encoding/binary"

	"github.com/cloudflare/circl/cipher/ascon"
)

// waitPath is where a duplicate whose wait budget ran out goes on waiting (contract §1.3).
const waitPath = "wait/"

// waitToken is what a wait link carries, sealed: what the duplicate was, but for its subject, which the next
// request has to bring again. So the link is worth nothing to another visitor.
type waitToken struct {
	method, override, path, keyText string
	repeat, known                   bool
	fingerprint                     Fingerprint
	attempt                         int   // that it waited for
	expires                         int64 // unix milliseconds
}

// waitLink is the address at which this duplicate goes on waiting.
func (x *Exchange) waitLink() string {
	var flags byte
	for i, set := range [...]bool{x.repeat, x.known} {
		if set {
			flags |= 1 << i
		}
	}
	plain := []byte{flags}
	plain = binary.AppendUvarint(plain, uint64(x.now+int64(x.rule.TTL)*1000))
	plain = binary.AppendUvarint(plain, uint64(x.waitedFor))
	plain = appendText(plain, x.method)
	plain = appendText(plain, x.override)
	plain = appendText(plain, x.path)
	plain = appendText(plain, x.keyText)
	plain = append(plain, x.fingerprint[:]...)
	nonce := x.fresh()
	return OwnPath + waitPath + text64.EncodeToString(newCipher(&x.guard.sealing[0].wait).Seal(nonce[:], nonce[:], plain, nil))
}

func (g *Guard) openWait(text string) (t waitToken, ok bool) {
	raw, err := text64.DecodeString(text)
	if err != nil || len(raw) < ascon.NonceSize+ascon.TagSize {
		return t, false
	}
	for i := range g.sealing {
		plain, err := newCipher(&g.sealing[i].wait).Open(nil, raw[:ascon.NonceSize], raw[ascon.NonceSize:], nil)
		if err != nil {
			continue
		}
		d := decoder{rest: plain}
		flags := d.byte()
		t.repeat, t.known = flags&1 != 0, flags&2 != 0
		t.expires = int64(d.uint(1 << 62))
		t.attempt = int(d.uint(1 << 31))
		t.method, t.override, t.path, t.keyText = d.text(), d.text(), d.text(), d.text()
		copy(t.fingerprint[:], d.take(len(t.fingerprint)))
		return t, !d.failed && len(d.rest) == 0
	}
	return t, false
}

// look resumes the duplicate of a wait link: it waits on, replays, or says that nothing was sent. It never
// runs the origin.
func (x *Exchange) look(token string, h Headers) *Effect {
	t, ok := x.guard.openWait(token)
	if !ok || t.expires < x.now {
		return x.refuse(NoticeNotFound)
	}
	x.rule = x.guard.config.Rules.Find(t.method, t.path)
	if x.rule == nil {
		return x.refuse(NoticeNotFound)
	}
	subject, ok := x.rule.Subject.Find(h, x.visitor)
	if !ok && x.rule.Subject.Kind != SubjectVisitor {
		return x.refuse(NoticeNoSubject)
	}
	x.subject, x.looking = subject, true
	x.method, x.override, x.path, x.keyText, x.query = t.method, t.override, t.path, t.keyText, ""
	x.repeat, x.known, x.fingerprint, x.waitedFor = t.repeat, t.known, t.fingerprint, t.attempt
	key, minted, err := OpenKey(t.keyText, x.guard.secrets...)
	if err != nil {
		return x.refuse(NoticeForgedKey) // without the key's own word its record would be looked for elsewhere
	}
	x.minted = minted
	x.locate()
	if minted {
		x.shardPlace, x.shard = key.store()
	}
	return x.read()
}

// read asks what is stored without a wish to change it.
func (x *Exchange) read() *Effect {
	x.at = stageLook
	do := x.do(DoWait)
	x.address(do)
	return do
}

func (x *Exchange) onLook(e *Event) *Effect {
	switch e.Kind {
	case EventTimedOut: // absent
		return x.notSent()
	case EventChanged:
		return x.meetRecord(e)
	case EventBusy:
		return x.running()
	}
	return x.refuse(NoticeStore)
}

// notSent says at a wait link that the submission did not go through: its form can be sent again. Where the run
// that it waited for was lost, nobody knows whether it did.
func (x *Exchange) notSent() *Effect {
	if x.met != nil && (x.other.State == Claimed || x.other.Unknown) {
		return x.noAnswer(statusUnknown)
	}
	return x.give(x.notice(NoticeReleased), statusReleased)
}
