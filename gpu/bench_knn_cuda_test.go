//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// knnCases are the data of the published comparisons of the nearest, and K.
var knnCases = []struct {
	expo bool
	dim  int
	n    int
	k    []int
}{
	{false, 2, 2_000_000, []int{8, 32, 128}},
	{true, 2, 2_000_000, []int{8, 32, 128}},
	{false, 4, 2_000_000, []int{8, 32}},
	{true, 4, 2_000_000, []int{8, 32}},
	{false, 6, 2_000_000, []int{8, 32}},
	{true, 6, 2_000_000, []int{8}},
	{false, 2, 10_000_000, []int{8, 32, 128}},
	{true, 2, 10_000_000, []int{8, 32, 128}},
	{false, 4, 10_000_000, []int{8, 32, 128}},
	{true, 4, 10_000_000, []int{8, 32, 128}},
	{false, 6, 10_000_000, []int{8, 32, 128}},
	{true, 6, 10_000_000, []int{8, 32, 128}},
}

// knnPoints makes the points of a case with all cores.
func knnPoints(t *testing.T, expo bool, dim, n int) *neighbors.Points {
	t.Helper()
	s := splitmix(uint64(dim))
	cols := make([]neighbors.Column, dim)
	for j := range cols {
		v := make([]float64, n)
		par.Chunks(par.Threads(0), n, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				u := float64(splitmix(s+uint64(i*dim+j))>>11) * 0x1p-53
				x := 100 * u
				if expo {
					x = min(-math.Log1p(-u)/40, 1)
				}
				v[i] = float64(float32(x))
			}
		})
		cols[j] = neighbors.Float64s(v)
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// eachKNN calls f with the data and K of cases: those that begin with one of the
// names in $SKYJOIN_KNN, such as Expo6D10M/8,Unif, or all. $SKYJOIN_KNN_SHARE
// divides the rows.
func eachKNN(t *testing.T, f func(name string, points *neighbors.Points, k int)) {
	share := 1
	if s := os.Getenv("SKYJOIN_KNN_SHARE"); s != "" {
		var err error
		if share, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	wanted := strings.Split(os.Getenv("SKYJOIN_KNN"), ",")
	for _, c := range knnCases {
		var points *neighbors.Points
		for _, k := range c.k {
			name := fmt.Sprintf("%s%dD%dM/%d", map[bool]string{false: "Unif", true: "Expo"}[c.expo], c.dim, c.n/1_000_000, k)
			if !slices.ContainsFunc(wanted, func(w string) bool { return strings.HasPrefix(name, w) }) {
				continue
			}
			if points == nil {
				points = knnPoints(t, c.expo, c.dim, c.n/share)
			}
			f(name, points, k)
		}
	}
}

// The nearest of published data, from points in memory to lists in memory, which
// are visited and thrown away. The sum stands for the answer.
func TestPublishedKNN(t *testing.T) {
	needCard(t)
	j := opened(t, Config{})
	eachKNN(t, func(name string, points *neighbors.Points, k int) {
		p := prepared(t, neighbors.Input{Query: points}, neighbors.Nearest{K: k})
		var sum atomic.Uint64
		var took []float64
		transferred := j.Transferred()
		const runs = 3
		for run := range runs + 1 {
			start := time.Now()
			err := neighbors.Visit(context.Background(), j, p, p.Work(), func(_ int, b *neighbors.Batch) error {
				if run > 0 {
					return nil
				}
				// The first run warms up.
				var part uint64
				for i, r := range b.Rows {
					dist := b.Dists(i)
					for place, q := range b.List(i) {
						part += splitmix(uint64(r)<<32|uint64(q)) ^ splitmix(math.Float64bits(dist[place])+uint64(place))
					}
				}
				sum.Add(part)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if run == 0 {
				transferred = j.Transferred()
				continue
			}
			took = append(took, time.Since(start).Seconds())
		}
		slices.Sort(took)
		fmt.Printf("nearest %-12s: %.3f s (least %.3f), transfers %.3f s of all streams; sum %016x\n", name, took[len(took)/2], took[0],
			(j.Transferred()-transferred)/runs, sum.Load())
	})
}
