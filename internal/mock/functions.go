package mock

import "math"

// The elementary functions of package math are not the same to the last bit on
// every platform: some have assembly, and compilers for some processors fuse
// multiply and add in the others. These use only +, -, *, / and square root,
// each rounded on its own (a conversion of a product keeps it from being
// fused). They are good to a few units in the last place.

const (
	degree  = math.Pi / 180
	ln2High = 0x1.62e42fefa38p-1 // 11 zero bits at the end: exact times any exponent
	ln2Low  = 0x1.ef35793c7673p-45
	ln10    = 2.302585092994045684
)

// series returns c₀ + c₁z + c₂z² + …
func series(z float64, c []float64) float64 {
	sum := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		sum = float64(sum*z) + c[i]
	}
	return sum
}

// The coefficients of Taylor series, to beyond the last place.
var (
	atanhTerms [13]float64 // 1/(2i+1)
	atanTerms  [13]float64 // (-1)ⁱ/(2i+1)
	sinTerms   [10]float64 // (-1)ⁱ/(2i+1)!
	cosTerms   [10]float64 // (-1)ⁱ/(2i)!
	expTerms   [16]float64 // 1/i!
)

func init() {
	sign := 1.0
	for i := range atanTerms {
		atanhTerms[i] = 1 / float64(2*i+1)
		atanTerms[i] = sign / float64(2*i+1)
		sign = -sign
	}
	factorial := 1.0
	for i := range 20 {
		if i > 0 {
			factorial *= float64(i) // exact up to 18!
		}
		s := float64(1 - i/2%2*2)
		if i%2 == 0 {
			cosTerms[i/2] = s / factorial
		} else {
			sinTerms[i/2] = s / factorial
		}
		if i < len(expTerms) {
			expTerms[i] = 1 / factorial
		}
	}
}

// log returns the natural logarithm of a positive number.
func log(x float64) float64 {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f *= 2
		e--
	}
	s := (f - 1) / (f + 1) // |s| ≤ 0.172
	l := 2 * float64(s*series(float64(s*s), atanhTerms[:]))
	return float64(float64(e)*ln2High) + (l + float64(float64(e)*ln2Low))
}

func log10(x float64) float64 { return log(x) / ln10 }

// exp returns eˣ, for |x| < 700.
func exp(x float64) float64 {
	n := math.RoundToEven(x / math.Ln2)
	r := (x - float64(n*ln2High)) - float64(n*ln2Low)
	return math.Ldexp(series(r, expTerms[:]), int(n))
}

// exp10 returns 10ˣ.
func exp10(x float64) float64 { return exp(float64(x * ln10)) }

// sincos returns the sine and cosine of x degrees, |x| < 2⁵⁰.
func sincos(x float64) (sin, cos float64) {
	q := math.RoundToEven(x / 90)
	r := (x - float64(q*90)) * degree
	z := float64(r * r)
	s, c := float64(r*series(z, sinTerms[:])), series(z, cosTerms[:])
	switch int64(q) & 3 {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	default:
		return -c, s
	}
}

// atan2 returns the angle of (x, y) in degrees, in (-180, 180].
func atan2(y, x float64) float64 {
	a, b := math.Abs(y), math.Abs(x)
	if a == 0 && b == 0 {
		return 0
	}
	swapped := a > b
	if swapped {
		a, b = b, a
	}
	t := a / b
	for range 2 { // atan t = 2 atan(t / (1 + √(1+t²))): t ≤ tan(π/16) < 0.2
		t /= 1 + math.Sqrt(1+float64(t*t))
	}
	angle := 4 * float64(t*series(float64(t*t), atanTerms[:])) / degree
	if swapped {
		angle = 90 - angle
	}
	if x < 0 {
		angle = 180 - angle
	}
	if y < 0 {
		return -angle
	}
	return angle
}

// table is a function given by straight lines between points of ascending x;
// it is constant beyond the ends.
type table [][2]float64

func (t table) at(x float64) float64 {
	if x <= t[0][0] {
		return t[0][1]
	}
	for i := 1; i < len(t); i++ {
		if a, b := t[i-1], t[i]; x <= b[0] {
			return a[1] + float64((b[1]-a[1])*((x-a[0])/(b[0]-a[0])))
		}
	}
	return t[len(t)-1][1]
}
