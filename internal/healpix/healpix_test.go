package healpix

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func direction(ra, dec float64) (x, y, z float64) {
	sr, cr := math.Sincos(ra * math.Pi / 180)
	sd, cd := math.Sincos(dec * math.Pi / 180)
	return cd * cr, cd * sr, sd
}

// The base pixels have known centres, and the corners of the sphere known
// pixels.
func TestBasePixels(t *testing.T) {
	m, err := New(1)
	if err != nil {
		t.Fatal(err)
	}
	for p := range int64(12) {
		ra := float64(p%4) * 90
		dec := 0.0
		if p < 4 || p >= 8 {
			ra += 45
			dec = math.Asin(2.0/3) * 180 / math.Pi
			if p >= 8 {
				dec = -dec
			}
		}
		x, y, z := direction(ra, dec)
		if got := m.Pixel(x, y, z); got != p {
			t.Errorf("(%g, %g) is in pixel %d, want %d", ra, dec, got, p)
		}
		a, b, c := m.Point(p, 0.5, 0.5)
		if math.Abs(a-x)+math.Abs(b-y)+math.Abs(c-z) > 1e-14 {
			t.Errorf("the middle of pixel %d is (%g, %g, %g), want (%g, %g, %g)", p, a, b, c, x, y, z)
		}
	}
}

// Every inner point of a pixel is in it, and pixels have equal areas.
func TestPointsAreInTheirPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, nside := range []int{1, 2, 8, 1024, 1 << 20} {
		m, err := New(nside)
		if err != nil {
			t.Fatal(err)
		}
		for range 5000 {
			p := rng.Int64N(m.Pixels())
			u, v := 0.001+0.998*rng.Float64(), 0.001+0.998*rng.Float64()
			x, y, z := m.Point(p, u, v)
			if l := x*x + y*y + z*z; math.Abs(l-1) > 1e-14 {
				t.Fatalf("nside %d, pixel %d: length² %g", nside, p, l)
			}
			if got := m.Pixel(x, y, z); got != p {
				t.Fatalf("nside %d: (%g, %g) of pixel %d is in pixel %d", nside, u, v, p, got)
			}
		}
	}
	m, _ := New(4)
	counts := make([]int, m.Pixels())
	const each = 400
	for range each * len(counts) {
		z := 2*rng.Float64() - 1
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		r := math.Sqrt(1 - z*z)
		counts[m.Pixel(r*cos, r*sin, z)]++
	}
	for p, n := range counts {
		if math.Abs(float64(n-each)) > 6*math.Sqrt(each) {
			t.Errorf("pixel %d has %d of evenly spread points, %d are to be expected", p, n, each)
		}
	}
}

func TestNew(t *testing.T) {
	for _, n := range []int{0, -1, 3, 12, 1 << 30} {
		if _, err := New(n); err == nil {
			t.Errorf("nside %d is accepted", n)
		}
	}
}

// A catalog that another program has put into pixels of order 1.
func TestPixelsOfACatalog(t *testing.T) {
	dir := os.Getenv("SKYJOIN_TESTDATA")
	if dir == "" {
		t.Skip("SKYJOIN_TESTDATA is not set")
	}
	f, err := os.Open(filepath.Join(dir, "hats_small_sky", "small_sky_order1_no_pandas_meta", "partition_info.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// Its stars lie between RA 280 and 352, Dec -70 and -25.
	m, _ := New(2)
	want := map[int64]bool{}
	for _, r := range rows[1:] {
		p, err := strconv.ParseInt(r[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		want[p] = true
	}
	for ra := 285.0; ra < 345; ra += 5 {
		for dec := -65.0; dec < -30; dec += 5 {
			if p := m.Pixel(direction(ra, dec)); !want[p] {
				t.Errorf("(%g, %g) is in pixel %d, the catalog has %v", ra, dec, p, want)
			}
		}
	}
}
