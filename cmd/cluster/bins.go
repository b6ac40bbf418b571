package main

import (
	"fmt"
	"math"
	"strconv"

	"skyjoin/io/catalog"
	"skyjoin/stats2b"
)

const binsHelp = "log:MIN:MAX:N, lin:MIN:MAX:N, edges MIN,…,MAX or @edges.txt; on the sky with a unit, as in log:0.01deg:10deg:20; bins are half open"

// binSpec is a --bins flag: what is said of the bins waits until the metric is
// known.
type binSpec struct{ text string }

func (b *binSpec) String() string { return b.text }
func (b *binSpec) Type() string   { return "bins" }

func (b *binSpec) Set(s string) error {
	if s == "" {
		return fmt.Errorf("it is empty; write it as in log:0.1:10:20")
	}
	b.text = s
	return nil
}

// parse reads the bins of a flag. Those of angles are in the unit given, which
// must be there.
func (b *binSpec) parse(flag string, angle bool) (bins stats2b.Bins, unit string, err error) {
	bins, unit, err = stats2b.ParseBins(b.text, inFinest(b.text))
	switch {
	case err != nil:
		return bins, "", usagef("%s %s: %s", flag, b.text, message(err))
	case angle && unit == "":
		return bins, "", usagef("%s %s needs a unit on the sky, one of %s, as in log:0.01deg:10deg:20", flag, b.text, unitNames())
	case !angle && unit != "":
		return bins, "", usagef("%s %s: plain numbers are needed, in the unit of the columns", flag, b.text)
	case angle:
		bins = bins.In(radians(unit))
	}
	return bins, unit, nil
}

// bins reads --bins of distances of the geometry, which in a periodic box are at
// most half of a side.
func (g *geometry) bins(b *binSpec) (bins stats2b.Bins, unit string, err error) {
	if bins, unit, err = b.parse("--bins", g.angle); err != nil || g.pure {
		return bins, unit, err
	}
	last := bins.Edge(bins.Len())
	for i, side := range g.sides {
		if side > 0 && last > side/2 {
			return bins, unit, usagef("--bins %s: the last edge %v is more than half of the side %v of the box along %s", b.text, last, side, g.columns[i])
		}
	}
	return bins, unit, nil
}

// inFinest reads edges as parseEdge does, those in degrees, minutes and seconds
// in the finest of these that any edge is in, as 1arcmin:1deg is 1 to 60 arcmin.
func inFinest(text string) func(string) (stats2b.Length, error) {
	finest := ""
	_, _, _ = stats2b.ParseBins(text, func(s string) (stats2b.Length, error) { // what is wrong is found when it is read again
		l, err := parseEdge(s)
		if r := radians(l.Unit); l.Unit != "rad" && r > 0 && (finest == "" || r < radians(finest)) {
			finest = l.Unit
		}
		return stats2b.Length{Value: l.Value}, err
	})
	return func(s string) (stats2b.Length, error) {
		l, err := parseEdge(s)
		if l.Unit != "" && l.Unit != "rad" && err == nil {
			l.Value, l.Unit = l.Value*math.Round(radians(l.Unit)/radians(finest)), finest
		}
		return l, err
	}
}

// parseEdge reads a number with or without a unit of angle.
func parseEdge(s string) (stats2b.Length, error) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return stats2b.Length{Value: v}, nil
	}
	number := numberPrefix(s)
	v, ok := parseFloat(number)
	if !ok {
		return stats2b.Length{}, fmt.Errorf("not a number with or without a unit, as in 0.5 or 1.5arcsec")
	}
	l, err := parseLength(s)
	if err != nil && v != 0 && !math.IsInf(v, 0) {
		return stats2b.Length{}, err
	}
	if err != nil { // 0deg is no length, but an edge
		return stats2b.Length{Value: v, Unit: s[len(number):]}, unknownUnit(s[len(number):])
	}
	return stats2b.Length{Value: l.value, Unit: l.unit}, nil
}

