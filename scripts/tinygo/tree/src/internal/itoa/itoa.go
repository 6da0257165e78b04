// Package itoa turns integers into decimal text. TinyGo's own packages import
// it; Go 1.26 no longer has it.
package itoa

// Itoa returns v in decimal.
func Itoa(v int) string {
	if v >= 0 {
		return Uitoa(uint(v))
	}
	// Unsigned negation is right for the smallest int too.
	return "-" + Uitoa(-uint(v))
}

// Uitoa returns v in decimal.
func Uitoa(v uint) string {
	var digits [20]byte // 1<<64 - 1 has 20 digits
	at := len(digits)
	for {
		at--
		digits[at] = '0' + byte(v%10)
		if v /= 10; v == 0 {
			return string(digits[at:])
		}
	}
}
