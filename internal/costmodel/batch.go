package costmodel

import (
	"errors"
	"fmt"
	"math"
)

// A Run is one measured GPU join: of a given batch size, timed twice, with
// buffers that have to be allocated and with buffers that are there.
type Run struct {
	Batch   int64   // neighbours that a batch has room for, b_s
	Batches int     // batches that the join took, n_b
	First   float64 // seconds with the allocation of pinned buffers
	Again   float64 // seconds with buffers kept from before
}

// A BatchModel predicts the time of a GPU join from its radius and batch size,
// after Gowanlock & Karsin, "Accelerating the similarity self-join using the
// GPU", §5.4:
//
//	T(ε, b) = T₁·V + θ·n_b + T₂·b
//	V = (ε / ε_α)ⁿ,  n_b = ⌈V · n_α · b_α / b⌉
//
// where ε_α, n_α and b_α are those of the calibration. V, which the paper
// misprints, is the ratio of the volumes of the two balls. T₂ here is for the
// buffers of all streams together, and linear in b; it vanishes when buffers
// are kept from an earlier join. The model underestimates joins of more than
// about a hundred batches, which leave the GPU idle.
type BatchModel struct {
	Dim     int     `json:"dimensions"`
	Epsilon float64 `json:"epsilon"`       // ε_α
	Batch   int64   `json:"batch"`         // b_α
	Batches int     `json:"batches"`       // n_α
	Join    float64 `json:"join_seconds"`  // T₁ at ε_α
	Launch  float64 `json:"batch_seconds"` // θ, overhead of a batch
	Pin     float64 `json:"pin_seconds"`   // T₂, allocation of buffers for one neighbour in each stream
}

// FitBatch fits the model to joins at one radius with two batch sizes.
func FitBatch(dim int, epsilon float64, a, b Run) (*BatchModel, error) {
	switch {
	case dim < 1 || !(epsilon > 0) || math.IsInf(epsilon, 1):
		return nil, fmt.Errorf("a model of %d dimensions at radius %v cannot be", dim, epsilon)
	case a.Batch < 1 || b.Batch < 1 || a.Batches < 1 || b.Batches < 1:
		return nil, errors.New("a run of no batches cannot be fitted")
	case a.Batches == b.Batches:
		return nil, fmt.Errorf("both runs took %d batches: the overhead of a batch cannot be told; a larger radius has more neighbours", a.Batches)
	case !(a.Again > 0) || !(b.Again > 0):
		return nil, errors.New("a run took no time")
	}
	// The difference of the times is for the difference of the batches (eq. 2);
	// where noise makes it negative, a batch costs nothing that can be measured.
	launch := max((b.Again-a.Again)/float64(b.Batches-a.Batches), 0)
	launch = min(launch, a.Again/float64(a.Batches), b.Again/float64(b.Batches))
	pin := max(a.First-a.Again, 0) + max(b.First-b.Again, 0)
	return &BatchModel{
		Dim: dim, Epsilon: epsilon,
		Batch: a.Batch, Batches: a.Batches,
		Join:   a.Again - launch*float64(a.Batches),
		Launch: launch,
		Pin:    pin / float64(a.Batch+b.Batch),
	}, nil
}

// Volume returns V, the work at a radius relative to that of the calibration.
func (m *BatchModel) Volume(epsilon float64) float64 {
	return math.Pow(epsilon/m.Epsilon, float64(m.Dim))
}

// NumBatches predicts n_b.
func (m *BatchModel) NumBatches(epsilon float64, batch int64) float64 {
	return math.Ceil(m.Volume(epsilon) * float64(m.Batches) * (float64(m.Batch) / float64(batch)))
}

// Seconds predicts the time of a join; kept says that buffers of this size are
// there.
func (m *BatchModel) Seconds(epsilon float64, batch int64, kept bool) float64 {
	s := m.Join*m.Volume(epsilon) + m.Launch*m.NumBatches(epsilon, batch)
	if !kept {
		s += m.Pin * float64(batch)
	}
	return s
}

// mostBatches is how many batches the model is good for: more, smaller ones do
// not fill a GPU, which makes them slower than predicted (§5.4.3).
const mostBatches = 100

// Best returns the batch size in [lo, hi] of the shortest predicted time. The
// join gets at least as many batches as there are streams, and at most a
// hundred, as far as lo and hi allow.
func (m *BatchModel) Best(epsilon float64, lo, hi int64, streams int) int64 {
	results := m.Volume(epsilon) * float64(m.Batches) * float64(m.Batch)
	best := float64(hi) // fewer batches are better, unless buffers cost something
	if m.Pin > 0 {
		best = math.Sqrt(m.Launch * results / m.Pin) // d/db (θ·results/b + T₂·b) = 0
	}
	best = min(max(best, results/mostBatches), results/float64(max(streams, 1)), float64(hi))
	if !(best > float64(lo)) {
		return lo
	}
	return int64(best)
}
