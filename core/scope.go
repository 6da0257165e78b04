package core

// This file leads from the visitor's body to its record: key, fingerprint, scope, and the claim store that keeps it.

// onBody has the first piece of the body, or all of it: the key must stand in it (contract §2).
func (x *Exchange) onBody(e *Event) *Effect {
	rule, s := x.rule, x.submission
	var malformed error
	var minted Key
	if e.Whole {
		malformed = s.Close()
	}
	if rule.Key.Kind == KeyField || rule.Key.Kind == KeyPointer {
		key, found := s.Key()
		if found && rule.Key.Kind == KeyPointer {
			if key, found = eventID(key); !found {
				return x.refuse(NoticeBadKey)
			}
		}
		if found && rule.Key.Kind == KeyField {
			var err error
			minted, x.minted, err = OpenKey(key, x.guard.secrets...)
			if err != nil {
				return x.refuse(NoticeForgedKey)
			}
			found = x.minted || rule.MintByOrigin && isOriginKey(key)
		}
		if !found {
			if malformed != nil && (rule.Required || s.fields.keySeen) {
				return x.refuse(NoticeBadBody)
			}
			return x.keyless()
		}
		x.keyText = key
		if x.crossSite {
			return x.refuse(NoticeCrossSite)
		}
	}
	switch {
	case malformed == ErrTooManyFields:
		return x.refuse(NoticeTooLarge)
	case malformed != nil:
		return x.refuse(NoticeBadBody)
	case x.subject == noSubject:
		return x.refuse(NoticeNoSubject)
	case rule.MaxBody > 0 && (x.length > rule.MaxBody || x.length < 0 && !e.Whole || x.size > rule.MaxBody):
		return x.refuse(NoticeTooLarge)
	}
	x.large = !e.Whole
	if override := s.Override(); override != "" {
		x.override = override
	}
	x.repeat = x.repeat || updates(x.override) && rule.Key.Kind == KeyField || x.minted && minted.repeats(x.method, x.path)
	if !x.large {
		x.joinFingerprint()
	}
	x.repeat = x.repeat && x.known // a body over 1 MiB keeps the once rule (contract §1)
	x.locate()
	if x.minted {
		x.shardPlace, x.shard = minted.store()
	}
	if x.recalls() {
		return x.replay()
	}
	return x.claim(Version{}, 1, false)
}

// joinFingerprint takes the fingerprint of a body that has been read whole.
func (x *Exchange) joinFingerprint() {
	x.known = true
	x.fingerprint = x.submission.Fingerprint()
	x.digests = x.submission.digestsIn(x.spare.fieldDigests())
	if x.spare != nil {
		x.spare.digests = x.digests
	}
}

// locate finds the record: the scope is subject × form, in repeat mode with the fingerprint (contract §1). A minted key
// says itself which claim store it is in.
func (x *Exchange) locate() {
	var room [partsRoom]byte
	p := parts(room[:0])
	p = p.text(x.subject)
	p = p.text(x.method)
	p = p.text(x.override)
	p = p.text(x.path)
	p = p.text(x.keyText)
	if x.repeat {
		p = p.bytes(x.fingerprint[:])
	}
	p.digest(x.root[:], &scopeLabel)
	x.recordName = x.root.name()
	if x.spare != nil {
		x.spare.name = nameText(&x.recordName)
	}
	x.trail = trailName(x.keyText)
	if !x.minted {
		x.shardPlace, x.shard = x.guard.region, clientShard(x.guard.region, x.trail)
	}
}

var scopeLabel = newLabel("singleshot scope 1")

// clientShard is the claim store of a key that was not minted here: one of a fixed number in one region, the
// same for all records of the key, so that its trail is found by the key alone (contract §2).
func clientShard(region byte, trail string) string {
	return shardName(region, uint16(trail[0]^trail[1])%clientShards)
}

func (x *Exchange) address(do *Effect) {
	do.Shard, do.Region, do.Name, do.Trail = x.shard, x.shardPlace, x.name(), x.trail
}

// name is the record's, as stores know it. A new exchange does not keep it, because most that wait do nothing else.
func (x *Exchange) name() string {
	if x.spare != nil {
		return x.spare.name
	}
	return nameText(&x.recordName)
}

// nameText is the name of a record or a trail as text, made with one allocation.
func nameText(name *[recordNameSize]byte) string {
	var text [recordNameSize / 3 * 4]byte
	text64.Encode(text[:], name[:])
	return string(text[:])
}
