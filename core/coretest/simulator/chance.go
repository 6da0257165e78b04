package simulator

import "math/bits"

// chance is the only source of what is random in a simulation: a wyrand generator, one multiplication a number.
// It is no cryptography; it has to be cheap, and the same for the same seed on every machine.
type chance uint64

func newChance(seed uint64) chance {
	c := chance(seed*0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d)
	c.next() // seeds that differ in a few bits part here
	return c
}

func (c *chance) next() uint64 {
	*c += 0xa0761d6478bd642f
	high, low := bits.Mul64(uint64(*c), uint64(*c)^0xe7037ed1a0b428db)
	return high ^ low
}

// below is a number from 0 to n-1; 0 for n below 1.
func (c *chance) below(n int64) int64 {
	if n < 1 {
		return 0
	}
	high, _ := bits.Mul64(c.next(), uint64(n))
	return int64(high)
}

// pick is below for indices.
func (c *chance) pick(n int) int { return int(c.below(int64(n))) }

// between is a number from low to high, both included.
func (c *chance) between(low, high int64) int64 { return low + c.below(high-low+1) }

// odds are a probability in parts of 65536.
type odds uint32

func percent(p float64) odds { return odds(p / 100 * 65536) }

func (c *chance) hits(o odds) bool { return o > 0 && odds(c.next()>>48) < o }

// bytes32 is what an exchange begins with.
func (c *chance) bytes32() (out [32]byte) {
	for i := 0; i < 32; i += 8 {
		v := c.next()
		for j := range 8 {
			out[i+j] = byte(v >> (8 * j))
		}
	}
	return out
}
