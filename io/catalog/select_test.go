package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"skyjoin/internal/expr"
	"skyjoin/neighbors"
)

func selected(t *testing.T, c *Catalog, req Request) *Selection {
	t.Helper()
	s, err := c.Select(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A null in a nullable column is no position, least of all (0, 0).
func TestNullIsNoPosition(t *testing.T) {
	nan := math.NaN()
	path := filepath.Join(t.TempDir(), "null.parquet")
	writeParquet(t, path, []int{3}, []writtenColumn{nullableColumn("ra", 10, nan, 0), nullableColumn("dec", 0, nan, 0)})
	s := selected(t, open(t, path), Request{Columns: []string{"ra", "dec"}, Sky: true})
	if !slices.Equal(s.Rows, []uint32{0, 2}) || s.Points.Len() != 2 || s.Points.Column(0).At(0) != 10 || s.Points.Column(0).At(1) != 0 {
		t.Errorf("rows %v of %d points", s.Rows, s.Points.Len())
	}
	if want := []Skip{{WhyNull, "ra", 1, []int64{1}}}; fmt.Sprint(s.Skipped) != fmt.Sprint(want) {
		t.Errorf("skipped %v, want %v", s.Skipped, want)
	}
}

func TestReasons(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	path := filepath.Join(t.TempDir(), "why.parquet")
	null := nullableColumn("dec", 0, 0, nan, 90, 0, 90.5, -90, -91, nan)
	writeParquet(t, path, []int{4, 5}, []writtenColumn{
		float64Column("ra", 1, -9999, 3, 4, inf, 6, -720, 8, nan), null, int64Column("w", 1, 2, 3, -1, 5, 6, 7, 8, 9),
		{node: primitive("name", required, schema.StringLogicalType{}, parquet.Types.ByteArray, -1), values: []parquet.ByteArray{{}, {}, {}, {}, {}, {}, {}, {}, {}}},
	})
	c, err := Open(context.Background(), []string{path}, Options{Null: []string{"-9999", "-1"}})
	if err != nil {
		t.Fatal(err)
	}
	s := selected(t, c, Request{Columns: []string{"ra", "dec"}, Metric: neighbors.Sky(), Weights: "w"})
	want := []Skip{
		{WhySentinel, "ra", 1, []int64{1}}, {WhyNaN, "ra", 1, []int64{8}}, {WhyInfinite, "ra", 1, []int64{4}},
		{WhyNull, "dec", 1, []int64{2}}, {neighbors.Sky().Limit(1).Reason(), "dec", 2, []int64{5, 7}}, {WhySentinel, "w", 1, []int64{3}},
	}
	if fmt.Sprint(s.Skipped) != fmt.Sprint(want) {
		t.Errorf("skipped %v\nwant    %v", s.Skipped, want)
	}
	if !slices.Equal(s.Rows, []uint32{0, 6}) || !slices.Equal(s.Weights, []float64{1, 7}) || s.Points.Column(0).At(1) != -720 {
		t.Errorf("rows %v, weights %v", s.Rows, s.Weights)
	}
	for _, bad := range []struct {
		req  Request
		mark error
		want string
	}{
		{Request{Columns: []string{"ra", "dec"}, Strict: true}, ErrUnusable, "4 of 9 rows cannot be used: ra placeholder for missing in 1, first row 1"},
		{Request{Columns: []string{"ra"}, Where: "ra > 1e6 and ra < 1e9"}, ErrUnusable, "the filter drops all 9 rows"},
		{Request{Columns: []string{"ra", "dec"}, Where: "dec > 90"}, nil, ""},
		{Request{Columns: []string{"ra", "dec"}, Sky: true, Where: "dec > 90"}, ErrUnusable, "no row can be used: the filter drops 8 of 9, and dec declination outside"},
		{Request{Columns: []string{"name", "dec"}}, ErrRequest, "column name is string; coordinates are numbers"},
		{Request{Columns: []string{"ra"}, Weights: "name"}, ErrRequest, "weights are numbers"},
		{Request{}, ErrRequest, "no coordinate columns"},
		{Request{Columns: []string{"ra"}, Sky: true}, ErrRequest, "RA and Dec are needed"},
		{Request{Columns: []string{"ra"}, Where: "dex > 5"}, ErrRequest, "did you mean dec?"},
		{Request{Columns: []string{"ra"}, Where: "dec >"}, ErrRequest, "at character"},
		{Request{Columns: []string{"ra"}, Where: "name > 5"}, ErrRequest, "name"},
	} {
		_, err := c.Select(context.Background(), bad.req)
		if bad.mark == nil && err == nil {
			continue
		}
		if err == nil || !errors.Is(err, bad.mark) || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%+v: %v, want %q", bad.req, err, bad.want)
		}
	}
}

// A negative distance would be a position on the other side of the sky.
func TestDistances(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.parquet")
	writeParquet(t, path, []int{4}, []writtenColumn{
		float64Column("ra", 1, 2, 3, 4), float64Column("dec", 0, 0, 91, 0), float64Column("d", 5, -5, -1, 0),
	})
	req := Request{Columns: []string{"ra", "dec", "d"}, Metric: neighbors.SkyDistance()}
	s := selected(t, open(t, path), req)
	if want := []Skip{{neighbors.Sky().Limit(1).Reason(), "dec", 1, []int64{2}}, {neighbors.SkyDistance().Limit(2).Reason(), "d", 1, []int64{1}}}; fmt.Sprint(s.Skipped) != fmt.Sprint(want) {
		t.Errorf("skipped %v, want %v", s.Skipped, want)
	}
	if !slices.Equal(s.Rows, []uint32{0, 3}) {
		t.Errorf("rows %v, want 0 and 3", s.Rows)
	}
	req.Metric = neighbors.Sky() // a third column that is no distance
	if s = selected(t, open(t, path), req); !slices.Equal(s.Rows, []uint32{0, 1, 3}) {
		t.Errorf("rows %v of the sky, want 0, 1 and 3", s.Rows)
	}
}

func TestNothingToUse(t *testing.T) {
	dir := t.TempDir()
	empty, nulls := filepath.Join(dir, "empty.parquet"), filepath.Join(dir, "nulls.parquet")
	writeParquet(t, empty, nil, []writtenColumn{float64Column("x")})
	writeParquet(t, nulls, []int{2}, []writtenColumn{nullableColumn("x", math.NaN(), math.NaN())})
	for path, want := range map[string]string{empty: "the table has no rows", nulls: "none of the 2 rows can be used: x null in 2, first row 0"} {
		_, err := open(t, path).Select(context.Background(), Request{Columns: []string{"x"}})
		if !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", filepath.Base(path), err, want)
		}
	}
}

