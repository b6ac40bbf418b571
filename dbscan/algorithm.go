package dbscan

import (
	"context"
	"fmt"

	"skyjoin/internal/each"
	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// An algorithm can be requested by its name. cannot names the options that it does not
// support, "" if it supports all.
type algorithm struct {
	name   Algorithm
	cannot func(o *Options, p *neighbors.Plan) string
	run    func(r *Result, ctx context.Context, p *neighbors.Plan, o *Options) error
}

// algorithms are all algorithms, in the order of preference.
var algorithms = []algorithm{
	{Device, func(o *Options, _ *neighbors.Plan) string {
		_, ok := o.joiner().(Clusterer)
		switch {
		case !ok:
			return "a joiner that does not cluster"
		case o.Weights != nil:
			return "weights"
		case o.Border != BorderFirst && !o.Star:
			return "the border rule " + o.Border.String()
		}
		return ""
	}, (*Result).runDevice},
	{Cells, func(o *Options, p *neighbors.Plan) string {
		_, counts := o.joiner().(neighbors.Counter)
		switch {
		case !counts:
			return "a joiner that does not count"
		case o.Weights != nil:
			return "weights"
		case p.Periodic():
			return "periodic axes"
		}
		return ""
	}, (*Result).runCells},
	{UnionFind, func(*Options, *neighbors.Plan) string { return "" }, (*Result).runUnionFind},
}

// ParseAlgorithm returns the algorithm of that name; "auto" and "" are Auto.
// The error wraps neighbors.ErrRequest and lists the names.
func ParseAlgorithm(name string) (Algorithm, error) {
	if name == "auto" || name == "" {
		return Auto, nil
	}
	all := each.Of(algorithms, func(a algorithm) Algorithm { return a.name })
	return named.Value(neighbors.ErrRequest, "algorithm", append([]Algorithm{"auto"}, all...), name)
}

// choose returns the algorithm that the options request, or the first of some that
// supports the options.
func (o *Options) choose(some []algorithm, p *neighbors.Plan) (*algorithm, error) {
	for i, a := range some {
		if o.Algorithm != Auto && o.Algorithm != a.name {
			continue
		}
		why := a.cannot(o, p)
		if why == "" {
			return &some[i], nil
		}
		if o.Algorithm != Auto {
			return nil, fmt.Errorf("%w: algorithm %s does not support %s; auto chooses one that does", neighbors.ErrRequest, a.name, why)
		}
	}
	_, err := ParseAlgorithm(string(o.Algorithm))
	return nil, err
}
