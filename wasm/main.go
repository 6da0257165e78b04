//go:build wasip1

// Program wasm is the deciding half of the browser module: core's fingerprint and package page as exports for
// page.js. One instance serves a tab as long as it lives; it starts no goroutine and asks no system for anything.
//
// A call takes its input from the buffer that the export of that name returns. A result is the address of four
// bytes of length and then the bytes, valid until the next call.
package main

import (
	"encoding/binary"
	"strings"
	"unsafe"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/wasm/page"
)

// pieceSize is how much crosses at a time.
const pieceSize = 64 << 10

var (
	input  [pieceSize]byte
	output [4 + 8<<10]byte // larger than what Save writes
	tab    page.Page
	form   core.Entries
	// The fingerprints of the submit that is looked at, and whether they are known.
	sent, looks           core.Fingerprint
	sentKnown, looksKnown bool
)

func main() {}

// buffer is where input goes: 64 KiB.
//
//go:wasmexport buffer
func buffer() uint32 { return uint32(uintptr(unsafe.Pointer(&input))) }

func text(n uint32) string { return string(input[:n]) }

// fields cuts input at line ends.
func fields(n uint32) []string { return strings.Split(text(n), "\n") }

// number reads a status. strconv would do it in 8 KB.
func number(s string) (n int) {
	for i := 0; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

func give(b []byte) uint32 {
	binary.LittleEndian.PutUint32(output[:], uint32(len(b)))
	copy(output[4:], b)
	return uint32(uintptr(unsafe.Pointer(&output)))
}

// open begins a form: method, path and query on a line each, then names to leave out.
//
//go:wasmexport open
func open(n uint32) {
	lines := fields(n)
	form.Reset(core.SubmissionOptions{
		Method: lines[0], Path: core.NormalPath(lines[1]), Query: lines[2],
		KeyField: core.KeyFieldName, Ignore: lines[3:],
	})
}

// field begins a text: input is its name. Pieces of its value follow, and an end.
//
//go:wasmexport field
func field(n uint32) { form.Text(input[:n]) }

// file begins a file: the name of its field is the first part of input, its own the rest.
//
//go:wasmexport file
func file(name, n uint32) { form.File(input[:name], input[name:n]) }

//go:wasmexport piece
func piece(n uint32) { form.Content(input[:n]) }

//go:wasmexport end
func end() { form.End() }

// close ends the form: as what is sent (0), or as what it looks like without its button (1).
//
//go:wasmexport close
func closeForm(which uint32) {
	f, err := form.Fingerprint()
	if which == 0 {
		sent, sentKnown = f, err == nil
	} else {
		looks, looksKnown = f, err == nil
	}
}

// sum returns the fingerprint of what is sent, as close(0) has left it.
//
//go:wasmexport sum
func sum() uint32 { return give(sent[:]) }

// place reads a place out of input: method, override, path, "1" where the submit was in repeat mode, and the key, on a
// line each.
func place(n uint32) page.Place {
	l := strings.SplitN(text(n), "\n", 5)
	return page.Place{Method: l[0], Override: l[1], Path: core.NormalPath(l[2]), Repeat: l[3] == "1", Key: l[4]}
}

// known gives a fingerprint away, or nil.
func known(f *core.Fingerprint, is *bool) *core.Fingerprint {
	if !*is {
		f = nil
	}
	*is = false
	return f
}

// submit takes a submit to the place in input with what close has left; flags are 1 a second look, 2 from a script,
// 4 unsure, 8 large. The result has four bytes, from below: the verdict, which submit of its key it is, the word to
// say, and 1 for repeat mode.
//
//go:wasmexport submit
func submit(n, flags uint32) uint32 {
	s := page.Submit{
		Place: place(n), Weight: page.Weight(flags >> 2), Script: flags&2 != 0, Again: flags&1 != 0,
		Sent: known(&sent, &sentKnown), Form: known(&looks, &looksKnown),
	}
	verdict, press, repeat := tab.Submit(s)
	s.Repeat = repeat
	result := uint32(verdict) | uint32(press)<<8 | uint32(page.Say(verdict, tab.State(s.Place), true))<<16
	if repeat {
		result |= 1 << 24
	}
	return result
}

// edit returns the word for the form at the place in input as close(1) has left it.
//
//go:wasmexport edit
func edit(n uint32) uint32 {
	v := page.Again
	if f := known(&looks, &looksKnown); f != nil {
		v = tab.Edit(place(n), f)
	}
	return uint32(page.Say(v, tab.State(place(n)), false))
}

// adopt returns 1 if the form as close(1) has left it, whose key is the first part of input, goes on with the key of
// the place in the rest.
//
//go:wasmexport adopt
func adopt(key, n uint32) uint32 {
	f := known(&looks, &looksKnown)
	own := text(key)
	copy(input[:], input[key:n])
	if f != nil && tab.Adopt(place(n-key), own, f) {
		return 1
	}
	return 0
}

//go:wasmexport state
func state(n uint32) uint32 { return uint32(tab.State(place(n))) }

//go:wasmexport leave
func leave(n, away uint32) { tab.Leave(place(n), away != 0) }

// answer takes status, Idempotency-Status, where it led and the path that was posted to, on a line each, and then the
// place of the submit; flags are 1 replayed, 2 redirected, 4 appends, 8 a download. The result has 1 spent, 2 hint,
// 4 skip.
//
//go:wasmexport answer
func answer(head, n, flags uint32) uint32 {
	lines := fields(head)
	copy(input[:], input[head:n])
	do := tab.Answer(place(n-head), page.Answer{
		Status: number(lines[0]), Word: lines[1], Place: lines[2], Posted: lines[3],
		Replayed: flags&1 != 0, Redirected: flags&2 != 0, Appends: flags&4 != 0, Attachment: flags&8 != 0,
	})
	var bits uint32
	for i, set := range [...]bool{do.Spent, do.Hint, do.Skip} {
		if set {
			bits |= 1 << i
		}
	}
	return bits
}

// land takes status, place and path on a line each; flags are 1 redirected, 2 invalid, 4 traversed.
//
//go:wasmexport land
func land(n, flags uint32) {
	lines := fields(n)
	tab.Land(page.Landing{
		Status: number(lines[0]), Place: lines[1], Posted: lines[2],
		Redirected: flags&1 != 0, Invalid: flags&2 != 0, Traversed: flags&4 != 0,
	})
}

// say returns a text in the language in input.
//
//go:wasmexport say
func say(word, n uint32) uint32 { return give([]byte(page.Text(page.Word(word), text(n)))) }

// client returns the value of Idempotency-Client; the trigger is in input.
//
//go:wasmexport client
func client(press, n uint32) uint32 { return give([]byte(page.Client(int(press), text(n)))) }

//go:wasmexport save
func save() uint32 {
	var room [8 << 10]byte
	return give(tab.Save(room[:0]))
}

//go:wasmexport load
func load(n uint32) { tab.Load(input[:n]) }
