package exact

import "math"

// An Expansion is a sum of float64 values, exactly: terms of growing magnitude
// of which no two share a bit (J. R. Shewchuk, "Adaptive Precision
// Floating-Point Arithmetic", 1997). It is short where the values are of like
// magnitude, however many they are. The zero value is 0. Values and sums must be
// finite; what is below the smallest float64 is lost.
type Expansion struct{ term []float64 }

// Add adds x.
func (e *Expansion) Add(x float64) {
	n := 0
	for _, y := range e.term {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		sum := x + y
		if rest := y - (sum - x); rest != 0 {
			e.term[n] = rest
			n++
		}
		x = sum
	}
	e.term = e.term[:n]
	if x != 0 {
		e.term = append(e.term, x)
	}
}

// AddProduct adds x·y, which is not rounded.
func (e *Expansion) AddProduct(x, y float64) {
	p := x * y
	if rest := math.FMA(x, y, -p); rest != 0 {
		e.Add(rest)
	}
	e.Add(p)
}

// AddMultiple adds k·x.
func (e *Expansion) AddMultiple(k Sum, x float64) {
	if k.hi == int64(k.lo)>>63 && k.lo+1<<53 <= 1<<54 {
		e.AddProduct(float64(int64(k.lo)), x)
		return
	}
	e.AddProduct(float64(k.hi)*0x1p64, x)
	e.AddProduct(float64(k.lo>>32)*0x1p32, x)
	e.AddProduct(float64(k.lo&math.MaxUint32), x)
}

// AddExpansion adds o.
func (e *Expansion) AddExpansion(o Expansion) {
	for _, x := range o.term {
		e.Add(x)
	}
}

// Clone returns a sum of its own.
func (e Expansion) Clone() Expansion { return Expansion{append([]float64(nil), e.term...)} }

// Compare returns -1, 0 or +1 for e < o, e = o or e > o.
func (e Expansion) Compare(o Expansion) int {
	difference := e.Clone()
	for _, x := range o.term {
		difference.Add(-x)
	}
	if n := len(difference.term); n > 0 {
		return int(math.Copysign(1, difference.term[n-1]))
	}
	return 0
}

// Float returns the sum rounded once, ties to even.
func (e Expansion) Float() float64 {
	n := len(e.term) - 1
	if n < 0 {
		return 0
	}
	sum, rest := e.term[n], 0.0
	for n > 0 && rest == 0 {
		n--
		x := sum
		sum = x + e.term[n]
		rest = e.term[n] - (sum - x)
	}
	// The rest may be half of the last bit, and decided by what is below it.
	if n > 0 && (rest < 0) == (e.term[n-1] < 0) {
		if twice := sum + 2*rest; twice-sum == 2*rest {
			sum = twice
		}
	}
	return sum
}
