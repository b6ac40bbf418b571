package catalog

import (
	"math"
	"slices"
	"testing"

	"skyjoin/internal/format"
	"skyjoin/neighbors"
)

// The parts of a catalog hold its rows, each once and in order, and their
// bounds hold the values.
func TestParts(t *testing.T) {
	for name, path := range map[string]string{
		"several groups": "gaia_dr3_cone_writers/arrowrs_v2_zstd_rg700.parquet",
		"many files":     "hats_small_sky/small_sky_order1_collection",
		"text":           "shapley_galaxies.csv",
	} {
		cat := open(t, dataFile(t, path))
		ra, dec, err := cat.Detect()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		req := Request{Columns: []string{ra, dec}, Sky: true, Metric: neighbors.Sky()}
		whole, err := cat.Select(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range []int64{1, 700, math.MaxInt64} {
			next, point := int64(0), 0
			for _, p := range cat.Parts(most) {
				if p.First != next {
					t.Fatalf("%s: a part begins at row %d, want %d", name, p.First, next)
				}
				next += p.Rows
				sel, err := cat.Part(p).Select(t.Context(), req)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				bounds := cat.Bounds(p, req)
				for j := range 2 {
					for i := range sel.Points.Len() {
						v := sel.Points.Column(j).At(i)
						if want := whole.Points.Column(j).At(point + i); v != want {
							t.Fatalf("%s: column %d of part row %d is %v, want %v", name, j, i, v, want)
						}
						if v < bounds[j].Lo || v > bounds[j].Hi {
							t.Fatalf("%s: %v is outside of %v", name, v, bounds[j])
						}
					}
				}
				point += sel.Points.Len()
			}
			if next != cat.Rows() || point != whole.Points.Len() {
				t.Errorf("%s: parts have %d rows and %d points of %d and %d", name, next, point, cat.Rows(), whole.Points.Len())
			}
		}
		if name != "text" && math.IsInf(cat.Bounds(cat.Parts(1)[0], req)[1].Lo, 0) {
			t.Errorf("%s: no bounds", name)
		}
	}
}

// divided is a file of row groups.
type divided struct {
	format.Reader
	groups []int64
}

func (d divided) Groups() []int64              { return d.groups }
func (d divided) Cut(lo, hi int) format.Reader { return divided{groups: d.groups[lo:hi]} }

// Neighbouring row groups are one part while they have few rows.
func TestPartsJoin(t *testing.T) {
	c := &Catalog{sources: []format.Reader{
		divided{groups: []int64{10, 20, 30}},
		divided{},
		divided{groups: []int64{5}},
	}, first: []int64{0, 60, 60}}
	for most, want := range map[int64][]Part{
		1:  {{0, 0, 1, 0, 10}, {0, 1, 1, 10, 20}, {0, 2, 1, 30, 30}, {2, 0, 1, 60, 5}},
		30: {{0, 0, 2, 0, 30}, {0, 2, 1, 30, 30}, {2, 0, 1, 60, 5}},
		99: {{0, 0, 3, 0, 60}, {2, 0, 1, 60, 5}},
	} {
		if got := c.Parts(most); !slices.Equal(got, want) {
			t.Errorf("at most %d rows: %v, want %v", most, got, want)
		}
	}
}

// A part without rows is read as such, whatever its file holds.
func TestPartWithoutRows(t *testing.T) {
	for _, path := range []string{"gaia_dr3_cone.parquet", "shapley_galaxies.csv"} {
		cat := open(t, dataFile(t, path))
		ra, dec, err := cat.Detect()
		if err != nil {
			t.Fatal(err)
		}
		sel, err := cat.Part(Part{}).Select(t.Context(), Request{Columns: []string{ra, dec}, Where: ra + " > 0", Empty: true})
		if err != nil || sel.Points.Len() != 0 || sel.Total != 0 {
			t.Errorf("%s: %+v, %v", path, sel, err)
		}
	}
}
