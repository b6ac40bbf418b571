package main

import (
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// apart is the distance of the two, by the chord of their unit vectors, in degrees.
const apart = 14.783941946434712

// Positions in hours and degrees, minutes and seconds are found and read, by whatever
// flags name them: M31 and M33 are 14.8° apart.
func TestSexagesimalPositions(t *testing.T) {
	in := filepath.Join("testdata", "sexagesimal-positions.csv")
	for _, flags := range [][]string{nil, {"-c", "RA,Dec"}, {"-c", "RA,Dec", "--metric", "sky"}} {
		out := filepath.Join(t.TempDir(), "pairs.csv")
		cmdtest.Succeed(t, append([]string{"join", in, "--eps", "20deg", "--unit", "deg", "-o", out, "-q"}, flags...)...)
		got := cmdtest.Column(t, out, "distance")
		if len(got) != 1 {
			t.Fatalf("%v: %d pairs", flags, len(got))
		}
		if d, err := strconv.ParseFloat(got[0], 64); err != nil || math.Abs(d-apart) > 1e-12 {
			t.Errorf("%v: %s°, want %v°", flags, got[0], apart)
		}
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append([]string{"dbscan", in, "--eps", "15deg", "--min-points", "2", "--json"}, flags...)...))
		cmdtest.Expect(t, s.Result, map[string]int64{"clusters": 1, "noise": 0})
	}
}
