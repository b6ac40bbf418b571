package mock

import "strconv"

// A cloud has independent coordinates, the same function of a uniform number
// each. Coordinate d of row i of a seed comes from the (i·Dim + d)-th number
// of that seed, which makes clouds reproducible outside this program:
//
//	u = (s(s(seed) + i·Dim + d) >> 11) · 2⁻⁵³, s the SplitMix64 step
type cloud struct {
	seed  uint64
	names []Field
	shape func(u float64) float64
}

func newUniform(opt Options) (source, error) {
	return &cloud{opt.Seed, coordinates(opt), func(u float64) float64 { return 100 * u }}, nil
}

// newExpo makes -ln(1-u)/40 cut at 1. 1-u is exact, so this is log1p(-u).
func newExpo(opt Options) (source, error) {
	return &cloud{opt.Seed, coordinates(opt), func(u float64) float64 { return min(-log(1-u)/40, 1) }}, nil
}

// coordinates are the columns x, y, z or x0, x1, …
func coordinates(opt Options) []Field {
	dim := opt.Dim
	if dim == 0 {
		dim = 2
	}
	return coordinateFields(dim, opt.Float32)
}

func coordinateFields(dim int, single bool) []Field {
	fields := make([]Field, dim)
	for d := range fields {
		name := string(rune('x' + d))
		if dim > 3 {
			name = "x" + strconv.Itoa(d)
		}
		fields[d] = Field{Name: name, Description: "coordinate " + strconv.Itoa(d)}
		if single {
			fields[d].Type = Float32
		}
	}
	return fields
}

func (c *cloud) fields() []Field     { return c.names }
func (c *cloud) clusters() []Cluster { return nil }

func (c *cloud) fill(lo int64, block []Column) {
	dim := uint64(len(block))
	for d, col := range block {
		for i := range max(len(col.Float64), len(col.Float32)) {
			j := (uint64(lo)+uint64(i))*dim + uint64(d)
			col.set(i, c.shape(value(c.seed, j)))
		}
	}
}
