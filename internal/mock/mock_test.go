package mock

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"

	"skyjoin/internal/par"
)

func mustNew(t *testing.T, kind string, opt Options) *Catalog {
	t.Helper()
	c, err := New(kind, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// write puts all values of the columns to w, bit by bit.
func write(w io.Writer, cols []Column) {
	for _, c := range cols {
		for _, v := range []any{c.Float64, c.Float32, c.Int64, c.Null} {
			if err := binary.Write(w, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
}

// The bytes of every kind are pinned: they may not change with the platform,
// nor by accident.
func TestBytes(t *testing.T) {
	want := map[string]string{
		"uniform": "276f904fe7916a75",
		"expo":    "fd4d6aa306df288d",
		"clumps":  "1eb630d396dfe96f",
		"sky":     "c031f03faaa6668e",
		"galaxy":  "8d0d5a62f1d5f648",
		"tracks":  "b44ed928ab83c118",
		"sphere":  "b069004420e333d2",
		"randoms": "6ed4cba68f969756",
	}
	for _, k := range Kinds() {
		h := sha256.New()
		write(h, mustNew(t, k.Name, Options{Rows: 20000, Seed: 1}).Fill(0, 20000))
		if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want[k.Name] {
			t.Errorf("%s: %s, want %s", k.Name, got, want[k.Name])
		}
	}
}

// Any block is the same as the rows of the whole.
func TestBlocks(t *testing.T) {
	const n = 3<<14 + 77
	for _, k := range Kinds() {
		c := mustNew(t, k.Name, Options{Rows: n, Seed: 5, Float32: true})
		whole := c.Fill(0, n)
		if len(whole) != len(c.Fields()) {
			t.Fatalf("%s: %d columns for %d fields", k.Name, len(whole), len(c.Fields()))
		}
		// Blocks that several threads make at the same time.
		blocks := make([][]Column, 7)
		par.Chunks(len(blocks), n, func(chunk, lo, hi int) { blocks[chunk] = c.Fill(int64(lo), int64(hi)) })
		for chunk, b := range blocks {
			if !same(b, part(whole, par.Bound(chunk, len(blocks), n), par.Bound(chunk+1, len(blocks), n))) {
				t.Errorf("%s: block %d of %d differs from the whole", k.Name, chunk, len(blocks))
			}
		}
		const lo, hi = 20011, 20911
		part := part(whole, lo, hi)
		if !same(c.Fill(lo, hi), part) {
			t.Errorf("%s: a block differs from the whole", k.Name)
		}
		if same(mustNew(t, k.Name, Options{Rows: n, Seed: 6, Float32: true}).Fill(lo, hi), part) {
			t.Errorf("%s: another seed gives the same rows", k.Name)
		}
	}
}

// part returns the rows [lo, hi) of a block.
func part(block []Column, lo, hi int) []Column {
	rows := make([]Column, len(block))
	for i, c := range block {
		rows[i] = Column{cut(c.Float64, lo, hi), cut(c.Float32, lo, hi), cut(c.Int64, lo, hi), cut(c.Null, lo, hi)}
	}
	return rows
}

func cut[T any](s []T, lo, hi int) []T {
	if s == nil {
		return nil
	}
	return s[lo:hi]
}

// same compares bit by bit, so that NaN equals itself.
func same(a, b []Column) bool {
	ha, hb := sha256.New(), sha256.New()
	write(ha, a)
	write(hb, b)
	return reflect.DeepEqual(ha.Sum(nil), hb.Sum(nil))
}

// The coordinates of clouds are reproducible by anybody.
func TestCloudFormula(t *testing.T) {
	mix := func(x uint64) uint64 {
		x += 0x9e3779b97f4a7c15
		x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
		x = (x ^ (x >> 27)) * 0x94d049bb133111eb
		return x ^ (x >> 31)
	}
	if got := mix(0); got != 0xe220a8397b1dcdaf { // the published first output for seed 0
		t.Fatalf("SplitMix64(0) = %#x", got)
	}
	uniform := mustNew(t, "uniform", Options{Rows: 100, Seed: 3, Dim: 6, Float32: true}).Fill(0, 100)
	expo := mustNew(t, "expo", Options{Rows: 100, Seed: 3, Dim: 6, Float32: true}).Fill(0, 100)
	for i := range 100 {
		for d := range 6 {
			u := float64(mix(mix(3)+uint64(i*6+d))>>11) / (1 << 53)
			if got, want := uniform[d].Float32[i], float32(100*u); got != want {
				t.Fatalf("uniform row %d, coordinate %d: %v, want %v", i, d, got, want)
			}
			if got, want := expo[d].Float32[i], float32(min(-math.Log1p(-u)/40, 1)); got != want {
				t.Fatalf("expo row %d, coordinate %d: %v, want %v", i, d, got, want)
			}
		}
	}
}

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		kind string
		opt  Options
	}{
		{"nothing", Options{}},
		{"uniform", Options{Rows: -1}},
		{"uniform", Options{Dim: 17}},
		{"uniform", Options{Dim: -1}},
		{"tracks", Options{Dim: 3}},
		{"sky", Options{Clusters: -1}},
		{"sky", Options{Radius: 31}},
		{"sky", Options{Radius: math.NaN()}},
		{"sky", Options{Faint: 25}},
		{"sky", Options{Centre: &[2]float64{0, 91}}},
		{"sky", Options{Centre: &[2]float64{math.NaN(), 0}}},
	} {
		if _, err := New(c.kind, c.opt); !errors.Is(err, ErrRequest) {
			t.Errorf("%s %+v: error %v, want ErrRequest", c.kind, c.opt, err)
		}
	}
}

func TestNoRows(t *testing.T) {
	for _, k := range Kinds() {
		c := mustNew(t, k.Name, Options{})
		if cols := c.Fill(0, 0); len(cols) == 0 || len(cols) != len(c.Fields()) {
			t.Errorf("%s: %d columns for %d fields", k.Name, len(cols), len(c.Fields()))
		}
	}
}
