package catalog

import (
	"math"
	"slices"
	"strings"
)

// A Part is consecutive rows of one file that can be read without the others.
type Part struct {
	File   int   // in Files
	Group  int   // first row group of a Parquet file; 0 for other formats
	Groups int   // row groups; 1 for other formats
	First  int64 // row of the catalog
	Rows   int64
}

// Parts divides the catalog into parts, in the order of its rows: row groups of
// Parquet files, neighbouring ones together while they have at most the given
// number of rows, and whole files of other formats. Files without rows have no
// part.
func (c *Catalog) Parts(rows int64) []Part {
	var parts []Part
	for file, s := range c.sources {
		p, ok := s.(*parquetSource)
		if !ok {
			parts = append(parts, Part{file, 0, 1, c.first[file], s.rows()})
			continue
		}
		last := Part{File: -1} // of no rows, which is left out
		for i := range p.groups {
			g := &p.groups[i]
			if last.File == file && last.Rows+g.rows <= rows {
				last.Groups++
				last.Rows += g.rows
				continue
			}
			parts = append(parts, last)
			last = Part{file, i, 1, c.first[file] + g.first, g.rows}
		}
		parts = append(parts, last)
	}
	return slices.DeleteFunc(parts, func(p Part) bool { return p.Rows == 0 })
}

// Part returns a catalog of the rows of a part only, numbered from 0. The
// fields are those of the whole. It need not be closed.
func (c *Catalog) Part(p Part) *Catalog {
	v := *c
	v.files = []File{c.files[p.File]}
	v.files[0].Rows = p.Rows
	v.sources = []source{c.sources[p.File]}
	v.refs = [][]int{c.refs[p.File]}
	v.first = []int64{0}
	v.rows = p.Rows
	if s, ok := c.sources[p.File].(*parquetSource); ok {
		part := *s
		part.n = p.Rows
		part.groups = slices.Clone(s.groups[p.Group : p.Group+p.Groups])
		first := int64(0)
		for i := range part.groups {
			part.groups[i].first = first
			first += part.groups[i].rows
		}
		v.sources[0] = &part
	}
	return &v
}

// An Interval bounds values: none is outside, both ends included.
type Interval struct{ Lo, Hi float64 }

// Bounds returns bounds of the coordinates of a request in a part, in the units
// that points have, by the statistics of its file: of unusable values nothing
// is said. Where there are none that can be trusted the bounds are infinite.
func (c *Catalog) Bounds(p Part, req Request) []Interval {
	out := make([]Interval, len(req.Columns))
	st, _ := c.Part(p).sources[0].(statistician)
	for i, name := range req.Columns {
		out[i] = Interval{math.Inf(-1), math.Inf(1)}
		f, r, err := c.column(name)
		if err != nil || st == nil || r.elem >= 0 || c.program(name) != nil {
			continue
		}
		at := c.inFile(p.File, r)
		if at.field < 0 {
			continue
		}
		per := 1.0
		if req.onSky() && i < 2 {
			if per = degreesPer[strings.ToLower(strings.Trim(f.Unit, " '\"()"))]; per == 0 {
				continue
			}
		}
		v, known := Interval{math.Inf(1), math.Inf(-1)}, true
		st.bounds(func(_, _ int64, of func(r ref) (bounds, bool)) {
			b, ok := of(at)
			if !ok || !b.allNull && b.min.store != inFloat64 && b.min.store != inInt64 && b.min.store != inUint64 {
				known = false
			} else if !b.allNull {
				v.Lo, v.Hi = min(v.Lo, b.min.float()), max(v.Hi, b.max.float())
			}
		})
		if known && v.Lo <= v.Hi {
			// Conversions round, the bounds must not.
			out[i] = Interval{math.Nextafter(inDegrees(v.Lo, per), math.Inf(-1)), math.Nextafter(inDegrees(v.Hi, per), math.Inf(1))}
		} else if known {
			out[i] = v // no value at all
		}
	}
	return out
}

// float returns the number as the nearest float64.
func (n number) float() float64 {
	switch n.store {
	case inInt64:
		return float64(n.i)
	case inUint64:
		return float64(n.u)
	}
	return n.f
}
