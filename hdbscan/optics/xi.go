package optics

import (
	"fmt"
	"math"
	"slices"

	"skyjoin/neighbors"
)

// Xi says how clusters are taken from the slopes of the plot.
type Xi struct {
	// Steepness is ξ, in (0, 1): r is steep down where r(i)·(1-ξ) ≥ r(i+1), and
	// steep up where r(i) ≤ r(i+1)·(1-ξ). 0 is 0.05.
	Steepness float64

	// MinClusterSize is the least rows of a cluster; 0 is MinSamples.
	MinClusterSize int

	// NoCorrection leaves out the correction by predecessors (Schubert & Gertz,
	// LWDA 2018), which removes rows at the ends of clusters that are reached
	// from outside.
	NoCorrection bool
}

// A Cluster of the plot is a range of the order, which others can be within.
type Cluster struct {
	Start, End int // first and last position in Ordering.Order
	Parent     int // the smallest cluster around it by its place in the list, -1 for none
}

// Xi returns the clusters of the plot, those inside of others before them, and
// the label of every row: that of the first cluster which has it and in which
// there is no earlier one. Figure 19 of the paper, with definitions 9 and 11 put
// right as scikit-learn has them. Errors wrap neighbors.ErrRequest.
func (o *Ordering) Xi(x Xi) ([]Cluster, []int32, error) {
	if x.Steepness == 0 {
		x.Steepness = .05
	}
	if !(x.Steepness > 0 && x.Steepness < 1) {
		return nil, nil, fmt.Errorf("%w: xi %v, it must be above 0 and below 1", neighbors.ErrRequest, x.Steepness)
	}
	samples := int(min(math.Ceil(o.minSamples), 1<<40))
	if x.MinClusterSize == 0 {
		x.MinClusterSize = samples
	}
	if x.MinClusterSize < 1 {
		return nil, nil, fmt.Errorf("%w: min-cluster-size %d, it must be at least 1", neighbors.ErrRequest, x.MinClusterSize)
	}
	p := &plot{Xi: x, samples: samples, keep: 1 - x.Steepness}
	place := make([]int64, len(o.Order)) // of every row
	for i, row := range o.Order {
		place[row] = int64(i)
	}
	for _, row := range o.Order {
		p.r = append(p.r, o.Reachability[row])
		before := int64(-1)
		if o.Predecessor[row] >= 0 {
			before = place[o.Predecessor[row]]
		}
		p.before = append(p.before, before)
	}
	p.r = append(p.r, math.Inf(1)) // ends clusters at the end
	p.find()
	labels := make([]int32, len(o.Order))
	for i, l := range p.labels() {
		labels[o.Order[i]] = l
	}
	nest(p.clusters)
	return p.clusters, labels, nil
}

// A plot is reachability in the order, +Inf after the last.
type plot struct {
	Xi
	samples  int     // that a region may be level for
	keep     float64 // 1-ξ
	r        []float64
	before   []int64 // position of the predecessor
	areas    []area
	clusters []Cluster
}

// An area is steep down: where a cluster may begin.
type area struct {
	start, end int
	most       float64 // largest reachability since its end
}

func (p *plot) steepDown(i int) bool { return p.down(i) && p.r[i]*p.keep >= p.r[i+1] }
func (p *plot) steepUp(i int) bool   { return p.up(i) && p.r[i] <= p.r[i+1]*p.keep }
func (p *plot) down(i int) bool      { return p.r[i] > p.r[i+1] }
func (p *plot) up(i int) bool        { return p.r[i] < p.r[i+1] }

// extend returns the end of the steep region that begins at start: it goes on
// while there is no step the other way, nor many that are not steep.
func (p *plot) extend(start int, steep, other func(int) bool) int {
	level, end := 0, start
	for i := start; i+1 < len(p.r); i++ {
		switch {
		case steep(i):
			level, end = 0, i
		case other(i):
			return end
		default:
			if level++; level > p.samples {
				return end
			}
		}
	}
	return end
}

// find goes from one steep region to the next.
func (p *plot) find() {
	most, next := 0.0, 0
	for i := 0; i+1 < len(p.r); i++ {
		if i < next || !p.steepDown(i) && !p.steepUp(i) {
			continue
		}
		for _, r := range p.r[next : i+1] {
			most = max(most, r)
		}
		p.drop(most)
		if p.steepDown(i) {
			end := p.extend(i, p.steepDown, p.up)
			p.areas = append(p.areas, area{i, end, 0})
			next = end + 1
		} else {
			end := p.extend(i, p.steepUp, p.down)
			next = end + 1
			p.close(i, end)
		}
		most = p.r[next]
	}
}

// drop forgets areas that what came since is too high for.
func (p *plot) drop(most float64) {
	if math.IsInf(most, 1) {
		p.areas = p.areas[:0]
		return
	}
	p.areas = slices.DeleteFunc(p.areas, func(a area) bool { return most > p.r[a.start]*p.keep })
	for i := range p.areas {
		p.areas[i].most = max(p.areas[i].most, most)
	}
}

// close takes the clusters that end in the region [up, end], the smallest first.
func (p *plot) close(up, end int) {
	for k := len(p.areas) - 1; k >= 0; k-- {
		a := p.areas[k]
		start, stop, last := a.start, end, p.r[end+1]
		if last*p.keep < a.most {
			continue
		}
		switch top := p.r[a.start]; {
		case top*p.keep >= last:
			for start < a.end && p.r[start+1] > last {
				start++
			}
		case last*p.keep >= top:
			for stop > up && p.r[stop-1] > top {
				stop--
			}
		}
		if !p.NoCorrection {
			for start < stop && p.r[start] <= p.r[stop] && !(p.before[stop] >= int64(start) && p.before[stop] < int64(stop)) {
				stop--
			}
			if start >= stop {
				continue
			}
		}
		if stop-start+1 >= p.MinClusterSize && start <= a.end && stop >= up {
			p.clusters = append(p.clusters, Cluster{start, stop, -1})
		}
	}
}

// labels returns the label of every position.
func (p *plot) labels() []int32 {
	labels := slices.Repeat([]int32{Noise}, len(p.r)-1)
	next := int32(0)
	for _, c := range p.clusters {
		part := labels[c.Start : c.End+1]
		if slices.ContainsFunc(part, func(l int32) bool { return l != Noise }) {
			continue
		}
		for i := range part {
			part[i] = next
		}
		next++
	}
	return labels
}

// nest sets the parents of clusters.
func nest(clusters []Cluster) {
	order := make([]int, len(clusters)) // outer ones first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := clusters[a], clusters[b]
		if x.Start != y.Start {
			return x.Start - y.Start
		}
		if x.End != y.End {
			return y.End - x.End
		}
		return b - a
	})
	var open []int
	for _, i := range order {
		for len(open) > 0 && clusters[open[len(open)-1]].End < clusters[i].End {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			clusters[i].Parent = open[len(open)-1]
		}
		open = append(open, i)
	}
}
