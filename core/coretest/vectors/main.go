//go:build wasip1

// Program vectors computes fingerprints for scripts/engines.mjs, so that the shared vectors run through core as
// each compiler builds it.
package main

import (
	"encoding/hex"
	"strings"
	"unsafe"

	"github.com/singleshot-edge/singleshot/core"
)

var input, output []byte

func main() {}

//go:wasmexport buffer
func buffer(n uint32) uint32 {
	input = make([]byte, max(n, 1))
	return uint32(uintptr(unsafe.Pointer(&input[0])))
}

// vector takes lines: method, path, query, Content-Type, Content-Encoding, key field, JSON pointer of the key,
// "htmx" or nothing, names to ignore set off by tabs; then, from head on, the body. It returns the address of
// the answer, which ends with a NUL: "error", or the fingerprint in hex, and after a space the key where one
// was found, in hex too.
//
//go:wasmexport vector
func vector(head, n uint32) uint32 {
	line := strings.Split(string(input[:head]), "\n")
	options := core.SubmissionOptions{
		Method: line[0], Path: line[1], Query: line[2], ContentType: line[3], ContentEncoding: line[4],
		KeyField: line[5], JSONKey: line[6], HTMX: line[7] == "htmx",
	}
	if line[8] != "" {
		options.Ignore = strings.Split(line[8], "\t")
	}
	var s core.Submission
	s.Reset(options)
	// Cut somewhere, and never in the same place.
	body := input[head:n]
	cut := len(body) * int(head%7) / 7
	_, _ = s.Write(body[:cut])
	_, _ = s.Write(body[cut:])
	if s.Close() != nil {
		output = []byte("error\x00")
	} else {
		sum := s.Fingerprint()
		output = append(hex.AppendEncode(nil, sum[:]), 0)
	}
	if key, found := s.Key(); found {
		output = append(hex.AppendEncode(append(output[:len(output)-1], ' '), []byte(key)), 0)
	}
	return uint32(uintptr(unsafe.Pointer(&output[0])))
}
