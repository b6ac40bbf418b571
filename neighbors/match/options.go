package match

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// A Find says which of the pairs that meet the criterion are matches.
type Find uint8

const (
	// Best takes pairs in the order of (distance, row of A, row of B), and
	// each only if neither row is taken: no row is in two matches.
	Best Find = iota
	// Best1 takes for each row of A the nearest of B, the lowest row on ties.
	Best1
	// Best2 takes for each row of B the nearest of A, the lowest row on ties.
	Best2
	// All takes every pair.
	All
)

var finds = []string{Best: "best", Best1: "best1", Best2: "best2", All: "all"}

// Finds are the names of the rules, the default first.
func Finds() []string { return slices.Clone(finds) }

// String returns the name of the rule.
func (f Find) String() string { return finds[f] }

// ParseFind returns the rule of the name.
func ParseFind(name string) (Find, error) {
	return named.Index[Find](neighbors.ErrRequest, "find", finds, name)
}

// A Combination is how the errors of two rows are combined.
type Combination uint8

const (
	// Sum adds errors, as of two circles that must touch.
	Sum Combination = iota
	// Quadrature is the square root of the sum of the squares, as of the
	// difference of two independent measurements.
	Quadrature
)

var combinations = []string{Sum: "sum", Quadrature: "quadrature"}

// Combinations are the names, the default first.
func Combinations() []string { return slices.Clone(combinations) }

// String returns the name.
func (c Combination) String() string { return combinations[c] }

// ParseCombination returns the combination of the name.
func ParseCombination(name string) (Combination, error) {
	return named.Index[Combination](neighbors.ErrRequest, "combine", combinations, name)
}

// Options say which pairs match. At least one of Radius, K and the errors must be
// given.
type Options struct {
	Find Find

	// Radius is the largest distance of a match, in the unit of the metric
	// (radians on the sky); 0 sets no bound of its own.
	Radius float64
	// Min is the smallest distance of a match.
	Min float64
	// K makes only the K nearest rows of B, for each row of A, candidates; 0 sets no
	// bound. Rows nearer than Min do not count, so that with a Radius these are the K
	// nearest in the annulus. Other bounds apply as well.
	K int
	// ErrorA and ErrorB are radii of error of each row, in the unit of distances, not
	// negative. If either is given, the distance of a match is at most what Allowed
	// returns for the errors of its two rows; a side without errors has errors of 0.
	ErrorA, ErrorB []float64
	// Combined says how the errors of two rows become one, which is then multiplied by
	// Sigmas; 0 stands for 1.
	Combined Combination
	Sigmas   float64

	// Joiner carries out the join; nil is neighbors.CPU. Threads and Memory
	// are for the index, see neighbors.Input, and Memory also bounds the pairs
	// that are held.
	Joiner  neighbors.Joiner
	Threads int
	Memory  int64

	// Foresee, if set, receives the pairs of the rows Sample of A that meet the
	// criterion, before all rows are searched, so that the caller can estimate how many
	// there will be.
	Sample  []uint32
	Foresee func([]Pair) error

	// Progress, if set, is told how many more rows of A are done; calls may
	// overlap.
	Progress func(rows int64)
}

// hasErrors reports whether rows have radii of their own.
func (o *Options) hasErrors() bool { return o.ErrorA != nil || o.ErrorB != nil }

