// Package mock makes synthetic catalogs: clouds of points for measurements and
// mock surveys whose true clusters are known.
//
// A catalog is a function of its kind, its options and the row number, so that
// any block of rows can be made on its own, in any order, on any number of
// threads, and catalogs of any size can be streamed. The same options give the
// same bytes on every platform: randomness is SplitMix64 (random.go), and only
// operations that IEEE 754 rounds correctly are used, never a fused
// multiply-add or a function of package math that may differ (functions.go).
package mock

import (
	"errors"
	"math"
)

// ErrRequest marks options that cannot be right.
var ErrRequest = errors.New("invalid request")

// Options are what a catalog is made of. The zero value of each field but Rows
// stands for the default named here.
type Options struct {
	Rows      int64
	Seed      uint64
	Dim       int         // coordinates, 1 to 16, of uniform, expo and clumps: 2
	Float32   bool        // round the coordinates of uniform, expo, clumps and tracks to float32 columns
	Clusters  int         // of clumps: 200, sky: 6, galaxy: 60
	Centre    *[2]float64 // RA, Dec in degrees of sky: (290, 12)
	Radius    float64     // in degrees, of sky: 1.5
	Faint     float64     // G magnitude that sky ends at: 18
	Footprint             // of randoms
}

// A Footprint is the part of the sky that randoms are spread over: the pixels,
// if there are any, and else the box. The zero value is the whole sky.
type Footprint struct {
	RA     *[2]float64 // degrees; from the first eastwards to the second, across 0 where that is less
	Dec    *[2]float64 // degrees
	NSide  int         // resolution of Pixels
	Pixels []int64     // HEALPix pixels in the NESTED order

	// What a further column of that name is drawn from, each row taking one of
	// the values.
	Draw     []float64
	DrawName string
	DrawUnit string
}

// A Type is the type of the values of a field.
type Type uint8

// The types. Int32 values are held as int64.
const (
	Float64 Type = iota
	Float32
	Int64
	Int32
)

// A Field describes a column.
type Field struct {
	Name        string
	Type        Type
	Unit        string // as in the VOUnits standard; "" for pure numbers
	UCD         string
	Description string
	Nullable    bool
}

// A Column is a block of one column. The slice of the field's type is set; the
// value of a null is 0, or NaN for floats.
type Column struct {
	Float64 []float64
	Float32 []float32
	Int64   []int64
	Null    []bool // nil unless the field is nullable
}

// A Cluster is a true cluster of a catalog.
type Cluster struct {
	Label    int32      // what the rows of it have in the last column
	Centre   []float64  // coordinates, or RA, Dec in degrees
	Fraction float64    // of all rows, on average
	Radius   float64    // standard deviation, or tidal radius in degrees
	Parallax float64    // mas; sky only
	PM       [2]float64 // mas/yr; sky only
}

// A source is a kind with its options.
type source struct {
	fields   []Field
	clusters []Cluster
	// fill sets the rows of the block, the first of which is row lo of the catalog.
	fill func(lo uint64, rows int, block []Column)
}

// perRow fills blocks row by row, each from random numbers of its own: of row n of
// the catalog, which is row i of the block.
func perRow(seed uint64, set func(r *stream, n uint64, block []Column, i int)) func(lo uint64, rows int, block []Column) {
	return func(lo uint64, rows int, block []Column) {
		for i := range rows {
			n := lo + uint64(i)
			set(newStream(seed, ofRows, n), n, block, i)
		}
	}
}

// A Catalog makes rows.
type Catalog struct {
	rows int64
	source
}

// Rows returns the number of rows.
func (c *Catalog) Rows() int64 { return c.rows }

// Fields returns the columns. True clusters, if there are any, are the last
// one.
func (c *Catalog) Fields() []Field { return c.fields }

// Clusters returns the true clusters, nil for kinds that have none.
func (c *Catalog) Clusters() []Cluster { return c.clusters }

// Fill makes the rows [lo, hi), 0 ≤ lo ≤ hi ≤ Rows, one Column per field.
func (c *Catalog) Fill(lo, hi int64) []Column {
	rows := int(hi - lo)
	block := make([]Column, len(c.fields))
	for i, f := range c.fields {
		switch f.Type {
		case Float64:
			block[i].Float64 = make([]float64, rows)
		case Float32:
			block[i].Float32 = make([]float32, rows)
		default:
			block[i].Int64 = make([]int64, rows)
		}
		if f.Nullable {
			block[i].Null = make([]bool, rows)
		}
	}
	c.fill(uint64(lo), rows, block)
	return block
}

// set writes v as a number of the column's type.
func (c Column) set(i int, v float64) {
	if c.Float32 != nil {
		c.Float32[i] = float32(v)
		return
	}
	c.Float64[i] = v
}

// setNull makes a float null.
func (c Column) setNull(i int) {
	c.set(i, math.NaN())
	c.Null[i] = true
}