func unknownUnit(unit string) error {
	if radians(unit) == 0 {
		return fmt.Errorf("unknown unit %q, it is one of %s", unit, unitNames())
	}
	return nil
}

// A binTable is a table of bins in the making: as columns, as JSON and as text.
type binTable struct {
	columns []catalog.Column
}

// edges begins with the columns lo and hi, and names those of a second
// coordinate after it.
func (t *binTable) edges(bins stats2b.Bins, unit string) {
	n := bins.Len()
	lo, hi := make([]float64, n), make([]float64, n)
	for i := range n {
		lo[i], hi[i] = bins.Edge(i), bins.Edge(i+1)
	}
	t.float("lo", unit, "lower edge of the bin, in it", lo)
	t.float("hi", unit, "upper edge of the bin, not in it", hi)
}

// plane begins with the edges of bins in two coordinates.
func (t *binTable) plane(bins, across stats2b.Bins, unit, name, unit2 string) {
	var v [4][]float64
	for i := range bins.Len() {
		for j := range across.Len() {
			for k, e := range []float64{bins.Edge(i), bins.Edge(i + 1), across.Edge(j), across.Edge(j + 1)} {
				v[k] = append(v[k], e)
			}
		}
	}
	t.float("lo", unit, "lower edge of the bin, in it", v[0])
	t.float("hi", unit, "upper edge of the bin, not in it", v[1])
	t.float(name+"_lo", unit2, "lower edge of the bin in "+name, v[2])
	t.float(name+"_hi", unit2, "upper edge of the bin in "+name, v[3])
}

func (t *binTable) float(name, unit, about string, v []float64) {
	t.columns = append(t.columns, catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Float64, Unit: unit, Description: about}, Float64: v})
}

// maybe is float with NaN as null.
func (t *binTable) maybe(name, unit, about string, v []float64) {
	t.float(name, unit, about, v)
	c := &t.columns[len(t.columns)-1]
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

func (t *binTable) counts(name, about string, pairs []uint64) {
	v := make([]int64, len(pairs))
	for i, n := range pairs {
		v[i] = int64(n) // at most N², and N < 2³²
	}
	t.columns = append(t.columns, catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Int64, Description: about}, Int64: v})
}

// separations adds the mean separations, if they were asked for.
func (t *binTable) separations(c *stats2b.Counts, bins int, unit string) {
	if mean := c.MeanSeparation(bins); mean != nil {
		t.maybe("mean_separation", unit, "mean distance of the pairs in the bin", mean)
	}
}

// objects returns a JSON object for each bin, of the first n columns.
func (t *binTable) objects(n int) []object {
	out := make([]object, t.columns[0].Len())
	for i := range out {
		for _, c := range t.columns[:n] {
			if c.Int64 != nil {
				out[i].set(c.Field.Name, c.Int64[i])
			} else {
				out[i].set(c.Field.Name, c.Float64[i])
			}
		}
	}
	return out
}

// text returns the first n columns for people.
func (t *binTable) text(n int) *grid {
	g := &grid{right: map[int]bool{}}
	var head []string
	for k, c := range t.columns[:n] {
		head = append(head, c.Field.Name)
		g.right[k] = true
	}
	g.add(head...)
	for i := range t.columns[0].Len() {
		var row []string
		for _, c := range t.columns[:n] {
			switch {
			case c.Int64 != nil:
				row = append(row, commas(c.Int64[i]))
			case math.IsNaN(c.Float64[i]):
				row = append(row, "none")
			default:
				row = append(row, strconv.FormatFloat(c.Float64[i], 'g', 6, 64))
			}
		}
		g.add(row...)
	}
	return g
}

// showBins reports all columns of a table of bins.
func (s *summary) showBins(t *binTable) {
	s.Result.set("bins", t.objects(len(t.columns)))
	s.detail = t.text(len(t.columns))
}
