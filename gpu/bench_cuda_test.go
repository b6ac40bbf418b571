//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"skyjoin/dbscan"
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
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

// needCard skips the test where the tests run on the emulator.
func needCard(t *testing.T) {
	t.Helper()
	if os.Getenv("SKYJOIN_GPU") == "" {
		t.Skip("SKYJOIN_GPU is not set: no card")
	}
}

// onCard runs f on a stream of the first GPU, and skips the test where the
// tests run on the emulator.
func onCard(t *testing.T, f func(m *memory) error) {
	needCard(t)
	ctx, err := cuda.Open(0, images)
	if err != nil {
		t.Fatal(err)
	}
	defer ctx.Close()
	st, err := ctx.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	err = st.Do(func() error {
		m := &memory{stream: st}
		defer m.release()
		return f(m)
	})
	if err != nil {
		t.Error(err)
	}
}

// timed does f in a sequence and returns the milliseconds it took, the stream
// included.
func timed(q *sequence, f func()) float64 { return 1e3 * q.seconds(f) }

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

type data struct {
	name   string
	expo   bool
	dim, n int
	seed   uint64
}

var (
	unif2D2M  = data{"Unif2D2M", false, 2, 2000000, 1}
	unif2D10M = data{"Unif2D10M", false, 2, 10000000, 2}
	unif6D2M  = data{"Unif6D2M", false, 6, 2000000, 3}
	expo2D2M  = data{"Expo2D2M", true, 2, 2000000, 4}
	expo6D2M  = data{"Expo6D2M", true, 6, 2000000, 5}
	expo2D10M = data{"Expo2D10M", true, 2, 10000000, 6}
	unif3D10M = data{"Unif3D10M", false, 3, 10000000, 7}
)

const repetitions = 5

func TestPublished(t *testing.T) {
	for _, c := range []struct {
		data
		radius float64
		want   uint64
	}{
		{unif2D2M, 0.282, 101696704},
		{unif2D2M, 0.892, 994308118},
		{expo2D2M, 4.46e-4, 988259062},
		{unif2D10M, 0.4, 5019622038},
		{unif6D2M, 12, 51817750},
		{expo6D2M, 0.008, 200877490},
		{unif2D2M, 2.82, 9759275310},
		{unif2D2M, .126, 0},
		{unif2D2M, .4, 0},
		{unif3D10M, 1, 0},
		{unif3D10M, 2, 0},
	} {
		cols := published(c.expo, c.dim, c.n, c.seed)
		for reach := range 4 { // 0: chosen from the data
			if c.dim > 3 && reach > 1 {
				continue
			}
			onCard(t, func(m *memory) error {
				var index, counting, filling []float64
				given := begin(m.stream)
				defer given.end()
				x := upload(given, &given.memory, cols)
				sides := [][]cuda.Buffer[float64]{x}
				var run int
				var chosen float64
				once := func() error {
					q := begin(m.stream)
					defer q.end()
					q.err = given.err
					j := &join{self: true, t: squared(c.radius)}
					ms := timed(q, func() {
						e := extents(q, x)
						reach := reach
						if reach == 0 {
							reach = 1
							if finer[c.dim][0] > 0 {
								chosen = crowding(q, j.t, sides, true)
								reach = fineReach(c.dim, chosen)
							}
						}
						q.do(func() error {
							return j.build(&q.memory, newLayout(e, c.radius*slack/float64(reach), reach, nil, nil), sides)
						})
					})
					if q.err != nil {
						return q.err
					}
					run = j.data.meanRun()
					index = append(index, ms)
					count, offset := temp[uint32](q, c.n), temp[uint64](q, c.n+1)
					s := newSorter(q, c.n)
					total := make([]uint64, 1)
					ms = timed(q, func() {
						j.countEntries(q, cuda.Buffer[uint32]{}, 0, c.n, count)
						s.scan(count, cuda.Buffer[uint32]{}, offset)
						pull(q, total, slice(q, offset, c.n, c.n+1))
					})
					counting = append(counting, ms)
					if got := total[0] + uint64(c.n); q.err == nil && got != c.want && c.want > 0 {
						t.Errorf("%s: |R| = %d, want %d", c.name, got, c.want)
					}
					if total[0] > 4e9 {
						return q.err
					}
					out := temp[uint32](q, int(total[0]))
					filling = append(filling, timed(q, func() { j.fillEntries(q, cuda.Buffer[uint32]{}, 0, c.n, offset, 0, out) }))
					return q.err
				}
				for range repetitions {
					if err := once(); err != nil {
						return err
					}
				}
				fill := math.NaN()
				if len(filling) > 0 {
					fill = median(filling)
				}
				fmt.Printf("join %-10s eps %-8g reach %d (%.0f neighbours in the sample, mean run %d): index %.2f count %.2f fill %.2f ms\n", c.name, c.radius, reach, chosen, run, median(index), median(counting), fill)
				return nil
			})
		}
	}
}

