package tiles

import (
	"math"

	"skyjoin/stats2b"
)

// A Binning says in which bins pairs are counted. It is a stats2b.Binning as
// plan.json stores it.
type Binning struct {
	Edges  []float64     `json:"edges"`
	Per    float64       `json:"per"`            // distances of the metric in an edge of 1
	Unit   string        `json:"unit,omitempty"` // of Edges
	Across []float64     `json:"across,omitempty"`
	Plane  stats2b.Plane `json:"plane,omitempty"`
	Axis   int           `json:"axis,omitempty"`
	Means  bool          `json:"means,omitempty"`
}

// NewBinning describes a binning.
func NewBinning(b stats2b.Binning, per float64, unit string) Binning {
	out := Binning{Edges: b.Bins.Edges(), Per: per, Unit: unit, Plane: b.Plane, Axis: b.Axis, Means: b.Means}
	if b.Plane != stats2b.NoPlane {
		out.Across = b.Across.Edges()
	}
	return out
}

func (b *Binning) fits() bool {
	return len(b.Edges) > 1 && b.Per > 0 && (b.Plane == stats2b.NoPlane) == (b.Across == nil)
}

// Binning returns the binning.
func (b *Binning) Binning() (out stats2b.Binning, err error) {
	out = stats2b.Binning{Plane: b.Plane, Axis: b.Axis, Means: b.Means}
	if out.Bins, err = stats2b.EdgeBins(b.Edges...); err != nil {
		return out, err
	}
	out.Bins = out.Bins.In(b.Per)
	if b.Across != nil {
		out.Across, err = stats2b.EdgeBins(b.Across...)
	}
	return out, err
}

// Radius returns how far apart rows can be that have a pair in the bins; angles
// are in radians.
func (b *Binning) Radius(angle bool) (float64, error) {
	s, err := b.Binning()
	if err != nil {
		return 0, err
	}
	if angle {
		return min(s.Reach(), math.Pi), nil
	}
	return s.Reach(), nil
}
