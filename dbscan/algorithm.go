package dbscan

import (
	"context"
	"fmt"
	"strings"

	"skyjoin/neighbors"
)

// An Algorithm is a way to find the clusters. All give the same answer, value
// for value; [Result] says which was taken.
type Algorithm string

const (
	// Auto takes the first of the following that can do what the Options ask for.
	Auto Algorithm = ""

	// Device leaves all to a Joiner that is a [Clusterer], as that of a GPU is:
	// union-find on the device, cell by cell. It does not know weights or
	// BorderNearest.
	Device Algorithm = "device"

	// Cells is DBSCAN on a grid (Gunawan, 2013; Gan & Tao, SIGMOD 2015): whole
	// cells are known to be core or not, or to be in one cluster, and a point is
	// compared with others until it is known to be core. It does not know weights
	// or periodic metrics, and needs a Joiner that is a neighbors.Counter, which
	// counts the neighbours first where Counts or Pairs are asked for.
	Cells Algorithm = "cells"

	// UnionFind streams the neighbours of all rows once, which unites core rows
	// with a concurrent union-find on the way (as FDBSCAN of Prokopenko,
	// Lebrun-Grandié & Arndt, ICPP 2023), and the neighbours of the rows that are
	// not core a second time, for border rows. It can do all there is.
	UnionFind Algorithm = "union-find"
)

// An algorithm can be asked for by its name. cannot says what it does not know
// of the options, "" if it knows all.
type algorithm struct {
	name   Algorithm
	cannot func(o *Options, p *neighbors.Plan) string
	run    func(r *Result, ctx context.Context, p *neighbors.Plan, o *Options) error
}

// algorithms are all there are, in the order of preference.
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
	names := []string{"auto"}
	for _, a := range algorithms {
		if string(a.name) == name {
			return a.name, nil
		}
		names = append(names, string(a.name))
	}
	last := len(names) - 1
	return "", fmt.Errorf("%w: algorithm %q, it must be %s or %s", neighbors.ErrRequest, name, strings.Join(names[:last], ", "), names[last])
}

// choose returns the one of some algorithms that the options ask for, or the
// first that can do what they ask for.
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
			return nil, fmt.Errorf("%w: algorithm %s does not know %s; auto chooses one that does", neighbors.ErrRequest, a.name, why)
		}
	}
	_, err := ParseAlgorithm(string(o.Algorithm))
	return nil, err
}
