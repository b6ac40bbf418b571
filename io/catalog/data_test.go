package catalog

import (
	"context"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"testing"
)

// dataFile returns a file of the folder of real catalogs, which is not part of
// the project.
func dataFile(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SKYJOIN_TESTDATA")
	if dir == "" {
		t.Skip("SKYJOIN_TESTDATA is not set: no real catalogs to read")
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

func open(t testing.TB, paths ...string) *Catalog {
	t.Helper()
	c, err := Open(context.Background(), paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func read(t testing.TB, c *Catalog, names ...string) []Column {
	t.Helper()
	cols, err := c.Read(context.Background(), names, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cols
}

func (c *Column) nulls() int {
	n := 0
	for _, null := range c.Null {
		if null {
			n++
		}
	}
	return n
}

// The right answers come from an independent reader.
func TestGaia(t *testing.T) {
	c := open(t, dataFile(t, "gaia_dr3_cone.parquet"))
	if c.Rows() != 2390 || len(c.Fields()) != 153 {
		t.Fatalf("%d rows × %d columns, want 2390 × 153", c.Rows(), len(c.Fields()))
	}
	cols := read(t, c, "source_id", "parallax", "radial_velocity", "phot_g_mean_mag", "pmra", "DESIGNATION")
	id, g, pmra := cols[0], cols[3], cols[4]
	sum := new(big.Int)
	lo, hi := int64(math.MaxInt64), int64(0)
	for _, v := range id.Int64 {
		sum.Add(sum, big.NewInt(v))
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo != 4295806720 || hi != 5188146736371635584 || sum.String() != "6351639650735860609024" {
		t.Errorf("source_id: min %d, max %d, sum %v", lo, hi, sum)
	}
	for i, want := range []int{0, 375, 2390 - 181, 3, 375, 0} {
		if got := cols[i].nulls(); got != want {
			t.Errorf("%s: %d nulls, want %d", cols[i].Field.Name, got, want)
		}
	}
	exact := new(big.Float).SetPrec(200)
	for i, v := range pmra.Float64 {
		if !pmra.IsNull(i) {
			exact.Add(exact, big.NewFloat(v))
		}
	}
	if got, _ := exact.Float64(); math.Abs(got-14220.735047204891) > 1e-9 {
		t.Errorf("sum(pmra) is %v, want 14220.735047204891", got)
	}
	floors := map[int]int{}
	for i, v := range g.Float32 {
		if !g.IsNull(i) {
			floors[int(math.Floor(float64(v)))]++
		}
	}
	want := map[int]int{7: 1, 8: 1, 9: 6, 10: 9, 11: 13, 12: 32, 13: 39, 14: 87, 15: 107, 16: 157, 17: 246, 18: 353, 19: 485, 20: 697, 21: 154}
	for k, n := range want {
		if floors[k] != n {
			t.Errorf("floor(G) = %d: %d rows, want %d", k, floors[k], n)
		}
	}
}

// The same rows by other writers: version 2 pages, several row groups, other
// codecs, DELTA and BYTE_STREAM_SPLIT encodings.
func TestWritersAgree(t *testing.T) {
	ref := open(t, dataFile(t, "gaia_dr3_cone.parquet"))
	for _, writer := range []string{"arrowrs_v2_zstd_rg700", "polars_zstd", "duckdb_v2_zstd"} {
		t.Run(writer, func(t *testing.T) {
			c := open(t, dataFile(t, "gaia_dr3_cone_writers/"+writer+".parquet"))
			if len(c.Fields()) != len(ref.Fields()) || c.Rows() != ref.Rows() {
				t.Fatalf("%d columns × %d rows", len(c.Fields()), c.Rows())
			}
			for _, f := range ref.Fields() {
				if f.Type == Unsupported {
					t.Errorf("%s is unsupported: %s", f.Name, f.Text)
					continue
				}
				a, b := read(t, ref, f.Name)[0], read(t, c, f.Name)[0]
				compareColumns(t, &a, &b)
			}
		})
	}
}

func compareColumns(t *testing.T, a, b *Column) {
	t.Helper()
	if a.Field.Type != b.Field.Type || a.Len() != b.Len() {
		t.Errorf("%s: %v of %d rows and %v of %d", a.Field.Name, a.Field.Type, a.Len(), b.Field.Type, b.Len())
		return
	}
	for i := range a.Len() {
		if a.IsNull(i) != b.IsNull(i) || !a.IsNull(i) && a.text(i) != b.text(i) {
			t.Errorf("%s, row %d: %s (null %v) and %s (null %v)", a.Field.Name, i, a.text(i), a.IsNull(i), b.text(i), b.IsNull(i))
			return
		}
	}
}

func TestDecimalsListsStructs(t *testing.T) {
	ref := open(t, dataFile(t, "gaia_dr3_cone.parquet"))
	c := open(t, dataFile(t, "gaia_dr3_cone_writers/duckdb_decimal_list_struct.parquet"))
	for name, of := range map[string]string{
		"source_id": "source_id", "DESIGNATION": "DESIGNATION", "pm_vec[0]": "pmra", "pm_vec[1]": "pmdec", "phot.bp": "phot_bp_mean_mag",
		"phot.rp": "phot_rp_mean_mag", "phot_variable_flag": "phot_variable_flag", "astrometric_primary_flag": "astrometric_primary_flag",
	} {
		got, want := read(t, c, name)[0], read(t, ref, of)[0]
		compareColumns(t, &want, &got)
	}
	for _, d := range []struct {
		name, of string
		scale    float64
	}{{"ra", "ra", 1e9}, {"dec", "dec", 1e9}, {"parallax", "parallax", 1e4}, {"g", "phot_g_mean_mag", 1e3}} {
		got, full := read(t, c, d.name)[0], read(t, ref, d.of)[0]
		for i := range got.Float64 {
			var x float64
			if full.Float64 != nil {
				x = full.Float64[i]
			} else {
				x = float64(full.Float32[i])
			}
			if got.IsNull(i) != full.IsNull(i) || !got.IsNull(i) && math.Abs(got.Float64[i]-x) > 0.500001/d.scale {
				t.Errorf("%s, row %d: %v, rounded from %v", d.name, i, got.Float64[i], x)
				break
			}
		}
	}
}

// Statistics say what the values say.
func TestSummaryOfStatistics(t *testing.T) {
	for _, file := range []string{"gaia_dr3_cone.parquet", "gaia_dr3_cone_writers/duckdb_v2_zstd.parquet", "gaia_dr3_cone_writers/arrowrs_v2_zstd_rg700.parquet"} {
		path := dataFile(t, file)
		fast, err := open(t, path).Summary(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		c, err := Open(context.Background(), []string{path}, Options{Null: []string{"no such value"}}) // a sentinel takes reading
		if err != nil {
			t.Fatal(err)
		}
		slow, err := c.Summary(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range fast.Columns {
			if s := slow.Columns[i]; f.Min != s.Min || f.Max != s.Max || f.Nulls != s.Nulls {
				t.Errorf("%s of %s: %d nulls, %s to %s by statistics; %d, %s to %s by reading", f.Field.Name, file, f.Nulls, f.Min, f.Max, s.Nulls, s.Min, s.Max)
			}
			if len(f.Codecs) == 0 || len(f.Encodings) == 0 || f.Bytes == 0 {
				t.Errorf("%s of %s: codecs %v, encodings %v, %d bytes", f.Field.Name, file, f.Codecs, f.Encodings, f.Bytes)
			}
		}
	}
}
