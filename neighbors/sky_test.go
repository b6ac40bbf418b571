package neighbors

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const precision = 240

// piBig is π by Machin's formula, 16·atan(1/5) - 4·atan(1/239).
func piBig() *big.Float {
	atanInverse := func(n int64) *big.Float {
		sum, term := new(big.Float).SetPrec(precision), new(big.Float).SetPrec(precision).Quo(big.NewFloat(1).SetPrec(precision), new(big.Float).SetInt64(n))
		square := new(big.Float).SetPrec(precision).SetInt64(n * n)
		for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > -precision; k += 2 {
			part := new(big.Float).SetPrec(precision).Quo(term, new(big.Float).SetInt64(k))
			if k%4 == 1 {
				sum.Add(sum, part)
			} else {
				sum.Sub(sum, part)
			}
			term.Quo(term, square)
		}
		return sum
	}
	a, b := atanInverse(5), atanInverse(239)
	a.Mul(a, big.NewFloat(16))
	return a.Sub(a, b.Mul(b, big.NewFloat(4)))
}

// sincosBig is the sine and cosine of degrees, by their series.
func sincosBig(pi *big.Float, degrees float64) (sin, cos *big.Float) {
	x := new(big.Float).SetPrec(precision).SetFloat64(math.Mod(degrees, 360))
	x.Mul(x, pi).Quo(x, big.NewFloat(180))
	sin, cos = new(big.Float).SetPrec(precision), new(big.Float).SetPrec(precision).SetInt64(1)
	term := new(big.Float).SetPrec(precision).SetInt64(1)
	for k := int64(1); k < 90; k++ {
		term.Mul(term, x).Quo(term, new(big.Float).SetInt64(k))
		part := new(big.Float).SetPrec(precision).Set(term)
		if k%4 >= 2 {
			part.Neg(part)
		}
		if k%2 == 1 {
			sin.Add(sin, part)
		} else {
			cos.Add(cos, part)
		}
	}
	return sin, cos
}

func TestUnitVectorAccuracy(t *testing.T) {
	pi := piBig()
	if f, _ := pi.Float64(); f != math.Pi {
		t.Fatalf("π is %v", f)
	}
	r := rand.New(rand.NewPCG(1, 1))
	worst := 0.0
	for i := range 2000 {
		ra, dec := 720*r.Float64()-360, 180*r.Float64()-90
		switch i % 6 {
		case 1:
			ra = math.Nextafter(float64(r.IntN(17)-8)*45, float64(r.IntN(3)-1)*1000)
		case 2:
			dec = math.Copysign(90-math.Pow(10, -16*r.Float64()), dec)
		case 3:
			ra, dec = math.Pow(10, -300*r.Float64()), math.Pow(10, -300*r.Float64())
		case 4:
			ra *= 1e6
		}
		sr, cr := sincosBig(pi, ra)
		sd, cd := sincosBig(pi, dec)
		mul := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(a, b) }
		want := [3]*big.Float{mul(cd, cr), mul(cd, sr), sd}
		x, y, z := unitVector(ra, dec)
		for c, got := range [3]float64{x, y, z} {
			off, _ := new(big.Float).SetPrec(precision).Sub(want[c], big.NewFloat(got)).Float64()
			worst = max(worst, math.Abs(off))
			if math.Abs(off) > 4.5e-16 {
				t.Fatalf("RA %v Dec %v: component %d is off by %g", ra, dec, c, off)
			}
		}
	}
	t.Logf("worst component off by %.2g", worst)
}

