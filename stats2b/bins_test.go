package stats2b

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"skyjoin/neighbors"
)

// parse reads a number that may end in deg.
func parseDegrees(s string) (Length, error) {
	number, isDeg := strings.CutSuffix(s, "deg")
	v, err := strconv.ParseFloat(number, 64)
	l := Length{Value: v}
	if isDeg {
		l.Unit = "deg"
	}
	return l, err
}

func TestParseBins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "edges.txt")
	if err := os.WriteFile(file, []byte("# two bins\n0, 1.5\n4 # the last\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[string][]float64{
		"lin:0:1:4":       {0, 0.25, 0.5, 0.75, 1},
		"lin:0.1:0.7:1":   {0.1, 0.7},
		"log:0.01:1:2":    {0.01, 0.1, 1},
		"1,2,4deg":        {1, 2, 4},
		"0deg,2deg":       {0, 2},
		"log:1deg:4deg:2": {1, 2, 4},
		"@" + file:        {0, 1.5, 4},
	} {
		b, unit, err := ParseBins(spec, parseDegrees)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		got := b.Edges()
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-15 {
				t.Errorf("%s: edges %v, want %v", spec, got, want)
			}
		}
		if got[0] != want[0] || got[b.Len()] != want[len(want)-1] || len(got) != len(want) {
			t.Errorf("%s: edges %v, want %v at the ends exactly", spec, got, want)
		}
		if wantUnit := map[bool]string{true: "deg"}[strings.Contains(spec, "deg")]; unit != wantUnit {
			t.Errorf("%s: unit %q, want %q", spec, unit, wantUnit)
		}
	}
	for _, spec := range []string{
		"", "1", "log:0:1:3", "lin:1:0:3", "lin:0:1:0", "lin:0:1", "lin:0:1:x", "lin:0:1:9999999999", "-1,2", "1,1", "2,1", "1,NaN", "1,Inf",
		"1deg,x", "sq:1:2:3", "log:-1:1:3", "lin:0:Inf:3",
	} {
		if b, _, err := ParseBins(spec, parseDegrees); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%q: bins %v, error %v; it should be refused", spec, b.Edges(), err)
		}
	}
	if _, _, err := ParseBins("@"+file+"x", parseDegrees); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Inner edges ascend strictly, from one to many bins, near 0 and far from it.
func TestEdgesAscend(t *testing.T) {
	for _, n := range []int{1, 3, 7, 100, 4096} {
		for _, ends := range [][2]float64{{1e-300, 1e300}, {0.1, 0.3}, {1e9, 1e9 + 1}} {
			for _, b := range []Bins{must(LinearBins(ends[0], ends[1], n)), must(LogBins(ends[0], ends[1], n))} {
				if e := b.Edges(); !slices.IsSorted(e) || e[0] != ends[0] || e[n] != ends[1] {
					t.Errorf("%d bins from %g to %g: %v", n, ends[0], ends[1], e)
				}
			}
		}
	}
}

// A pair is in a bin by d² exactly if it is by its distance.
func TestSquaredEdges(t *testing.T) {
	for _, m := range []neighbors.Metric{neighbors.Euclidean(), neighbors.Sky()} {
		points := must(neighbors.NewPoints(neighbors.Float64s([]float64{0, 1e-9, 0.001, 0.1, 1, 30, 60, 89}), neighbors.Float64s(make([]float64, 8))))
		p := must(neighbors.Prepare(t.Context(), neighbors.Input{Query: points, Metric: m}, neighbors.Within{Radius: 1}))
		for i := range uint32(8) {
			for j := range i {
				d, d2 := p.Distance(i, j), p.SquaredDistance(i, j)
				for _, e := range []float64{d, math.Nextafter(d, 0), math.Nextafter(d, 10)} {
					threshold := must(m.SquaredEdge(e))
					if (d2 < threshold) != (d < e) {
						t.Errorf("%v: d = %v, d² = %v is below the edge %v by its square %v: %v", m, d, d2, e, threshold, d2 < threshold)
					}
				}
			}
		}
	}
	if _, err := neighbors.Periodic(10).SquaredEdge(5.1); !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), "5.1") || !strings.Contains(err.Error(), "5") {
		t.Errorf("an edge over half a side: %v", err)
	}
	for _, r := range []float64{-1, math.NaN(), math.Inf(1), 1e200} {
		if e, err := neighbors.Euclidean().SquaredEdge(r); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("the squared edge of %v is %v", r, e)
		}
	}
}
