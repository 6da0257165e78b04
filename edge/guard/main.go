//go:build wasip1

// Program guard is core's exchange as exports for the host in edge/host: one wasm instance for each isolate,
// synchronous, with no I/O, no goroutine and no clock of its own. TinyGo and standard Go both build it, as a
// wasip1 reactor.
//
// Every call has one form: the handle of an exchange, how many bytes of input are in the buffer that the export of that
// name returned, and whether they are the last of a body. Its result is the address of four bytes of length and then
// the bytes, valid until the next call; 0 says that it cannot be done.
package main

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unsafe"

	"github.com/singleshot-edge/singleshot/core"
)

// abandonedAfter is when an exchange that has not moved is taken for dead: a request that the platform cancelled
// does not say so. It is far above what the longest lease and wait allow between two events.
const abandonedAfter = 15 * 60 * 1000

var (
	input, output []byte
	guard         *core.Guard
	bound         bool // the application is the service binding ORIGIN
	rooms         []*room
	free          uint32 // the first handle to give out again, 0 if there is none
	swept         int64
)

// room has places for exchanges. It never moves: in a heap where what lives lies between what is gone, a list that
// outgrows its place finds none, and the memory doubles.
type room [16]slot

type slot struct {
	x      *core.Exchange
	handle uint32          // of the exchange that has the place, 0 if none has
	asked  core.EffectKind // what the host was told to do last, where core wanted it
	errand *errand         // what it does beside that, nil mostly
	moved  int64           // unix milliseconds of its last event
	next   uint32          // of a free place: the next free handle
}

// A handle is a place, counted from one, and above it how often the place was given out before: who comes back after
// the exchange was dropped does not meet another one.
const turn = 1 << 16

func place(handle uint32) *slot {
	i := handle%turn - 1
	return &rooms[i/uint32(len(room{}))][i%uint32(len(room{}))]
}

func main() {}

//go:wasmexport buffer
func buffer(n uint32) uint32 {
	if uint32(cap(input)) < n {
		input = make([]byte, n, n+n/2)
	}
	input = input[:max(n, 1)]
	return address(input)
}

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// result starts a result: four bytes are left for the length.
func result() []byte { return append(output[:0], 0, 0, 0, 0) }

// give returns the address of a result that result started. Large buffers are not kept.
func give(b []byte) uint32 {
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	output = b
	at := address(b)
	if cap(b) > 256<<10 {
		output = nil // read before the next allocation
	}
	if cap(input) > 256<<10 {
		input = nil
	}
	return at
}

// configure reads the Worker's variables, name and value in turn, each ended by NUL but the last. It says each fault on
// a line of its own, where the last words of a runtime go too: the log.
//
//go:wasmexport configure
func configure(_, n, _ uint32) uint32 {
	parts := strings.Split(string(input[:n]), "\x00")
	config, faults := core.ParseConfig(func(name string) string {
		for i := 0; i+1 < len(parts); i += 2 {
			if parts[i] == name {
				return parts[i+1]
			}
		}
		return ""
	})
	for i := 0; i < len(parts); i += 2 {
		bound = bound || parts[i] == "ORIGIN"
	}
	guard = core.NewGuard(config, faults).Recalling(new(core.Recall))
	guard.Share() // tell copies an effect before anything else is asked
	for _, fault := range faults {
		println(fault.Error())
	}
	return give(result())
}

// begin takes lines: time, method, URL, continent, longitude, and name and value of each header in turn; then 32
// random bytes.
//
//go:wasmexport begin
func begin(_, n, _ uint32) uint32 {
	var random [32]byte
	end := n - uint32(copy(random[:], input[n-32:n]))
	lines := lineReader(string(input[:end]))
	now, _ := strconv.ParseInt(lines.next(), 10, 64)
	request := core.Request{Method: lines.next(), URL: lines.next(), Length: -1}
	continent := lines.next()
	request.Region = core.RegionNear(continent, lines.next())
	request.Headers = lines.headers()
	if length, err := strconv.ParseInt(request.Headers.Get("Content-Length"), 10, 64); err == nil && length >= 0 {
		request.Length = length
	}
	request.Outward = !bound || guard.OriginURL() != ""
	sweep(now)
	x, effect := guard.Begin(&request, now, random)
	return carry(hold(x, now), effect, now)
}

