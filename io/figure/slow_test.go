package figure

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

// millions returns a field of stars with a few clusters of every size.
func millions(n int) ClusterMap {
	r := rand.New(rand.NewPCG(7, 7))
	x, y, l := make([]float64, n), make([]float64, n), make([]int32, n)
	for i := range n {
		if i%3 == 0 {
			c := min(int(r.ExpFloat64()*8), 59)
			x[i], y[i], l[i] = 350+float64(c%10)*2+r.NormFloat64()*0.2, 30+float64(c/10)+r.NormFloat64()*0.1, int32(c)
			continue
		}
		x[i], y[i], l[i] = 349+r.Float64()*20, 29+r.Float64()*8, -1
	}
	return ClusterMap{X: neighbors.Float64s(x), Y: neighbors.Float64s(y), Labels: l, Sky: true}
}

func TestTenMillionPoints(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: a map of 10 million points")
	}
	f, err := millions(10_000_000).Figure()
	if err != nil {
		t.Fatal(err)
	}
	for format := range formats {
		var b bytes.Buffer
		if err := f.Encode(&b, format); err != nil {
			t.Fatal(err)
		}
		if b.Len() >= 1e6 {
			t.Errorf("%s of 10 million points has %d bytes, want less than 1 MB", format, b.Len())
		}
	}
}

func BenchmarkTenMillionPoints(b *testing.B) {
	m := millions(10_000_000)
	for b.Loop() {
		f, err := m.Figure()
		if err != nil {
			b.Fatal(err)
		}
		var w bytes.Buffer
		if err := f.Encode(&w, "png"); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(w.Len()), "bytes")
	}
}

func BenchmarkKDistanceTenMillion(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 7))
	d := make([]float64, 10_000_000)
	for i := range d {
		d[i] = r.ExpFloat64()
	}
	k := KDistance{Distances: d, K: 4, Knee: 1, Unit: "arcsec"}
	for b.Loop() {
		f, err := k.Figure()
		if err != nil {
			b.Fatal(err)
		}
		var w bytes.Buffer
		if err := f.Encode(&w, "png"); err != nil {
			b.Fatal(err)
		}
	}
}
