// Package constanttime replaces Go's, whose functions rest on an intrinsic that this TinyGo does not know: it
// would trap at the first comparison. Arithmetic alone, no branch, so the time does not depend on the values.
package constanttime

// Select returns x if v is not 0, and y if it is.
func Select(v, x, y int) int {
	m := int(uint(v|-v)>>(intSize-1)) - 1 // 0 for v != 0, else all ones
	return x&^m | y&m
}

const intSize = 32 << (^uint(0) >> 63)

// ByteEq returns 1 if x == y, else 0.
func ByteEq(x, y uint8) int { return int((uint32(x^y) - 1) >> 31) }

// Eq returns 1 if x == y, else 0.
func Eq(x, y int32) int { return int((uint64(uint32(x^y)) - 1) >> 63) }

// LessOrEq returns 1 if x <= y, else 0, for values from 0 to 1<<31 - 1.
func LessOrEq(x, y int) int { return int((uint64(int64(x)-int64(y)-1) >> 63)) }
