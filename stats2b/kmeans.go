package stats2b

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"skyjoin/neighbors"
)

const (
	kmeansSample = 1 << 16 // rows that centres are fitted to
	kmeansRounds = 100     // at most
)

// KMeansPatches makes k patches around the centres that the k-means algorithm
// (Lloyd 1982; first centres by Arthur & Vassilvitskii 2007) finds for the
// points, or for 65,536 of them if there are more: directions on the sky. The
// same seed (PCG of math/rand/v2, stream 1) gives the same patches. Every place
// belongs to the patch of the nearest centre.
func KMeansPatches(k int, m neighbors.Metric, points *neighbors.Points, seed uint64) (*Patching, error) {
	if k < 1 || k > maxPatches {
		return nil, fmt.Errorf("%w: %d patches, there can be 1 to %d", neighbors.ErrRequest, k, maxPatches)
	}
	if points.Len() < k {
		return nil, fmt.Errorf("%w: %d patches of %d rows", neighbors.ErrRequest, k, points.Len())
	}
	if n := points.Len(); n > kmeansSample {
		rows := make([]uint32, kmeansSample)
		for i := range rows {
			// A Weyl sequence: no period of the rows matters.
			rows[i] = uint32(uint64(uint32(uint64(i)*0x9E3779B97F4A7C15>>32)) * uint64(n) >> 32)
		}
		points = points.Subset(rows)
	}
	x, err := places(points, m)
	if err != nil {
		return nil, err
	}
	f := &fit{x: x, n: points.Len(), sphere: m.PositionColumns() > 0, centres: make([]float64, 0, k*len(x))}
	f.begin(k, rand.New(rand.NewPCG(seed, 1)))
	for range kmeansRounds {
		if !f.move() {
			break
		}
	}
	return Division{Kind: "kmeans", N: k, Centres: f.centres}.Patching(m)
}

// A fit moves centres to the means of the points that are nearest to them. All sums
// are in the order of rows.
type fit struct {
	x       [][]float64 // by coordinate
	n       int
	sphere  bool
	centres []float64 // one after another
	label   []int
}

func (f *fit) at(i int, x []float64) []float64 {
	for j := range f.x {
		x[j] = f.x[j][i]
	}
	return x
}

func (f *fit) squared(x []float64, centre int) float64 { return squared(f.centres, x, centre) }

// begin draws rows as the first centres, each with a probability proportional to the
// squared distance from the centres before it.
func (f *fit) begin(k int, rng *rand.Rand) {
	x := make([]float64, len(f.x))
	f.centres = append(f.centres, f.at(rng.IntN(f.n), x)...)
	far := slices.Repeat([]float64{math.Inf(1)}, f.n)
	for c := 1; c < k; c++ {
		var total float64
		for i := range far {
			far[i] = min(far[i], f.squared(f.at(i, x), c-1))
			total += far[i]
		}
		pick, want := rng.IntN(f.n), rng.Float64()*total
		for i := range far {
			if want -= far[i]; want < 0 && far[i] > 0 {
				pick = i
				break
			}
		}
		f.centres = append(f.centres, f.at(pick, x)...)
	}
}

// move moves every centre to the mean of its rows, on the sphere to its direction,
// and reports whether any row has changed its centre.
func (f *fit) move() bool {
	dim := len(f.x)
	first := f.label == nil
	if first {
		f.label = make([]int, f.n)
	}
	changed := first
	sums, rows := make([]float64, len(f.centres)), make([]float64, len(f.centres)/dim)
	x := make([]float64, dim)
	for i := range f.n {
		c := nearest(f.centres, f.at(i, x))
		changed = changed || c != f.label[i]
		f.label[i] = c
		rows[c]++
		for j, v := range x {
			sums[c*dim+j] += v
		}
	}
	for c, n := range rows {
		s := sums[c*dim:][:dim]
		length := n
		if f.sphere {
			length = math.Sqrt(float64(s[0]*s[0]) + float64(s[1]*s[1]) + float64(s[2]*s[2]))
		}
		if n == 0 || length == 0 {
			continue // it stays where it is
		}
		for j := range s {
			f.centres[c*dim+j] = s[j] / length
		}
	}
	return changed
}
