package sexagesimal

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestDegrees(t *testing.T) {
	for _, c := range []struct {
		text  string
		hours bool
		want  float64
	}{
		{"00:42:44.3", true, 10.684583333333334},
		{"00h42m44s.3", false, 10.684583333333334},
		{"-00°30′15″.0", true, -0.5041666666666667},
		{"00h42m.5", false, 10.625},
		{"+41:16:09", false, 148569.0 / 3600},
		{"-00:30:15.0", false, -0.5041666666666667},
		{"−00 30 15", false, -0.5041666666666667},
		{"00h42m43s", false, 10.679166666666667},
		{"00h 42m 43s", false, 10.679166666666667},
		{"41d16m09s", true, 148569.0 / 3600},
		{"41°16′9″", true, 148569.0 / 3600},
		{"41° 16' 9\"", true, 148569.0 / 3600},
		{"10:30.5", true, 157.625},
		{"10 30 00.5", true, 157.50208333333333},
		{"23:59:60", true, 360},
		{"10.5h", false, 157.5},
		{"12d", true, 12},
		{"1:2:3.12345678901234567890", false, 1.0342009602191702},
	} {
		if got, ok := Degrees(c.text, c.hours); !ok || got != c.want {
			t.Errorf("%q: %v, %v; want %v", c.text, got, ok, c.want)
		}
	}
	if v, ok := Degrees("-00:00:00", false); !ok || !math.Signbit(v) {
		t.Errorf("-00:00:00 is %v", v)
	}
	for _, bad := range []string{"", "10.5", "x", "10:60:00", "10:30:60.1", "10:30:00:00", "10:3.5:00", ":30", "10:30:", "2012-01-01", "10:30:00 N", "25:00:00", "1234:00:00", "10::3", "- 1"} {
		if v, ok := Degrees(bad, true); ok {
			t.Errorf("%q is %v", bad, v)
		}
	}
}

// Every value is the float64 nearest to the exact quotient.
func TestDegreesExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		h, m, k := r.IntN(24), r.IntN(60), r.IntN(15)
		s := strconv.FormatFloat(r.Float64()*59.9, 'f', k, 64)
		text := strconv.Itoa(h) + ":" + strconv.Itoa(m) + ":" + s
		for _, hours := range []bool{true, false} {
			exact, ok := new(big.Rat).SetString(s)
			if !ok {
				t.Fatal(s)
			}
			exact.Add(exact, big.NewRat(int64(h*3600+m*60), 1))
			exact.Quo(exact, big.NewRat(3600, 1))
			if hours {
				exact.Mul(exact, big.NewRat(15, 1))
			}
			want, _ := exact.Float64()
			if got, ok := Degrees(text, hours); !ok || got != want {
				t.Fatalf("%s, hours %v: %v, want %v", text, hours, got, want)
			}
		}
	}
}