func TestUnitVectorExact(t *testing.T) {
	for _, c := range []struct{ ra, dec, x, y, z float64 }{
		{0, 0, 1, 0, 0}, {90, 0, 0, 1, 0}, {180, 0, -1, 0, 0}, {270, 0, 0, -1, 0}, {360, 0, 1, 0, 0}, {-90, 0, 0, -1, 0}, {3600000090, 0, 0, 1, 0},
		{17, 90, 0, 0, 1}, {200, -90, 0, 0, -1},
	} {
		if x, y, z := unitVector(c.ra, c.dec); x != c.x || y != c.y || z != c.z {
			t.Errorf("RA %v Dec %v: (%v, %v, %v)", c.ra, c.dec, x, y, z)
		}
	}
	for _, ra := range []float64{10.125, 123.5, 359.75} {
		x, y, z := unitVector(ra, 12)
		for _, turn := range []float64{-720, -360, 360, 36000} {
			if a, b, c := unitVector(ra+turn, 12); a != x || b != y || c != z {
				t.Errorf("RA %v is not where RA %v is", ra+turn, ra)
			}
		}
	}
}

// skyAngle is the printed angle of two directions.
func skyAngle(t *testing.T, ra1, dec1, ra2, dec2 float64) (angle float64, p *Plan) {
	t.Helper()
	points, err := NewPoints(Float64s([]float64{ra1, ra2}), Float64s([]float64{dec1, dec2}))
	if err != nil {
		t.Fatal(err)
	}
	p, err = Prepare(context.Background(), Input{Query: points, Metric: Sky()}, Within{Radius: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p.Distance(0, 1), p
}

// Angles along the equator and over the pole are known.
func TestAngleAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 6000 {
		scale := math.Pow(10, -12*r.Float64())
		a, b := 40*r.Float64(), 0.0
		b = a + 180*r.Float64()*scale
		if i%4 == 0 {
			b = a + 180 - 40*scale*r.Float64()
		}
		want := (b - a) * (math.Pi / 180) // b-a rounds to within 1e-14 degrees = 2e-16 rad
		if got, _ := skyAngle(t, a, 0, b, 0); math.Abs(got-want) > 1e-15 {
			t.Fatalf("RA %v to %v: %v, want %v, off by %g", a, b, got, want, got-want)
		}
		d1, d2 := 90-20*r.Float64()*scale, 90-20*r.Float64()*scale
		want = ((90 - d1) + (90 - d2)) * (math.Pi / 180)
		if got, _ := skyAngle(t, 30, d1, 210, d2); math.Abs(got-want) > 1e-15 {
			t.Fatalf("over the pole, Dec %v and %v: %v, want %v", d1, d2, got, want)
		}
	}
}

// An angle that was printed finds its pair when it is the radius, from
// fractions of a micro-arcsecond to 180°; up to 90° a smaller radius does not.
func TestAngleFedBack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 10000 {
		scale := math.Pow(10, -13*r.Float64())
		ra, dec := 360*r.Float64(), math.Asin(2*r.Float64()-1)*180/math.Pi
		ra2, dec2 := ra+360*(r.Float64()-.5)*scale, max(-90, min(90, dec+180*(r.Float64()-.5)*scale))
		if scale > .5 {
			ra2, dec2 = ra+180+10*r.NormFloat64(), -dec
		}
		angle, p := skyAngle(t, ra, dec, ra2, dec2)
		if angle == 0 {
			continue
		}
		chord2 := p.SquaredDistance(0, 1)
		if chord2 > squaredChord(angle) {
			t.Fatalf("(%v, %v) and (%v, %v) are %v apart and not found within that", ra, dec, ra2, dec2, angle)
		}
		if less := math.Nextafter(angle, 0); angle <= math.Pi/2 && chord2 <= squaredChord(less) {
			t.Fatalf("(%v, %v) and (%v, %v) are %v apart and found within %v", ra, dec, ra2, dec2, angle, less)
		}
	}
}

func TestSquaredChordGrows(t *testing.T) {
	last := -1.0
	for _, r := range []float64{5e-324, 1e-200, 1e-20, 1e-15, 1e-10, 1e-6, 1e-3, .1, 1, 1.5, math.Pi / 2, 1.6, 2, 3, 3.14, 3.1415926, math.Pi} {
		v := squaredChord(r)
		if v < last {
			t.Errorf("the threshold for %v is %v, less than for smaller radii", r, v)
		}
		last = v
	}
}