func (o *Options) check(a, b *neighbors.Points) error {
	switch {
	case o.Find > All:
		return fmt.Errorf("%w: find %d, it must be Best, Best1, Best2 or All", neighbors.ErrRequest, o.Find)
	case !(o.Radius >= 0) || math.IsInf(o.Radius, 1):
		return fmt.Errorf("%w: radius %v, it must be positive and finite", neighbors.ErrRequest, o.Radius)
	case o.Radius == 0 && o.K == 0 && !o.hasErrors():
		return fmt.Errorf("%w: a radius, a number of neighbours or errors are needed to bound the matches", neighbors.ErrRequest)
	case o.K < 0:
		return fmt.Errorf("%w: k=%d, it must be at least 1", neighbors.ErrRequest, o.K)
	case o.Combined > Quadrature:
		return fmt.Errorf("%w: combination %d of errors, it must be Sum or Quadrature", neighbors.ErrRequest, o.Combined)
	case !(o.Sigmas >= 0) || math.IsInf(o.Sigmas, 1):
		return fmt.Errorf("%w: errors taken %v times, it must be positive and finite", neighbors.ErrRequest, o.Sigmas)
	case !(o.Min >= 0) || math.IsInf(o.Min, 1):
		return fmt.Errorf("%w: minimum radius %v, it must be finite and not negative", neighbors.ErrRequest, o.Min)
	case o.Radius > 0 && o.Min > o.Radius:
		return fmt.Errorf("%w: the minimum radius %v is above the radius %v", neighbors.ErrRequest, o.Min, o.Radius)
	}
	for _, row := range o.Sample {
		if int(row) >= a.Len() {
			return fmt.Errorf("%w: row %d of A in the sample, there are %d", neighbors.ErrRequest, row, a.Len())
		}
	}
	for _, side := range []struct {
		name   string
		errors []float64
		rows   int
	}{{"A", o.ErrorA, a.Len()}, {"B", o.ErrorB, b.Len()}} {
		if side.errors != nil && len(side.errors) != side.rows {
			return fmt.Errorf("%w: %d errors for %d rows of %s", neighbors.ErrRequest, len(side.errors), side.rows, side.name)
		}
		for i, e := range side.errors {
			if !(e >= 0) || math.IsInf(e, 1) {
				return fmt.Errorf("%w: the error of row %d of %s is %v, it must be finite and not negative", neighbors.ErrRequest, i, side.name, e)
			}
		}
	}
	return nil
}

// prepare prepares the join that has all candidates, and sets the Joiner.
func (o *Options) prepare(ctx context.Context, a, b *neighbors.Points, m neighbors.Metric) (*neighbors.Plan, error) {
	if o.Joiner == nil {
		o.Joiner = neighbors.CPU{Threads: o.Threads, Memory: o.Memory}
	}
	if o.K > 0 {
		return o.prepareNearest(ctx, a, b, m, o.firstLook(b.Len()))
	}
	return neighbors.Prepare(ctx, o.input(a, b, m), neighbors.Within{Radius: o.reach(m), Distance: true})
}

// prepareNearest prepares the join that has the k nearest rows of b.
func (o *Options) prepareNearest(ctx context.Context, a, b *neighbors.Points, m neighbors.Metric, k int) (*neighbors.Plan, error) {
	return neighbors.Prepare(ctx, o.input(a, b, m), neighbors.Nearest{K: k, Pad: true})
}

func (o *Options) input(a, b *neighbors.Points, m neighbors.Metric) neighbors.Input {
	return neighbors.Input{Query: a, Data: b, Metric: m, Threads: o.Threads, Memory: o.Memory}
}

// tiny is a radius within which, in effect, only pairs at distance 0 lie. It is used
// where all errors are 0.
const tiny = 1e-150

// reach is the largest distance that a match can have.
func (o *Options) reach(m neighbors.Metric) float64 {
	reach := o.Radius
	if o.hasErrors() {
		var largest [2]float64
		for i, errors := range [][]float64{o.ErrorA, o.ErrorB} {
			if len(errors) > 0 {
				largest[i] = slices.Max(errors)
			}
		}
		most := o.Allowed(largest[0], largest[1])
		if reach == 0 || most < reach {
			reach = max(most, tiny)
		}
	}
	if m.IsAngle() {
		reach = min(reach, math.Pi)
	}
	return reach
}

// Allowed is the largest distance of a match of rows with the errors a and b.
func (o *Options) Allowed(a, b float64) float64 {
	times := cmp.Or(o.Sigmas, 1)
	if o.Combined == Quadrature {
		return times * math.Sqrt(float64(a*a)+float64(b*b))
	}
	return times * (a + b)
}

func errorOf(errors []float64, row uint32) float64 {
	if errors == nil {
		return 0
	}
	return errors[row]
}

// matches is the criterion for a pair that the join found.
func (o *Options) matches(a, b uint32, distance float64) bool {
	return distance >= o.Min && (o.Radius == 0 || distance <= o.Radius) &&
		(!o.hasErrors() || distance <= o.Allowed(errorOf(o.ErrorA, a), errorOf(o.ErrorB, b)))
}

// firstLook is how many of the nearest rows are looked for at first. With an
// inner radius it is one more than K: often a row itself is within it.
func (o *Options) firstLook(rowsB int) int {
	if o.Min > 0 {
		return min(o.K+1, rowsB)
	}
	return o.K
}
