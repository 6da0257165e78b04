// Command check is what a TinyGo must be able to compile before the build
// trusts it: an exported function and a package that needs the heap.
package main

import "strconv"

var text []byte

// digits writes n in decimal into memory and returns how many bytes it took.
//
//go:wasmexport digits
func digits(n int32) int32 {
	text = strconv.AppendInt(nil, int64(n), 10)
	return int32(len(text))
}

func main() {}