// Rows that a filter keeps are told apart from those that cannot be used.
func TestPassed(t *testing.T) {
	cat := open(t, writeText(t, "a.csv", "x,k\n1,1\n,1\n3,0\n4,1\n"))
	sel, err := cat.Select(t.Context(), Request{Columns: []string{"x"}, Where: "k = 1"})
	if err != nil || !slices.Equal(sel.Passed, []bool{true, true, false, true}) || !slices.Equal(sel.Rows, []uint32{0, 3}) {
		t.Errorf("%+v, %v", sel, err)
	}
	if sel, err := cat.Select(t.Context(), Request{Columns: []string{"x"}}); err != nil || sel.Passed != nil {
		t.Errorf("without a filter: %+v, %v", sel, err)
	}
}

// Consumers of two catalogs have an answer where one of them has no rows.
func TestEmptySelection(t *testing.T) {
	for name, text := range map[string]string{"no rows": "ra,dec,name\n", "no usable row": "ra,dec\n,1\n2,\n"} {
		cat := open(t, writeText(t, "a.csv", text))
		sel, err := cat.Select(t.Context(), Request{Columns: []string{"ra", "dec"}, Sky: true, Empty: true})
		if err != nil || sel.Points.Len() != 0 || sel.Points.Dim() != 2 || sel.Total != cat.Rows() {
			t.Errorf("%s: %+v, %v", name, sel, err)
		}
		if ra, dec, err := cat.Detect(); err != nil || ra != "ra" || dec != "dec" || !cat.IsSky([]string{ra, dec}) {
			t.Errorf("%s: found %q, %q, %v", name, ra, dec, err)
		}
		if _, err := cat.Select(t.Context(), Request{Columns: []string{"ra", "dec"}}); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s, where rows are needed: %v", name, err)
		}
		if _, err := cat.Select(t.Context(), Request{Columns: []string{"rb", "dec"}, Empty: true}); !errors.Is(err, ErrRequest) {
			t.Errorf("%s, a column that is not there: %v", name, err)
		}
	}
}

