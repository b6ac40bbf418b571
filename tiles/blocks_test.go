package tiles

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Rows come back from a file of blocks, those of a range without most others,
// and no file that was cut off or has a wrong bit is read to its end.
func TestBlocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	w := newBlockWriter(path, 20, 1)
	rows := []int64{0, 1, 5, 1 << 20, 1<<40 + 3, 1<<40 + 4, 1 << 50}
	for i, row := range rows {
		if err := w.begin(row, uint64(i%4)); err != nil {
			t.Fatal(err)
		}
		w.b = append(w.b, byte(i))
	}
	if err := w.end(); err != nil {
		t.Fatal(err)
	}
	read := func(lo, hi int64) (got []int64, err error) {
		err = readBlocks(path, lo, hi, func(n int, b []byte) error {
			in := &blockRow{b: b}
			for range n {
				row, flags, err := in.next(1)
				if err != nil {
					return err
				}
				if i := slices.Index(rows, row); i < 0 || flags != uint64(i%4) || in.b[0] != byte(i) {
					t.Errorf("row %d has flags %d and value %d", row, flags, in.b[0])
				}
				in.b = in.b[1:]
				got = append(got, row)
			}
			return nil
		})
		return got, err
	}
	if got, err := read(0, math.MaxInt64); err != nil || !slices.Equal(got, rows) {
		t.Errorf("%v, %v; want %v", got, err, rows)
	}
	if got, err := read(1<<50, 1<<51); err != nil || !slices.Contains(got, 1<<50) || slices.Contains(got, 0) {
		t.Errorf("%v, %v; want the last block", got, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := func(what string, b []byte) {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := read(0, math.MaxInt64); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
	}
	for n := range whole {
		spoilt("cut off", whole[:n])
		b := slices.Clone(whole)
		b[n] ^= 1 << (n % 8)
		spoilt("a bit", b)
	}
}