// Clusters and noise of the published comparisons, and the labels of the CPU.
func TestPublishedClusters(t *testing.T) {
	for _, c := range []struct {
		data
		radius float64
		min    int64
		check  bool
	}{
		{expo2D2M, 4.46e-4, 10, true},
		{expo2D10M, 2e-4, 10, false},
		{unif2D10M, .4, 10, false},
		{unif3D10M, 1, 10, true},
		{unif3D10M, .5, 5, false},
		{expo6D2M, .008, 10, false},
	} {
		cols := published(c.expo, c.dim, c.n, c.seed)
		labels, core := make([]int32, c.n), make([]uint8, c.n)
		onCard(t, func(m *memory) error {
			given := begin(m.stream)
			defer given.end()
			x := upload(given, &given.memory, cols)
			if given.err != nil {
				return given.err
			}
			points := make([]neighbors.Column, c.dim)
			for i := range points {
				points[i] = neighbors.Float64s(cols[i].f64[:1])
			}
			p, err := neighbors.NewPoints(points...)
			if err != nil {
				return err
			}
			plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p}, neighbors.Within{Radius: c.radius})
			if err != nil {
				return err
			}
			for _, counted := range []bool{false, true} {
				var index, total []float64
				once := func() error {
					q := begin(m.stream)
					defer q.end()
					j := &join{self: true, t: plan.SquaredRadius()}
					sides := [][]cuda.Buffer[float64]{x}
					indexed := timed(q, func() {
						l := layTight(q, plan, extents(q, x), sides)
						q.do(func() error { return j.build(&q.memory, l, sides) })
					})
					var got *clustering
					rest := timed(q, func() {
						q.do(func() (err error) { got, err = j.cluster(&q.memory, c.min, false, counted); return err })
					})
					if q.err != nil {
						return q.err
					}
					index, total = append(index, indexed), append(total, indexed+rest)
					pull(q, labels, got.labels)
					pull(q, core, got.core)
					return q.sync()
				}
				for range repetitions {
					if err := once(); err != nil {
						return err
					}
				}
				noise := 0
				for _, l := range labels {
					if l < 0 {
						noise++
					}
				}
				fmt.Printf("dbscan %-10s eps %-8g min %d counted %v: %d clusters, %d noise; index %.2f, total %.2f ms\n", c.name, c.radius, c.min, counted,
					slices.Max(labels)+1, noise, median(index), median(total))
			}
			return nil
		})
		if !c.check || t.Skipped() {
			continue
		}
		points := make([]neighbors.Column, c.dim)
		for i := range points {
			points[i] = neighbors.Float64s(cols[i].f64)
		}
		p, err := neighbors.NewPoints(points...)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		want, err := dbscan.Run(context.Background(), p, neighbors.Euclidean(), c.radius, dbscan.Options{MinPoints: float64(c.min)})
		if err != nil {
			t.Fatal(err)
		}
		same := slices.Equal(labels, want.Labels)
		for i := range core {
			same = same && (core[i] != 0) == want.Core[i]
		}
		if !same {
			t.Errorf("%s: labels differ from those of the CPU", c.name)
		}
		fmt.Printf("dbscan %-10s on the CPU: %v, the same labels: %v\n", c.name, time.Since(start), same)
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
