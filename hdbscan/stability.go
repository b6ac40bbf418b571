package hdbscan

import (
	"cmp"
	"math"

	"skyjoin/internal/exact"
)

// A stability is a sum of weight·λ, exactly. Where λ is infinite only the weight is
// kept, which counts more than anything finite: the limit of heights that go to 0.
type stability struct {
	infinite exact.Sum
	finite   exact.Expansion
}

// add adds mass·λ.
func (s *stability) add(mass exact.Sum, lambda float64) {
	if math.IsInf(lambda, 1) {
		s.infinite.AddSum(mass)
		return
	}
	s.finite.AddMultiple(mass, lambda)
}

// subtract subtracts mass·λ, which is finite.
func (s *stability) subtract(mass exact.Sum, lambda float64) { s.finite.AddMultiple(mass, -lambda) }

// plus adds o.
func (s *stability) plus(o *stability) {
	s.infinite.AddSum(o.infinite)
	s.finite.AddExpansion(o.finite)
}

// clone returns a stability of its own.
func (s *stability) clone() stability { return stability{s.infinite, s.finite.Clone()} }

// compare returns -1, 0 or +1 for s < o, s = o or s > o.
func (s *stability) compare(o *stability) int {
	if c := s.infinite.Compare(o.infinite); c != 0 {
		return c
	}
	return s.finite.Compare(o.finite)
}

// float returns the stability rounded once, in the unit of the scale.
func (s *stability) float(scale exact.Scale) float64 {
	if s.infinite.Compare(exact.Sum{}) > 0 {
		return math.Inf(1)
	}
	return math.Ldexp(s.finite.Float(), scale.Exponent())
}

// persistence is how long clusters of some weight live, as a fraction of the largest λ
// of all.
func persistence(stability, weight, most float64) float64 {
	switch {
	case math.IsInf(most, 1) || math.IsInf(stability, 1):
		return 1
	case cmp.Compare(weight, 0) <= 0 || most == 0:
		return 0
	}
	return stability / (weight * most)
}
