package published

import (
	"fmt"
	"math"
	"strings"

	"skyjoin/gpu"
	"skyjoin/hybrid"
	"skyjoin/neighbors"
)

const (
	heteroTimes = "HEGJOIN as published, LBJOIN beside NEW-SUPER-EGO, batches of 5·10⁷ neighbours, index included, as in the paper."
	heteroModel = " The model extrapolates both sides from ε_r, .6 of the largest radius, by the volume of the ball."
)

// lbjoinAlone is LBJOIN in HEGJOIN.
var lbjoinAlone = gpu.Config{Pattern: gpu.PatternFull, Order: gpu.OrderWorkQueue}

// heterogeneous are the exponential data at three radii of the paper's ranges.
var heterogeneous = radii(largest, .2, reference, 1)

// reference is ε_r as a part of the largest radius: the middle of the radii.
const reference = .6

var largest = []set{expo(2, 2, .002), expo(2, 10, .0004), expo(4, 2, .01), expo(4, 10, .004), expo(6, 2, .015), expo(6, 10, .008), expo(8, 2, .015), expo(8, 10, .012)}

// refined are the data of Table 4.
var refined = []line{
	{expo(2, 2, .002), []float64{893_877_929, 2_812_071_408, 3_705_949_337, 3_185_072_965, .86}}, {expo(4, 2, .01), []float64{672_847_132, 1_777_133_999, 2_449_981_131, 2_209_642_354, .9}},
	{expo(8, 2, .015), []float64{3_881_606_529, 1_410_542_112, 3_659_149_867, 3_372_066_683, .92}}, {expo(2, 10, .0004), []float64{1_601_136_521, 2_042_081_926, 3_643_218_447, 3_335_696_291, .92}},
	{expo(4, 10, .004), []float64{2_809_451_506, 2_334_736_697, 5_144_188_204, 4_531_486_011, .88}}, {expo(8, 10, .012), []float64{2_233_156_849, 1_010_004_731, 3_243_161_581, 4_013_791_675, 1.24}},
}

// transferred are the data of Table 5.
var transferred = []line{
	{expo(2, 2, .002), []float64{5.11, 30.99, .16}}, {expo(4, 2, .01), []float64{9.22, 81.97, .11}}, {expo(8, 2, .015), []float64{.22, 18.47, .01}},
	{expo(2, 10, .0004), []float64{6.69, 27.16, .25}}, {expo(4, 10, .004), []float64{8.21, 55.27, .15}}, {expo(8, 10, .012), []float64{1.19, 116.61, .01}},
}

// alone is the time of one side by itself, once for all tables.
func (b *bench) alone(s *subject, onCard bool) (took float64, err error) {
	key := fmt.Sprint(s.set, onCard)
	if known, ok := b.shared[key]; ok {
		return known.took, nil
	}
	if onCard {
		err = b.on(lbjoinAlone, func(j *gpu.Joiner) error { took, err = b.join(s, j, nil); return err })
	} else {
		took, err = b.join(s, b.cpu(neighbors.NewSuperEGO), nil)
	}
	if err == nil {
		b.shared[key] = division{took: took}
	}
	return took, err
}

// extrapolated is the time of one side by the model, from that at ε_r.
func (b *bench) extrapolated(s *subject, onCard bool) (float64, error) {
	at := s.set
	for _, l := range largest {
		if l.family() == s.family() {
			at.radius = rounded(reference * l.radius)
		}
	}
	r, err := b.subject(at)
	if err != nil {
		return 0, err
	}
	took, err := b.alone(r, onCard)
	return took * math.Pow(s.radius/at.radius, float64(s.dim)), err
}

func card() way {
	return one("LBJOIN, s", true, 1, func(b *bench, s *subject) (float64, error) { return b.alone(s, true) })
}

func host() way {
	return one("NEW-SUPER-EGO, s", false, 1, func(b *bench, s *subject) (float64, error) { return b.alone(s, false) })
}

func modelled(name string, onCard bool) way {
	return one(name, onCard, 1, func(b *bench, s *subject) (float64, error) { return b.extrapolated(s, onCard) })
}

// rates are the times of both sides by the model.
func (b *bench) rates(s *subject) (r hybrid.Rates, err error) {
	if r.CPU, err = b.extrapolated(s, false); err == nil {
		r.GPU, err = b.extrapolated(s, true)
	}
	return r, err
}

// together is the time of both sides by the model.
func together() way {
	return one("model, s", true, 1, func(b *bench, s *subject) (float64, error) {
		r, err := b.rates(s)
		return r.CPU * r.GPU / (r.CPU + r.GPU), err
	})
}

// dividing runs HEGJOIN with a partition, once for all tables.
func (b *bench) dividing(s *subject, p hybrid.Partition) (d division, err error) {
	key := fmt.Sprint(s.set, p)
	if known, ok := b.shared[key]; ok {
		return known, nil
	}
	rates, err := b.rates(s)
	if err != nil {
		return d, err
	}
	err = b.on(lbjoinAlone, func(g *gpu.Joiner) error {
		j := &hybrid.Joiner{CPU: b.cpu(neighbors.NewSuperEGO), GPUs: []neighbors.Joiner{g}, Partition: p, Rates: rates, Share: rates.CPU / (rates.CPU + rates.GPU)}
		d.took, d.report, err = b.divided(s, j)
		return err
	})
	if err == nil {
		b.shared[key] = d
	}
	return d, err
}

// dividedWay is a time, or a part that does not grow with the data, of HEGJOIN.
func dividedWay(name string, p hybrid.Partition, of func(division) float64) way {
	scales := 0
	if strings.HasSuffix(name, ", s") {
		scales = 1
	}
	return one(name, true, scales, func(b *bench, s *subject) (float64, error) {
		d, err := b.dividing(s, p)
		return of(d), err
	})
}

func elapsed(d division) float64   { return d.took }
func imbalance(d division) float64 { return d.report.Imbalance }

// throughput has the candidates that each side refines a second.
func throughput() way {
	return way{[]Column{{"LBJOIN", 0, true}, {"NEW-SUPER-EGO", 0, false}}, func(b *bench, s *subject, _ []float64) ([]float64, error) {
		lb, ego, err := b.candidates(s)
		if err != nil {
			return nil, err
		}
		onCard := none
		if b.card {
			if onCard, err = b.alone(s, true); err != nil {
				return nil, err
			}
		}
		onHost, err := b.alone(s, false)
		return []float64{lb / onCard, ego / onHost}, err
	}}
}

// bound is the sum of both.
func bound() way {
	return way{[]Column{{"upper bound", 0, true}}, func(_ *bench, _ *subject, before []float64) ([]float64, error) {
		return []float64{before[0] + before[1]}, nil
	}}
}

func dynamicThroughput() way {
	return way{[]Column{{"HEGJOIN-DYN", 0, true}, {"ratio", 0, true}}, func(b *bench, s *subject, before []float64) ([]float64, error) {
		lb, _, err := b.candidates(s)
		if err != nil {
			return nil, err
		}
		d, err := b.dividing(s, hybrid.Dynamic)
		return []float64{lb / d.took, lb / d.took / before[2]}, err
	}}
}
