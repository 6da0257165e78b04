package app

import (
	"strconv"
	"strings"
)

// decimal writes a number without separators.
func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// thousands writes a number with separators: "12,000".
func thousands(n int64) string {
	digits := decimal(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// yen writes an amount: "¥2,400".
func yen(amount int64) string { return "¥" + thousands(amount) }

// quantity reads a number from 1 to 99, 0 if it is none.
func quantity(text string) int64 {
	n, err := strconv.Atoi(strings.Map(narrow, strings.TrimSpace(text)))
	if err != nil || n < 1 || n > 99 {
		return 0
	}
	return int64(n)
}
