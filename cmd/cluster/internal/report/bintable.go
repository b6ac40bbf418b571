package report

import (
	"math"
	"strconv"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/io/catalog"
	"skyjoin/stats2b"
)

// A BinTable collects a table of bins: as columns, as JSON and as text.
type BinTable struct {
	Columns []catalog.Column
}

// Edges begins with the columns lo and hi, and names those of a second
// coordinate after it.
func (t *BinTable) Edges(bins stats2b.Bins, unit string) {
	n := bins.Len()
	lo, hi := make([]float64, n), make([]float64, n)
	for i := range n {
		lo[i], hi[i] = bins.Edge(i), bins.Edge(i+1)
	}
	t.Float("lo", unit, "lower edge of the bin, in it", lo)
	t.Float("hi", unit, "upper edge of the bin, not in it", hi)
}

// Plane begins with the edges of bins in two coordinates.
func (t *BinTable) Plane(bins, across stats2b.Bins, unit, name, unit2 string) {
	var v [4][]float64
	for i := range bins.Len() {
		for j := range across.Len() {
			for k, e := range []float64{bins.Edge(i), bins.Edge(i + 1), across.Edge(j), across.Edge(j + 1)} {
				v[k] = append(v[k], e)
			}
		}
	}
	t.Float("lo", unit, "lower edge of the bin, in it", v[0])
	t.Float("hi", unit, "upper edge of the bin, not in it", v[1])
	t.Float(name+"_lo", unit2, "lower edge of the bin in "+name, v[2])
	t.Float(name+"_hi", unit2, "upper edge of the bin in "+name, v[3])
}

func (t *BinTable) Float(name, unit, about string, v []float64) {
	t.Columns = append(t.Columns, catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Float64, Unit: unit, Description: about}, Float64: v})
}

// Maybe is float with NaN as null.
func (t *BinTable) Maybe(name, unit, about string, v []float64) {
	t.Float(name, unit, about, v)
	c := &t.Columns[len(t.Columns)-1]
	for i, x := range v {
		if math.IsNaN(x) {
			if c.Null == nil {
				c.Null = make([]bool, len(v))
			}
			c.Null[i] = true
			c.Field.Nullable = true
		}
	}
}

func (t *BinTable) Counts(name, about string, pairs []uint64) {
	v := make([]int64, len(pairs))
	for i, n := range pairs {
		v[i] = int64(n) // at most N², and N < 2³²
	}
	t.Columns = append(t.Columns, catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Int64, Description: about}, Int64: v})
}

// Separations adds the mean separations, if they were asked for.
func (t *BinTable) Separations(c *stats2b.Counts, bins int, unit string) {
	if mean := c.MeanSeparation(bins); mean != nil {
		t.Maybe("mean_separation", unit, "mean distance of the pairs in the bin", mean)
	}
}

// Objects returns a JSON object for each bin, of the first n columns.
func (t *BinTable) Objects(n int) []Object {
	out := make([]Object, t.Columns[0].Len())
	for i := range out {
		for _, c := range t.Columns[:n] {
			if c.Int64 != nil {
				out[i].Set(c.Field.Name, c.Int64[i])
			} else {
				out[i].Set(c.Field.Name, c.Float64[i])
			}
		}
	}
	return out
}

// Text returns the first n columns for people.
func (t *BinTable) Text(n int) *human.Grid {
	g := &human.Grid{Right: map[int]bool{}}
	var head []string
	for k, c := range t.Columns[:n] {
		head = append(head, c.Field.Name)
		g.Right[k] = true
	}
	g.Add(head...)
	for i := range t.Columns[0].Len() {
		var row []string
		for _, c := range t.Columns[:n] {
			switch {
			case c.Int64 != nil:
				row = append(row, human.Commas(c.Int64[i]))
			case math.IsNaN(c.Float64[i]):
				row = append(row, "none")
			default:
				row = append(row, strconv.FormatFloat(c.Float64[i], 'g', 6, 64))
			}
		}
		g.Add(row...)
	}
	return g
}

// Bins are of results that have a row for each bin.
type Bins struct {
	Bins []Object `json:"bins" jsonschema:"a row for each bin: lo, hi and what was found in it, as the columns of -o"`
}

// ShowBins reports all columns of a table of bins.
func (s *Summary) ShowBins(t *BinTable) {
	s.Result.Add(Bins{t.Objects(len(t.Columns))})
	s.Detail = t.Text(len(t.Columns))
}

// Ratio is a/b, NaN, which summaries write as null, for b = 0.
func Ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
