package mock

import (
	"cmp"
	"strconv"
)

// cloud has independent coordinates, the same function of a uniform number
// each. Coordinate d of row i of a seed comes from the (i·Dim + d)-th number
// of that seed, which makes clouds reproducible outside this program:
//
//	u = (s(s(seed) + i·Dim + d) >> 11) · 2⁻⁵³, s the SplitMix64 step
func cloud(opt Options, shape func(u float64) float64) source {
	return source{fields: coordinates(opt), fill: func(lo uint64, rows int, block []Column) {
		dim := uint64(len(block))
		for d, col := range block {
			for i := range rows {
				col.set(i, shape(value(opt.Seed, (lo+uint64(i))*dim+uint64(d))))
			}
		}
	}}
}

func newUniform(opt Options) (source, error) {
	return cloud(opt, func(u float64) float64 { return 100 * u }), nil
}

// newExpo makes -ln(1-u)/40 cut at 1. 1-u is exact, so this is log1p(-u).
func newExpo(opt Options) (source, error) {
	return cloud(opt, func(u float64) float64 { return min(-log(1-u)/40, 1) }), nil
}

// coordinates are the columns x, y, z or x0, x1, …
func coordinates(opt Options) []Field {
	fields := make([]Field, cmp.Or(opt.Dim, 2))
	for d := range fields {
		name := string(rune('x' + d))
		if len(fields) > 3 {
			name = "x" + strconv.Itoa(d)
		}
		fields[d] = Field{Name: name, Description: "coordinate " + strconv.Itoa(d)}
		if opt.Float32 {
			fields[d].Type = Float32
		}
	}
	return fields
}