func TestUnits(t *testing.T) {
	dir := t.TempDir()
	for _, u := range []struct {
		unit         string
		ra, dec      float64
		wantRA, want float64
	}{
		{"deg", 10, 90, 10, 90},
		{"", 10, -90, 10, -90},
		{"rad", math.Pi, math.Pi / 2, 180, 90},
		{"rad", -math.Pi, -math.Pi / 2, -180, -90},
		{"hourangle", 12, -6, 180, -90},
		{"arcmin", 60, 5400, 1, 90},
		{"arcsec", 3600, 3600 * 90, 1, 90},
		{"mas", 3.6e6, 3.6e6, 1, 1},
	} {
		path := filepath.Join(dir, "u.parquet")
		writeParquetMeta(t, path, []int{1}, []writtenColumn{float64Column("ra", u.ra), float64Column("dec", u.dec)},
			[]KeyValue{{"ra.unit", u.unit}, {"unit.dec", u.unit}})
		c := open(t, path)
		s := selected(t, c, Request{Columns: []string{"ra", "dec"}, Sky: true})
		if ra, dec := s.Points.Column(0).At(0), s.Points.Column(1).At(0); math.Abs(ra-u.wantRA) > 1e-13 || math.Abs(dec-u.want) > 1e-13 || len(s.Skipped) > 0 {
			t.Errorf("%q: (%v, %v) is (%v, %v), want (%v, %v)", u.unit, u.ra, u.dec, ra, dec, u.wantRA, u.want)
		}
		s = selected(t, c, Request{Columns: []string{"ra", "dec"}})
		if s.Points.Column(0).At(0) != u.ra || s.Fields[0].Unit != u.unit {
			t.Errorf("%q: not on the sky, %v became %v %s", u.unit, u.ra, s.Points.Column(0).At(0), s.Fields[0].Unit)
		}
	}
	path := filepath.Join(dir, "m.parquet")
	writeParquetMeta(t, path, []int{1}, []writtenColumn{float64Column("ra", 1), float64Column("dec", 1)}, []KeyValue{{"ra.unit", "km"}})
	if _, err := open(t, path).Select(context.Background(), Request{Columns: []string{"ra", "dec"}, Sky: true}); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), `"km"`) {
		t.Errorf("RA in km: %v", err)
	}
}

// A float32 column stays as it is, and without unusable rows is not copied.
func TestFloat32Stays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f32.parquet")
	writeParquet(t, path, []int{3}, []writtenColumn{
		{node: primitive("x", required, nil, parquet.Types.Float, -1), values: []float32{1.1, 2.2, float32(math.NaN())}}, int64Column("n", 1, 2, 3),
	})
	c := open(t, path)
	s := selected(t, c, Request{Columns: []string{"x", "n"}})
	if x := s.Points.Column(0); !slices.Equal(x.Float32, []float32{1.1, 2.2}) {
		t.Errorf("x is %+v", x)
	}
	s = selected(t, c, Request{Columns: []string{"n"}, Where: "n >= 0"})
	if s.Rows != nil || s.Points.Len() != 3 || s.Filtered != 0 {
		t.Errorf("rows %v, though all can be used", s.Rows)
	}
}

