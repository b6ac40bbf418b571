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
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrRequest marks options that cannot be right.
var ErrRequest = errors.New("invalid request")

// A Kind is a kind of catalog.
type Kind struct {
	Name  string
	About string // one line
	make  func(Options) (source, error)
}

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		{"uniform", "points spread evenly over a cube of side 100", newUniform},
		{"expo", "exponential coordinates of rate 40, cut at 1: a steep density gradient", newExpo},
		{"clumps", "Gaussian clumps of very unequal sizes in a uniform background, with the true clump", newClumps},
		{"sky", "a mock Gaia field: field stars and open clusters, with the true cluster", newSky},
		{"galaxy", "positions along the Galactic plane with a bulge and star clusters, with the true cluster", newGalaxy},
		{"tracks", "points along long smooth tracks, dense where tracks are slow", newTracks},
		{"sphere", "positions spread evenly over the whole sky", newSphere},
		{"randoms", "positions spread evenly over a footprint: a box in RA and Dec, or the pixels of a catalog", newRandoms},
	}
}

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

// source is what a kind has to be able to do.
type source interface {
	fields() []Field
	clusters() []Cluster
	// fill sets the rows of the block that begins with catalog row lo.
	fill(lo int64, block []Column)
}

// A Catalog makes rows.
type Catalog struct {
	opt    Options
	source source
}

// New returns the catalog of the given kind.
func New(kind string, opt Options) (*Catalog, error) {
	if opt.Rows < 0 {
		return nil, fmt.Errorf("%w: %d rows, there cannot be fewer than 0", ErrRequest, opt.Rows)
	}
	if opt.Dim < 0 || opt.Dim > 16 {
		return nil, fmt.Errorf("%w: %d dimensions, there must be 1 to 16", ErrRequest, opt.Dim)
	}
	if opt.Clusters < 0 || opt.Clusters > 1e6 {
		return nil, fmt.Errorf("%w: %d clusters, there must be 1 to 1000000", ErrRequest, opt.Clusters)
	}
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == kind })
	if i < 0 {
		var names []string
		for _, k := range kinds {
			names = append(names, k.Name)
		}
		return nil, fmt.Errorf("%w: kind %q, there are %s", ErrRequest, kind, strings.Join(names, ", "))
	}
	s, err := kinds[i].make(opt)
	if err != nil {
		return nil, err
	}
	return &Catalog{opt: opt, source: s}, nil
}

// Rows returns the number of rows.
func (c *Catalog) Rows() int64 { return c.opt.Rows }

// Fields returns the columns. True clusters, if there are any, are the last
// one.
func (c *Catalog) Fields() []Field { return c.source.fields() }

// Clusters returns the true clusters, nil for kinds that have none.
func (c *Catalog) Clusters() []Cluster { return c.source.clusters() }

// Fill makes the rows [lo, hi), 0 ≤ lo ≤ hi ≤ Rows, one Column per field.
func (c *Catalog) Fill(lo, hi int64) []Column {
	block := c.allocate(int(hi - lo))
	c.source.fill(lo, block)
	return block
}

// blockRows is how many rows All makes at a time.
const blockRows = 1 << 14

// All makes all rows on the given number of threads, 0 for all cores. progress
// may be nil; it is called with the number of rows just made, from several
// goroutines at once.
func (c *Catalog) All(ctx context.Context, threads int, progress func(rows int64)) ([]Column, error) {
	if c.opt.Rows > math.MaxInt/blockRows {
		return nil, fmt.Errorf("%w: %d rows do not fit in memory", ErrRequest, c.opt.Rows)
	}
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	all := c.allocate(int(c.opt.Rows))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			for ctx.Err() == nil {
				hi := next.Add(blockRows)
				lo := hi - blockRows
				if lo >= c.opt.Rows {
					return
				}
				hi = min(hi, c.opt.Rows)
				block := make([]Column, len(all))
				for i, col := range all {
					block[i] = col.part(lo, hi)
				}
				c.source.fill(lo, block)
				if progress != nil {
					progress(hi - lo)
				}
			}
		})
	}
	wg.Wait()
	return all, ctx.Err()
}

func (c *Catalog) allocate(rows int) []Column {
	fields := c.source.fields()
	cols := make([]Column, len(fields))
	for i, f := range fields {
		switch f.Type {
		case Float64:
			cols[i].Float64 = make([]float64, rows)
		case Float32:
			cols[i].Float32 = make([]float32, rows)
		default:
			cols[i].Int64 = make([]int64, rows)
		}
		if f.Nullable {
			cols[i].Null = make([]bool, rows)
		}
	}
	return cols
}

func (c Column) part(lo, hi int64) Column {
	return Column{cut(c.Float64, lo, hi), cut(c.Float32, lo, hi), cut(c.Int64, lo, hi), cut(c.Null, lo, hi)}
}

func cut[T any](s []T, lo, hi int64) []T {
	if s == nil {
		return nil
	}
	return s[lo:hi:hi]
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
