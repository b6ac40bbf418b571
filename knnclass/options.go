package knnclass

import (
	"fmt"
	"slices"

	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// A Vote is the rule by which neighbours are weighed.
type Vote uint8

const (
	Uniform    Vote = iota // every neighbour counts 1
	ByDistance             // a neighbour at distance d counts 1/d; if all are infinitely far, 1
)

var votes = []string{Uniform: "uniform", ByDistance: "distance"}

// Votes are the names of the rules, the default first.
func Votes() []string { return slices.Clone(votes) }

// String returns the name of the rule.
func (v Vote) String() string { return votes[v] }

// ParseVote returns the rule of the name.
func ParseVote(name string) (Vote, error) {
	return named.Index[Vote](neighbors.ErrRequest, "vote", votes, name)
}

// Options say how predictions are made. One of K and Radius has to be set.
type Options struct {
	K      int     // how many neighbours vote
	Radius float64 // all neighbours within it vote; a row without one is an outlier
	Vote   Vote

	// Probabilities asks for Prediction.Probability of classes.
	Probabilities bool

	// Block is how many query rows are joined at once, which bounds the memory
	// of their index; 0 is a million, or as many as there are training rows.
	Block int

	// Joiner carries out the join; nil is neighbors.CPU. Threads and Memory
	// are for the index, see neighbors.Input.
	Joiner  neighbors.Joiner
	Threads int
	Memory  int64

	// Progress, if set, is told how many more rows are done; calls may overlap.
	Progress func(rows int64)
}

func (o *Options) joiner() neighbors.Joiner {
	if o.Joiner == nil {
		return neighbors.CPU{Threads: o.Threads, Memory: o.Memory}
	}
	return o.Joiner
}

// blocks calls do for one range of query rows after another.
func (o *Options) blocks(query, train int, do func(lo, hi int) error) error {
	block := o.Block
	if block <= 0 {
		block = max(1<<20, train)
	}
	for lo := 0; lo < query || lo == 0; lo += block {
		if err := do(lo, min(lo+block, query)); err != nil {
			return err
		}
	}
	return nil
}

// query is the join that has the neighbours.
func (o *Options) query() (neighbors.Query, error) {
	switch {
	case o.Vote > ByDistance:
		return nil, fmt.Errorf("%w: vote %d, it must be Uniform or ByDistance", neighbors.ErrRequest, o.Vote)
	case o.K != 0 && o.Radius != 0:
		return nil, fmt.Errorf("%w: k=%d and radius %v, one of them says who votes", neighbors.ErrRequest, o.K, o.Radius)
	case o.Radius != 0:
		return neighbors.Within{Radius: o.Radius, Distance: true}, nil
	}
	return neighbors.Nearest{K: o.K}, nil
}
