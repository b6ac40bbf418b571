//go:build cuda && linux

package gpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/cuda"
)

func TestJoinAgainstBruteForce(t *testing.T) {
	ctx, err := cuda.Open(0, []byte("image"))
	if err != nil {
		t.Fatal(err)
	}
	defer ctx.Close()
	st, err := ctx.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for dim := 1; dim <= 8; dim++ {
		rng := rand.New(rand.NewPCG(1, uint64(dim)))
		n := 700
		cols := make([]column, dim)
		for j := range cols {
			cols[j].f64 = make([]float64, n)
			for i := range cols[j].f64 {
				cols[j].f64[i] = rng.Float64() * 10
			}
		}
		radius := 0.6 * float64(dim)
		err := st.Do(func() error {
			m := &memory{stream: st}
			defer m.release()
			x, err := upload(m, cols)
			if err != nil {
				return err
			}
			e, err := extents(m, x)
			if err != nil {
				return err
			}
			ix, err := build(m, x, newGeometry(e, radius), false)
			if err != nil {
				return err
			}
			j := &join{query: ix, data: ix, t: radius * radius}
			count, err := alloc[uint32](m, n)
			if err != nil {
				return err
			}
			if err := j.count(st, 0, n, count); err != nil {
				return err
			}
			s, err := newSorter(m, n)
			if err != nil {
				return err
			}
			offset, err := alloc[uint64](m, n+1)
			if err != nil {
				return err
			}
			if err := s.scan(st, count, cuda.Buffer[uint32]{}, offset); err != nil {
				return err
			}
			offsets := make([]uint64, n+1)
			ids := make([]uint32, n)
			if err := firstError(cuda.Download(st, offsets, offset), cuda.Download(st, ids, ix.id), st.Sync()); err != nil {
				return err
			}
			out, err := alloc[uint32](m, int(offsets[n]))
			if err != nil {
				return err
			}
			if err := j.fill(st, 0, n, offset, 0, out); err != nil {
				return err
			}
			got := make([]uint32, offsets[n])
			if err := firstError(cuda.Download(st, got, out), st.Sync()); err != nil {
				return err
			}
			total := 0
			for pos, row := range ids {
				list := slices.Clone(got[offsets[pos]:offsets[pos+1]])
				slices.Sort(list)
				var want []uint32
				for q := range n {
					sum := 0.0
					for c := range cols {
						d := cols[c].f64[row] - cols[c].f64[q]
						sum += float64(d * d)
					}
					if q != int(row) && sum <= radius*radius {
						want = append(want, uint32(q))
					}
				}
				total += len(want)
				if !slices.Equal(list, want) {
					t.Fatalf("dim %d row %d: got %v want %v", dim, row, list, want)
				}
			}
			t.Logf("dim %d: %d cells, %d neighbours, table %d", dim, ix.cells, total, ix.table.N)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
