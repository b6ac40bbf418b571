package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// benchmark runs f for each tier, dimension and length of run, and reports
// candidates per second: those of the best burst, which other work on the
// machine disturbs least. Long runs are one query in a run of 1024; short ones
// are the cells of a sparse grid: four queries, three runs of ten.
func benchmark(b *testing.B, f func(k *Funcs, s *scene)) {
	for _, k := range All() {
		for _, dim := range []int{1, 2, 3, 4, 6, 8} {
			for _, length := range []int{1024, 10} {
				r := rand.New(rand.NewPCG(1, 2))
				p := fenced(dim, 4096+3, r.Float64) // columns an odd number of cache lines apart
				s := &scene{q: p, d: p, lo: 0, hi: 1, runs: []Run{{1000, 2024}}, t: 0.1}
				if length == 10 {
					s.hi, s.runs = 4, []Run{{1000, 1010}, {1500, 1510}, {2003, 2013}}
				}
				b.Run(fmt.Sprintf("%s/d=%d/run=%d", k.Name, dim, length), func(b *testing.B) {
					const burst = 50
					best := time.Hour
					for b.Loop() {
						start := time.Now()
						for range burst {
							f(k, s)
						}
						best = min(best, time.Since(start))
					}
					b.ReportMetric(float64(burst*(s.hi-s.lo)*s.candidates())/float64(best.Nanoseconds()), "Gcand/s")
				})
			}
		}
	}
}

func BenchmarkCount(b *testing.B) {
	count := make([]uint32, 4)
	benchmark(b, func(k *Funcs, s *scene) { k.Count(s.q, s.lo, s.hi, s.d, s.runs, s.t, count) })
}

func BenchmarkEmit(b *testing.B) {
	count, out := make([]uint32, 4), make([]uint32, 2048)
	benchmark(b, func(k *Funcs, s *scene) { k.Emit(s.q, s.lo, s.hi, s.d, s.runs, s.t, out, nil, count) })
}

func BenchmarkEmitSquared(b *testing.B) {
	count, out, dist := make([]uint32, 4), make([]uint32, 2048), make([]float64, 2048)
	benchmark(b, func(k *Funcs, s *scene) {
		k.Emit(s.q, s.lo, s.hi, s.d, s.runs, s.t, out, dist, count)
	})
}

func BenchmarkHalf(b *testing.B) {
	count := make([]uint32, 4096+2*Slack)
	benchmark(b, func(k *Funcs, s *scene) { k.Half(s.q, s.lo, s.hi, s.hi, s.runs, s.t, count) })
}

// BenchmarkNearest fills the lists of one query after another from nothing.
func BenchmarkNearest(b *testing.B) {
	for _, n := range []int{8, 32, 128} {
		b.Run(fmt.Sprintf("k=%d", n), func(b *testing.B) {
			dist, id := make([]float64, ListLen(n)), make([]uint32, ListLen(n))
			benchmark(b, func(k *Funcs, s *scene) {
				for i := s.lo; i < s.hi; i++ {
					ClearList(dist, id)
					k.Nearest(s.q, i, s.d, s.runs, None, n, dist, id)
				}
			})
		})
	}
}

// BenchmarkHist counts all pairs in linear bins, and in log bins that reach a
// sixth of the candidates as in a search by cells.
func BenchmarkHist(b *testing.B) {
	var linear, log []float64
	for i := range 101 {
		linear = append(linear, SquaredEdge(3*float64(i)/100))
	}
	for i := range 21 {
		log = append(log, SquaredEdge(0.35*math.Pow(50, float64(i)/20-1)))
	}
	for name, edges := range map[string][]float64{"linear": linear, "log": log} {
		bins, err := NewBins(edges)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			h := NewHistogram(bins)
			benchmark(b, func(k *Funcs, s *scene) { k.Hist(s.q, s.lo, s.hi, 0, s.d, s.runs, h) })
		})
	}
}

// BenchmarkWindows finds the cells around each of many in five rows of a grid:
// as many keys as there are cells in a row, which follow each other, or lie as
// far apart as chance has it.
func BenchmarkWindows(b *testing.B) {
	const n, row = 1 << 16, 1024
	r := rand.New(rand.NewPCG(3, 4))
	for _, gap := range []uint64{1, 1000} {
		keys := make([]uint64, 0, n+WindowSlack)
		for key := uint64(1 << 20); len(keys) < n; {
			key += 1 + r.Uint64N(2*gap-1)
			keys = append(keys, key)
		}
		query := keys
		keys = withNoKeys(keys)
		var windows []Window
		for i := range uint64(5) {
			windows = append(windows, Window{From: i*row - 2, To: i*row + 2})
		}
		cells, end := make([]Run, 64*len(windows)+1), make([]uint32, 64)
		for _, k := range All() {
			b.Run(fmt.Sprintf("%s/gap=%d", k.Name, gap), func(b *testing.B) {
				for b.Loop() {
					for i := range windows {
						windows[i].Rewind(0)
					}
					for i := 0; i < n; i += 64 {
						k.Windows(keys, query[i:i+64], windows, cells, end)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/cell")
			})
		}
	}
}
