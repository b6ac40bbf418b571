package catalog

import (
	"math"
	"slices"

	"skyjoin/internal/format"
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
		d, ok := s.(format.Divider)
		if !ok {
			parts = append(parts, Part{file, 0, 1, c.first[file], s.Rows()})
			continue
		}
		last := Part{File: -1} // of no rows, which is left out
		first := c.first[file]
		for i, n := range d.Groups() {
			if last.File == file && last.Rows+n <= rows {
				last.Groups++
				last.Rows += n
			} else {
				parts = append(parts, last)
				last = Part{file, i, 1, first, n}
			}
			first += n
		}
		parts = append(parts, last)
	}
	return slices.DeleteFunc(parts, func(p Part) bool { return p.Rows == 0 })
}

// Part returns a catalog of only the rows of a part, numbered from 0. It has the
// fields of the whole catalog. It need not be closed.
func (c *Catalog) Part(p Part) *Catalog {
	v := *c
	v.angles = c.angles.clone()
	v.files = []File{c.files[p.File]}
	v.files[0].Rows = p.Rows
	v.sources = []format.Reader{c.sources[p.File]}
	v.refs = [][]int{c.refs[p.File]}
	v.first = []int64{0}
	v.rows = p.Rows
	if d, ok := c.sources[p.File].(format.Divider); ok {
		v.sources[0] = d.Cut(p.Group, p.Group+p.Groups)
	}
	return &v
}

// An Interval contains all values of a column; both ends are included.
type Interval struct{ Lo, Hi float64 }

// Bounds returns bounds of the coordinates of a request in a part, in the units of
// the points, from the statistics of its file. They do not cover unusable values,
// and are infinite where there are no statistics that can be trusted.
func (c *Catalog) Bounds(p Part, req Request) []Interval {
	out := make([]Interval, len(req.Columns))
	st, _ := c.Part(p).sources[0].(format.Statistician)
	for i, name := range req.Columns {
		out[i] = Interval{math.Inf(-1), math.Inf(1)}
		f, r, err := c.column(name)
		if err != nil || st == nil || r.Elem >= 0 || c.program(name) != nil {
			continue
		}
		at := c.inFile(p.File, r)
		if at.Field < 0 {
			continue
		}
		per := 1.0
		if req.onSky() && i < 2 {
			if per = degreesPer[angleUnit(req.unit(i, f.Unit))]; per == 0 || req.rotated() {
				continue
			}
		}
		v, known := Interval{math.Inf(1), math.Inf(-1)}, true
		st.Bounds(func(_, _ int64, of func(r format.Ref) (format.Bounds, bool)) {
			b, ok := of(at)
			if !ok || !b.AllNull && b.Min.Store != format.InFloat64 && b.Min.Store != format.InInt64 && b.Min.Store != format.InUint64 {
				known = false
			} else if !b.AllNull {
				v.Lo, v.Hi = min(v.Lo, b.Min.Float()), max(v.Hi, b.Max.Float())
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