// Statistics may spare reading, but never cost a row: random files against
// random filters.
func TestPruningLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	pruned := 0
	for range 60 {
		const groups, size = 6, 20
		var x []float64
		var n, u []int64
		f := make([]float32, 0, groups*size)
		for g := range groups {
			for range size {
				v := float64(g*10) + math.Round(r.Float64()*80)/4
				switch {
				case g == 2 && r.IntN(3) > 0 || r.IntN(30) == 0:
					v = math.NaN() // null
				case r.IntN(40) == 0:
					v = math.Copysign(0, -1)
				}
				x = append(x, v)
				n = append(n, int64(g*10-20+r.IntN(12)))
				u = append(u, int64(uint64(1<<63)+uint64(r.IntN(40))+uint64(g*7)))
				if f = append(f, float32(r.IntN(20)-g)); r.IntN(25) == 0 {
					f[len(f)-1] = float32(math.NaN())
				}
			}
		}
		path := filepath.Join(dir, "prune.parquet")
		writeParquet(t, path, slices.Repeat([]int{size}, groups), []writtenColumn{
			nullableColumn("x", x...), int64Column("n", n...),
			{node: primitive("u", required, schema.NewIntLogicalType(64, false), parquet.Types.Int64, -1), values: u},
			{node: primitive("f", required, nil, parquet.Types.Float, -1), values: f},
		}, parquet.WithStats(r.IntN(5) > 0))
		c, err := Open(context.Background(), []string{path}, Options{Null: [][]string{nil, {"5", "-20"}}[r.IntN(2)]})
		if err != nil {
			t.Fatal(err)
		}
		for range 30 {
			where := randomFilter(r, 3)
			var rows atomic.Int64
			a, errA := c.selectRows(context.Background(), Request{Columns: []string{"n"}, Where: where, Progress: func(k int64) { rows.Add(k) }}, true)
			b, errB := c.selectRows(context.Background(), Request{Columns: []string{"n"}, Where: where}, false)
			if fmt.Sprint(errA) != fmt.Sprint(errB) {
				t.Fatalf("%s: pruned %v, unpruned %v", where, errA, errB)
			}
			if errA != nil {
				continue
			}
			if a.Filtered != b.Filtered || !slices.Equal(a.Rows, b.Rows) || fmt.Sprint(a.Skipped) != fmt.Sprint(b.Skipped) {
				t.Fatalf("%s: pruned keeps %v, unpruned %v", where, a.Rows, b.Rows)
			}
			if rows.Load() != c.Rows() {
				t.Errorf("%s: %d of %d rows reported", where, rows.Load(), c.Rows())
			}
			if e, err := expr.Parse(where); err != nil {
				t.Fatal(err)
			} else if len(c.excluded(e)) > 0 {
				pruned++
			}
		}
	}
	if pruned < 50 {
		t.Errorf("only %d of the filters excluded anything: the test shows little", pruned)
	}
}

func randomFilter(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		col := []string{"x", "n", "u", "f"}[r.IntN(4)]
		value := fmt.Sprint([]any{r.IntN(80) - 30, 0, float64(r.IntN(300))/4 - 10, "9223372036854775830", -20, 5}[r.IntN(6)])
		switch r.IntN(8) {
		case 0:
			return col + " is null"
		case 1:
			return col + " is not null"
		case 2:
			return fmt.Sprintf("%s between %s and 40", col, value)
		case 3:
			return fmt.Sprintf("%s in (%s, 7)", col, value)
		}
		return col + []string{" < ", " <= ", " > ", " >= ", " = ", " != "}[r.IntN(6)] + value
	}
	switch r.IntN(5) {
	case 0:
		return "not (" + randomFilter(r, depth-1) + ")"
	case 1, 2:
		return "(" + randomFilter(r, depth-1) + ") or (" + randomFilter(r, depth-1) + ")"
	}
	return "(" + randomFilter(r, depth-1) + ") and (" + randomFilter(r, depth-1) + ")"
}
