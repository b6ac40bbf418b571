// Package validity says how good a clustering is by its densities alone.
package validity

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// Options say how DBCV measures. The zero value takes plain distances, on all
// cores.
type Options struct {
	// Squared takes squared distances, as the program of the authors does.
	Squared bool

	// Threads is the number of goroutines; 0 is all cores.
	Threads int
}

// A Validity is the index of a clustering, and what it is made of.
type Validity struct {
	Index    float64 // in [-1, 1]; NaN if fewer than two clusters have two rows
	Clusters []Cluster
}

// A Cluster of a clustering.
type Cluster struct {
	Rows       int64
	Sparseness float64 // largest edge within
	Separation float64 // least reachability to another; NaN if there is none
	Validity   float64 // (separation - sparseness) / the larger; 0 of one row, NaN without another cluster
}

// DBCV returns the density-based clustering validation of labels (Moulavi,
// Jaskowiak, Campello, Zimek & Sander, SDM 2014): negative labels are noise,
// clusters are numbered from 0.
//
// The core distance of a row is (mean of d^-D over the others of its cluster) to
// the power of -1/D, D being the number of columns; it is 0 beside a duplicate.
// The sparseness of a cluster is the largest edge between inner rows of its
// minimum spanning tree of mutual reachability, those of more than one edge, or
// the largest of all if none joins two of these. The separation is the least
// mutual reachability distance of inner rows, or all rows if none is inner, to
// those of another cluster. Clusters of one row have the validity 0, as noise.
// The index is the mean of the validities over all rows, those of noise being 0.
//
// Each cluster takes time that grows with its square. Errors wrap
// neighbors.ErrRequest or ErrCoordinate.
func DBCV(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, labels []int32, opt Options) (*Validity, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	if len(labels) != points.Len() {
		return nil, fmt.Errorf("%w: %d labels for %d rows", neighbors.ErrRequest, len(labels), points.Len())
	}
	ruler, err := neighbors.NewRuler(metric, points, points)
	if err != nil {
		return nil, err
	}
	m := &measure{ruler: ruler, squared: opt.Squared, dim: float64(points.Dim()), threads: par.Threads(opt.Threads), core: make([]float64, points.Len())}
	groups := make([][]uint32, 0)
	for row, l := range labels {
		for int(l) >= len(groups) {
			if len(groups) > points.Len() {
				return nil, fmt.Errorf("%w: row %d has label %d of %d rows, clusters are numbered from 0", neighbors.ErrRequest, row, l, points.Len())
			}
			groups = append(groups, nil)
		}
		if l >= 0 {
			groups[l] = append(groups[l], uint32(row))
		}
	}
	v := &Validity{Clusters: make([]Cluster, len(groups))}
	inner := make([][]uint32, len(groups))
	for label, rows := range groups {
		v.Clusters[label] = Cluster{Rows: int64(len(rows)), Separation: math.Inf(1)}
		if len(rows) < 2 {
			continue
		}
		if err := m.cores(ctx, rows); err != nil {
			return nil, err
		}
		if inner[label], v.Clusters[label].Sparseness, err = m.span(ctx, rows); err != nil {
			return nil, err
		}
	}
	return v, m.separate(ctx, v, inner, points.Len())
}

// A measure has the distances of rows and their core distances.
type measure struct {
	ruler   *neighbors.Ruler
	squared bool
	dim     float64
	threads int
	core    []float64
}

func (m *measure) distance(i, j uint32) float64 {
	d := m.ruler.Distance(i, j)
	if m.squared {
		return d * d
	}
	return d
}

// reach returns the mutual reachability distance.
func (m *measure) reach(i, j uint32) float64 {
	return max(m.core[i], m.core[j], m.distance(i, j))
}

// each calls visit for all rows of a list at the same time.
func (m *measure) each(ctx context.Context, rows []uint32, visit func(i int)) error {
	par.Chunks(m.threads, len(rows), func(_, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			visit(i)
		}
	})
	return ctx.Err()
}

