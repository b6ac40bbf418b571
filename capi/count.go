package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"fmt"
	"unsafe"

	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

//export skyjoin_count_start
func skyjoin_count_start(a C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_count, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	size := unsafe.Sizeof(*what)
	if uintptr(what.size) == unsafe.Offsetof(what.patch_a) { // a program of version 1000
		size = uintptr(what.size)
	}
	r, err := read(a, metric, options, what.size, size, "count")
	one := &stats2b.Sample{Points: r.points}
	var two *stats2b.Sample
	var binning stats2b.Binning
	patches := 0
	if err == nil {
		one.Weights = r.weights(what.weights_a)
		if two, err = other(what); err == nil && size == unsafe.Sizeof(*what) {
			patches, err = divided(what, one, two)
		}
		if err == nil {
			binning, err = binningOf(what)
		}
	}
	if err == nil && two != nil {
		r.settings, err = readOptions(options, one.Points.Len()+two.Points.Len())
	}
	if err != nil {
		return tell(err, e)
	}
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		opt := stats2b.Options{Threads: r.threads, Memory: r.memory, Progress: j.progress}
		tally, err := on(r, func(joiner neighbors.Joiner) (*stats2b.Tally, error) {
			opt.Joiner = joiner
			return stats2b.CountPatches(j.ctx, one, two, r.metric, binning, patches, opt)
		})
		if err != nil {
			return nil, err
		}
		fields := counted(tally.Counts(), &binning)
		if patches > 0 {
			addPatches(fields, tally)
		}
		return &result{fields: fields}, nil
	})
}

// other returns the second catalog; nil for pairs of one.
func other(what *C.skyjoin_count) (*stats2b.Sample, error) {
	if what.b == 0 {
		return nil, nil
	}
	p, err := held[*neighbors.Points](uint64(what.b))
	if err != nil {
		return nil, err
	}
	return &stats2b.Sample{Points: p, Weights: doubles(what.weights_b, C.int64_t(p.Len()))}, nil
}

// divided reads the patches of both catalogs and returns how many there are.
func divided(what *C.skyjoin_count, one, two *stats2b.Sample) (int, error) {
	if what.patches == 0 {
		return 0, nil
	}
	if what.patches < 0 || what.patches > 1<<16 {
		return 0, fmt.Errorf("%w: %d patches, it must be 0 to %d", neighbors.ErrRequest, what.patches, 1<<16)
	}
	one.Patch = numbers(what.patch_a, one.Points.Len())
	if two != nil {
		two.Patch = numbers(what.patch_b, two.Points.Len())
	}
	return int(what.patches), nil
}

// numbers are one a row of the caller; nil if there are none.
func numbers(p *C.int32_t, rows int) []int32 {
	if p == nil {
		return nil
	}
	return unsafe.Slice((*int32)(p), rows)
}

func binningOf(what *C.skyjoin_count) (b stats2b.Binning, err error) {
	if b.Bins, err = stats2b.EdgeBins(doubles(what.edges, what.nedges)...); err != nil {
		return b, err
	}
	if what.plane < C.SKYJOIN_R || what.plane > C.SKYJOIN_S_MU {
		return b, fmt.Errorf("%w: plane %d, it must be of enum skyjoin_plane", neighbors.ErrRequest, what.plane)
	}
	b.Plane, b.Axis = stats2b.Plane(what.plane), int(what.axis)
	b.Means = what.flags&C.SKYJOIN_WANT_SEPARATIONS != 0
	b.WeightedMeans = what.flags&C.SKYJOIN_WANT_WEIGHTED_SEPARATIONS != 0
	if b.Plane != stats2b.NoPlane {
		b.Across, err = stats2b.EdgeBins(doubles(what.across, what.nacross)...)
	}
	return b, err
}

func counted(c *stats2b.Counts, b *stats2b.Binning) map[C.int32_t]field {
	fields := map[C.int32_t]field{
		C.SKYJOIN_PAIRS:        values[uint64](c.Pairs),
		C.SKYJOIN_TOTALS:       values[uint64]([]uint64{c.Under, c.Over, c.Total}),
		C.SKYJOIN_TOTAL_WEIGHT: values[float64]([]float64{c.TotalWeight}),
	}
	if c.Weights != nil {
		fields[C.SKYJOIN_WEIGHTS] = values[float64](c.Weights)
	}
	if b.Means {
		fields[C.SKYJOIN_SEPARATIONS] = values[float64](c.MeanSeparation(b.Cells()))
	}
	if b.WeightedMeans {
		r, logR := c.WeightedMeans()
		fields[C.SKYJOIN_WEIGHTED_SEPARATIONS] = values[float64](r)
		fields[C.SKYJOIN_LOG_SEPARATIONS] = values[float64](logR)
	}
	return fields
}

// addPatches adds the fields by pair of patches.
func addPatches(fields map[C.int32_t]field, t *stats2b.Tally) {
	var pairs []uint64
	var weights, totals []float64
	for p := range t.Patches() {
		for q := range t.Patches() {
			c := t.Between(p, q)
			pairs, totals = append(pairs, c.Pairs...), append(totals, c.TotalWeight)
			weights = append(weights, c.Weights...)
		}
	}
	fields[C.SKYJOIN_PATCH_PAIRS] = values[uint64](pairs)
	fields[C.SKYJOIN_PATCH_TOTALS] = values[float64](totals)
	if weights != nil {
		fields[C.SKYJOIN_PATCH_WEIGHTS] = values[float64](weights)
	}
}
