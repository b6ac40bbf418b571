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