// lineReader reads lines one by one.
type lineReader string

func (l *lineReader) next() string {
	line, rest, _ := strings.Cut(string(*l), "\n")
	*l = lineReader(rest)
	return line
}

func (l *lineReader) headers() core.Headers {
	h := make(core.Headers, 0, (strings.Count(string(*l), "\n")+1)/2)
	for *l != "" {
		name := l.next()
		h = append(h, core.Header{Name: name, Value: l.next()})
	}
	return h
}

// hold gives an exchange a handle.
func hold(x *core.Exchange, now int64) uint32 {
	if free == 0 {
		first := uint32(len(rooms)*len(room{})) + 1
		rooms = append(rooms, new(room))
		for handle := first + uint32(len(room{})) - 1; handle >= first; handle-- {
			place(handle).next, free = free, handle
		}
	}
	handle := free
	free = place(handle).next
	*place(handle) = slot{x: x, handle: handle, moved: now}
	return handle
}

// sweep drops the exchanges of requests that were cancelled.
func sweep(now int64) {
	if now-swept < abandonedAfter/4 {
		return
	}
	swept = now
	for _, r := range rooms {
		for i := range r {
			if r[i].x != nil && now-r[i].moved > abandonedAfter {
				drop(r[i].handle, 0, 0)
			}
		}
	}
}

// held returns the exchange of a handle, or nil.
func held(handle uint32) *core.Exchange {
	if i := handle % turn; i == 0 || i > uint32(len(rooms)*len(room{})) || place(handle).handle != handle {
		return nil
	}
	return place(handle).x
}

// drop may be called of an exchange that is gone.
//
//go:wasmexport drop
func drop(handle, _, _ uint32) uint32 {
	if held(handle) != nil {
		*place(handle) = slot{next: free}
		free = handle + turn
	}
	return give(result())
}

// next takes what happened, as readEvent reads it.
//
//go:wasmexport next
func next(handle, n, _ uint32) uint32 {
	x := held(handle)
	if x == nil {
		return 0
	}
	s := place(handle)
	event, said, ok := readEvent(s.asked, input[:n])
	if !ok {
		return 0
	}
	s.moved = event.Now
	if s.errand != nil {
		return s.errand.next(handle, x, &event, said)
	}
	return carry(handle, x.Next(&event), event.Now)
}

// feed takes a piece of the visitor's body. An exchange that is gone does not need it.
//
//go:wasmexport feed
func feed(handle, n, _ uint32) uint32 {
	if x := held(handle); x != nil {
		x.Feed(input[:n])
	}
	return give(result())
}

// strip takes what was read of the visitor's body, whole.
//
//go:wasmexport strip
func strip(handle, n, _ uint32) uint32 {
	x := held(handle)
	if x == nil {
		return 0
	}
	return give(x.Strip(result(), input[:n]))
}

//go:wasmexport pour
func pour(handle, n, last uint32) uint32 {
	x := held(handle)
	if x == nil {
		return 0
	}
	return give(x.Pour(result(), input[:n], last != 0))
}

// keyed says whether a key was put into the answer so far, by a byte that is 1 or 0.
//
//go:wasmexport keyed
func keyed(handle, _, _ uint32) uint32 {
	x := held(handle)
	if x == nil {
		return 0
	}
	if x.Keyed() {
		return give(append(result(), 1))
	}
	return give(append(result(), 0))
}

//go:wasmexport seal
func seal(handle, n, last uint32) uint32 {
	x := held(handle)
	if x == nil {
		return 0
	}
	return give(x.Seal(result(), input[:n], last != 0))
}

//go:wasmexport open
func open(handle, n, last uint32) uint32 {
	x := held(handle)
	if x == nil {
		return 0
	}
	out, err := x.Open(result(), input[:n], last != 0)
	if err != nil {
		return 0
	}
	return give(out)
}
