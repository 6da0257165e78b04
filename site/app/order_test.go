package app

import (
	"strings"
	"testing"
)

func TestReadAmount(t *testing.T) {
	tests := []struct {
		why   string
		text  string
		want  int64
		fault fault
	}{
		{"a plain number", "2400", 2400, fine},
		{"the least", "1", 1, fine},
		{"the most", "1000000", 1000000, fine},
		{"space around it", " 2400\t", 2400, fine},
		{"thousands separators", "1,000,000", 1000000, fine},
		{"a yen sign", "¥2,400", 2400, fine},
		{"as a Japanese keyboard types it", "２４００", 2400, fine},
		{"with everything full-width", "￥２，４００円", 2400, fine},
		{"leading zeros", "0000000000002400", 2400, fine},
		{"nothing", "", 0, noAmount},
		{"only space", "   ", 0, noAmount},
		{"only a sign", "¥", 0, noAmount},
		{"a word", "ten", 0, notANumber},
		{"a kanji number", "十", 0, notANumber},
		{"a fraction", "2400.50", 0, notANumber},
		{"a sign", "-5", 0, notANumber},
		{"hex", "0x10", 0, notANumber},
		{"an exponent", "1e3", 0, notANumber},
		{"two numbers", "2400 1", 0, notANumber},
		{"a separator in the wrong place", "24,00", 0, notANumber},
		{"a group too long", "2400,000", 0, notANumber},
		{"a separator at the end", "2,", 0, notANumber},
		{"bytes that are not UTF-8", "24\xff", 0, notANumber},
		{"markup", "<b>1</b>", 0, notANumber},
		{"zero", "0", 0, outOfRange},
		{"one too many", "1000001", 0, outOfRange},
		{"beyond any integer", strings.Repeat("9", 400), 0, outOfRange},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, f := readAmount(tt.text)
			if got != tt.want || f != tt.fault {
				t.Errorf("readAmount(%q) = %d, %d; want %d, %d", tt.text, got, f, tt.want, tt.fault)
			}
		})
	}
}

func TestReadEntryChecksBothFields(t *testing.T) {
	tests := []struct {
		why   string
		entry entry
		want  faults
	}{
		{"a fresh form places an order", blank, faults{}},
		{"an item that is not in the list", entry{item: "yacht", amount: "1"}, faults{item: unknownItem}},
		{"no item", entry{item: "", amount: "1"}, faults{item: unknownItem}},
		{"both wrong", entry{item: "Coffee", amount: "x"}, faults{item: unknownItem, amount: notANumber}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if _, got := tt.entry.read(); got != tt.want {
				t.Errorf("read(%v) = %v; want %v", tt.entry, got, tt.want)
			}
		})
	}
}

func TestYenHasSeparators(t *testing.T) {
	for amount, want := range map[int64]string{1: "¥1", 999: "¥999", 2400: "¥2,400", 1000000: "¥1,000,000"} {
		if got := yen(amount); got != want {
			t.Errorf("yen(%d) = %q; want %q", amount, got, want)
		}
	}
}

// What a receipt shows can be typed again.
func FuzzReadAmount(f *testing.F) {
	for _, text := range []string{"2400", "２，４００円", "1,000", "-1", "¥"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, bad := readAmount(text)
		if bad != fine {
			return
		}
		if amount < minAmount || amount > maxAmount {
			t.Fatalf("readAmount(%q) = %d; want it in range", text, amount)
		}
		if again, bad := readAmount(yen(amount)); again != amount || bad != fine {
			t.Errorf("readAmount(%q) = %d, %d; want %d again", yen(amount), again, bad, amount)
		}
	})
}
