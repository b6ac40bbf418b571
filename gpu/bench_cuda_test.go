//go:build cuda && linux

package gpu

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"skyjoin/internal/cuda"
)

func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// published makes the data of the published comparisons: uniform in [0, 100),
// or exponential of rate 40 capped at 1, rounded to float32.
func published(expo bool, dim, n int, seed uint64) []column {
	cols := make([]column, dim)
	for j := range cols {
		cols[j].f64 = make([]float64, n)
	}
	s := splitmix(seed)
	for i := range n {
		for d := range dim {
			u := float64(splitmix(s+uint64(i*dim+d))>>11) * 0x1p-53
			v := 100 * u
			if expo {
				v = min(-math.Log1p(-u)/40, 1)
			}
			cols[d].f64[i] = float64(float32(v))
		}
	}
	return cols
}

func TestPublished(t *testing.T) {
	if os.Getenv("SKYJOIN_GPU") == "" {
		t.Skip("SKYJOIN_GPU is not set: no card")
	}
	ctx, err := cuda.Open(0, image)
	if err != nil {
		t.Fatal(err)
	}
	defer ctx.Close()
	st, err := ctx.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, c := range []struct {
		name   string
		expo   bool
		dim, n int
		seed   uint64
		radius float64
		want   uint64
	}{
		{"Unif2D2M", false, 2, 2000000, 1, 0.282, 101696704},
		{"Unif2D2M", false, 2, 2000000, 1, 0.892, 994308118},
		{"Expo2D2M", true, 2, 2000000, 4, 4.46e-4, 988259062},
		{"Unif2D10M", false, 2, 10000000, 2, 0.4, 5019622038},
		{"Unif6D2M", false, 6, 2000000, 3, 12, 51817750},
		{"Expo6D2M", true, 6, 2000000, 5, 0.008, 200877490},
		{"Unif2D2M", false, 2, 2000000, 1, 2.82, 9759275310},
	} {
		cols := published(c.expo, c.dim, c.n, c.seed)
		err := st.Do(func() error {
			for rep := range 3 {
				m := &memory{stream: st}
				err := func() error {
					defer m.release()
					x, err := upload(m, cols)
					if err != nil {
						return err
					}
					if err := st.Sync(); err != nil {
						return err
					}
					t0 := time.Now()
					e, err := extents(m, x)
					if err != nil {
						return err
					}
					j := &join{self: true, t: squared(c.radius)}
					l := newLayout(e, c.radius*slack, 1, nil, nil)
					if err := j.build(m, l, [][]cuda.Buffer[float64]{x}); err != nil {
						return err
					}
					ix := j.query
					if err := st.Sync(); err != nil {
						return err
					}
					t1 := time.Now()
					count, err := alloc[uint32](m, c.n)
					if err != nil {
						return err
					}
					if err := j.countEntries(st, cuda.Buffer[uint32]{}, 0, c.n, count); err != nil {
						return err
					}
					s, err := newSorter(m, c.n)
					if err != nil {
						return err
					}
					offset, err := alloc[uint64](m, c.n+1)
					if err != nil {
						return err
					}
					if err := s.scan(st, count, cuda.Buffer[uint32]{}, offset); err != nil {
						return err
					}
					total := make([]uint64, 1)
					if err := firstError(cuda.Download(st, total, offset.Slice(c.n, c.n+1)), st.Sync()); err != nil {
						return err
					}
					t2 := time.Now()
					csr := time.Duration(0)
					if total[0] < 4e9 {
						out, err := alloc[uint32](m, int(total[0]))
						if err != nil {
							return err
						}
						if err := st.Sync(); err != nil {
							return err
						}
						t3 := time.Now()
						if err := firstError(j.fillEntries(st, cuda.Buffer[uint32]{}, 0, c.n, offset, 0, out), st.Sync()); err != nil {
							return err
						}
						csr = time.Since(t3)
					}
					if got := total[0] + uint64(c.n); got != c.want {
						t.Errorf("%s: |R| = %d, want %d", c.name, got, c.want)
					}
					fmt.Printf("%-10s eps %-8g rep %d cells %-8d table %-5v index %.2f count %.2f fill %.2f ms\n", c.name, c.radius, rep, ix.cells, ix.table.N > 0,
						t1.Sub(t0).Seconds()*1e3, t2.Sub(t1).Seconds()*1e3, csr.Seconds()*1e3)
					return nil
				}()
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func squared(r float64) float64 {
	t := r * r
	for math.Sqrt(math.Nextafter(t, 1e300)) <= r {
		t = math.Nextafter(t, 1e300)
	}
	for math.Sqrt(t) > r {
		t = math.Nextafter(t, 0)
	}
	return t
}
