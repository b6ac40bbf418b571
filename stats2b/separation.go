package stats2b

import (
	"math"

	"skyjoin/internal/exact"
	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

// A separator adds up the distances of pairs.
type separator struct {
	sums        []exact.Sum // by slot
	scale       exact.Scale
	angle       bool // of directions
	query, data *kernel.Points
}

// add adds the distances of point i with the found ones, whose squares are d2.
func (s *separator) add(i int, found []uint32, slots []int32, d2 []float64) {
	for k, slot := range slots {
		if slot < 0 {
			continue
		}
		r := math.Sqrt(d2[k])
		if s.angle {
			r = neighbors.Angle(d2[k], s.squaredSum(i, int(found[k])))
		}
		s.sums[slot].Add(s.scale.Fixed(r))
	}
}

// squaredSum is |a+b|² of two directions.
func (s *separator) squaredSum(i, j int) (sum float64) {
	for c := range s.query.Dim {
		x := s.query.Data[c*s.query.Stride+i] + s.data.Data[c*s.data.Stride+j]
		sum += float64(x * x)
	}
	return sum
}