// cores sets the core distances of the rows of a cluster. Distances are divided
// by the least, whose power of -D is 1 then: no power is too large.
func (m *measure) cores(ctx context.Context, rows []uint32) error {
	return m.each(ctx, rows, func(i int) {
		least := math.Inf(1)
		for j, q := range rows {
			if j != i {
				least = min(least, m.distance(rows[i], q))
			}
		}
		if least == 0 || math.IsInf(least, 1) {
			m.core[rows[i]] = least
			return
		}
		sum := 0.0
		for j, q := range rows {
			if j != i {
				sum += math.Pow(least/m.distance(rows[i], q), m.dim)
			}
		}
		m.core[rows[i]] = least * math.Pow(sum/float64(len(rows)-1), -1/m.dim)
	})
}

// span returns the inner rows of the minimum spanning tree of a cluster, and its
// sparseness. Edges are ordered by length, then by the lower row, then by the
// higher, by Prim's algorithm.
func (m *measure) span(ctx context.Context, rows []uint32) (inner []uint32, sparseness float64, err error) {
	type edge struct {
		length float64
		a, b   int
	}
	before := func(x, y edge) bool {
		return cmp.Or(cmp.Compare(x.length, y.length), cmp.Compare(min(x.a, x.b), min(y.a, y.b)), cmp.Compare(max(x.a, x.b), max(y.a, y.b))) < 0
	}
	n := len(rows)
	best := slices.Repeat([]edge{{math.Inf(1), n, n}}, n)
	done, degree := make([]bool, n), make([]int, n)
	var edges []edge
	for at := 0; len(edges) < n-1; {
		done[at] = true
		next := make([]int, m.threads) // best of each chunk
		err := ctx.Err()
		if err != nil {
			return nil, 0, err
		}
		par.Chunks(m.threads, n, func(chunk, lo, hi int) {
			next[chunk] = -1
			for j := lo; j < hi; j++ {
				if done[j] {
					continue
				}
				if e := (edge{m.reach(rows[at], rows[j]), at, j}); before(e, best[j]) {
					best[j] = e
				}
				if next[chunk] < 0 || before(best[j], best[next[chunk]]) {
					next[chunk] = j
				}
			}
		})
		at = -1
		for _, j := range next {
			if j >= 0 && (at < 0 || before(best[j], best[at])) {
				at = j
			}
		}
		edges = append(edges, best[at])
		degree[best[at].a]++
		degree[best[at].b]++
	}
	largest, between := 0.0, false
	for _, e := range edges {
		if degree[e.a] > 1 && degree[e.b] > 1 {
			sparseness, between = max(sparseness, e.length), true
		}
		largest = max(largest, e.length)
	}
	if !between {
		sparseness = largest
	}
	for i, d := range degree {
		if d > 1 {
			inner = append(inner, rows[i])
		}
	}
	if inner == nil {
		inner = rows
	}
	return inner, sparseness, nil
}

// separate sets the separations, the validities and the index.
func (m *measure) separate(ctx context.Context, v *Validity, inner [][]uint32, n int) error {
	for a := range inner {
		for b := a + 1; b < len(inner); b++ {
			if len(inner[a]) == 0 || len(inner[b]) == 0 {
				continue
			}
			least := slices.Repeat([]float64{math.Inf(1)}, len(inner[a]))
			if err := m.each(ctx, inner[a], func(i int) {
				for _, q := range inner[b] {
					least[i] = min(least[i], m.reach(inner[a][i], q))
				}
			}); err != nil {
				return err
			}
			apart := slices.Min(least)
			v.Clusters[a].Separation = min(v.Clusters[a].Separation, apart)
			v.Clusters[b].Separation = min(v.Clusters[b].Separation, apart)
		}
	}
	several := 0
	for _, rows := range inner {
		if len(rows) > 0 {
			several++
		}
	}
	for label := range v.Clusters {
		c := &v.Clusters[label]
		switch {
		case c.Rows < 2:
			c.Separation = math.NaN()
		case several < 2:
			c.Separation, c.Validity = math.NaN(), math.NaN()
		case max(c.Separation, c.Sparseness) > 0:
			c.Validity = (c.Separation - c.Sparseness) / max(c.Separation, c.Sparseness)
		}
		v.Index += float64(c.Rows) / float64(n) * c.Validity
	}
	if several < 2 {
		v.Index = math.NaN()
	}
	return nil
}
