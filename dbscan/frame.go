package dbscan

import (
	"context"
	"math"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/exact"
	"skyjoin/internal/hook"
	"skyjoin/neighbors"
)

// withoutBox returns a periodic metric with all axes open and the same scales.
var withoutBox = hook.Get[func(neighbors.Metric) neighbors.Metric]("neighbors.WithoutBox")

// chunkRows is the number of rows processed between two checks of the context.
const chunkRows = 1 << 16

// A frame gives rows coordinates whose means make sense: unit vectors or
// positions in space for the leading columns of the sky metrics, the values
// themselves for the other columns, and on periodic axes the offset of the
// image that belongs to the cluster from an anchor.
type frame struct {
	winding  *winding    // of periodic metrics
	anchored []anchor    // of each cluster, then
	means    [][]float64 // of the offsets of each cluster, then

	points   *neighbors.Points
	metric   neighbors.Metric
	position int // leading columns that are a position, which has three coordinates
	dim      int // coordinates
}

func newFrame(points *neighbors.Points, metric neighbors.Metric) *frame {
	f := &frame{points: points, metric: metric, position: metric.PositionColumns(), dim: points.Dim()}
	if f.position > 0 {
		f.dim += 3 - f.position
	}
	return f
}

// An anchor is the origin of the offsets of a cluster on periodic axes: the least
// value on each axis, after unwrapping.
type anchor struct {
	value []float64
	turn  []int32
}

// at sets x to the coordinates of a row.
func (f *frame) at(row int, anchor anchor, x []float64) {
	shift := f.dim - f.points.Dim()
	if f.position > 0 {
		x[0], x[1], x[2] = neighbors.UnitVector(f.points.Column(0).At(row), f.points.Column(1).At(row))
	}
	if f.position == 3 {
		d := f.points.Column(2).At(row)
		x[0], x[1], x[2] = x[0]*d, x[1]*d, x[2]*d
	}
	for j := f.position; j < f.points.Dim(); j++ {
		x[j+shift] = f.value(j, row)
		if f.metric.Side(j) > 0 {
			x[j+shift] = f.offset(j, row, anchor)
		}
	}
}

// offset returns the offset of a row from an anchor along a periodic axis.
func (f *frame) offset(column, row int, a anchor) float64 {
	d := f.value(column, row) - a.value[column]
	if turns := f.winding.turn(row).at(column) - a.turn[column]; turns != 0 {
		d += float64(turns) * f.metric.Side(column)
	}
	return min(max(d, -math.MaxFloat64), math.MaxFloat64)
}

// value returns the value of a column, reduced to the box.
func (f *frame) value(column, row int) float64 {
	x := f.points.Column(column).At(row)
	if side := f.metric.Side(column); side > 0 {
		x = neighbors.Reduced(x, side)
	}
	return x
}

// mean returns the mean of n terms with a scale. Their sum may exceed float64.
func mean(of exact.Scale, sum exact.Sum, n int64) float64 {
	if total := of.Float(sum); !math.IsInf(total, 0) {
		return total / float64(n)
	}
	one := exact.NewScale(1)
	m := math.Ldexp(one.Float(sum)/float64(n), of.Exponent()-one.Exponent())
	return min(max(m, -math.MaxFloat64), math.MaxFloat64) // terms are rounded
}

// each calls do for every row of a cluster.
func (f *frame) each(ctx context.Context, labels []int32, do func(row int, label int32)) error {
	for lo := 0; lo < len(labels); lo += chunkRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, label := range labels[lo:min(lo+chunkRows, len(labels))] {
			if label != Noise {
				do(lo+i, label)
			}
		}
	}
	return nil
}

// anchors returns the anchor of each cluster, in a periodic box.
func (f *frame) anchors(labels []int32, clusters int) []anchor {
	all := make([]anchor, clusters)
	if f.winding == nil {
		return all
	}
	for row, label := range labels {
		if label == Noise {
			continue
		}
		a, t := &all[label], f.winding.turn(row)
		first := a.value == nil
		if first {
			a.value, a.turn = make([]float64, f.points.Dim()), make([]int32, f.points.Dim())
		}
		for j := range a.value {
			v, n := f.value(j, row), t.at(j)
			if first || n < a.turn[j] || n == a.turn[j] && v < a.value[j] {
				a.value[j], a.turn[j] = v, n
			}
		}
	}
	return all
}

// centres sets the centre of each cluster.
func (f *frame) centres(ctx context.Context, labels []int32, clusters []Cluster) error {
	f.anchored = f.anchors(labels, len(clusters))
	anchors := f.anchored
	x := make([]float64, f.dim)
	largest := make([]float64, f.dim)
	if err := f.each(ctx, labels, func(row int, label int32) {
		f.at(row, anchors[label], x)
		for c, v := range x {
			largest[c] = max(largest[c], math.Abs(v))
		}
	}); err != nil {
		return err
	}
	scales := each.To(f.dim, func(c int) exact.Scale { return exact.NewScale(largest[c]) })
	sums := make([]exact.Sum, f.dim*len(clusters))
	if err := f.each(ctx, labels, func(row int, label int32) {
		f.at(row, anchors[label], x)
		sum := sums[f.dim*int(label):]
		for c, v := range x {
			sum[c].Add(scales[c].Fixed(v))
		}
	}); err != nil {
		return err
	}
	for k := range clusters {
		for c := range x {
			x[c] = mean(scales[c], sums[f.dim*k+c], clusters[k].Size)
		}
		clusters[k].Centre = f.columns(x, anchors[k])
		if f.winding != nil {
			f.means = append(f.means, slices.Clone(x))
		}
	}
	return nil
}

// columns turns coordinates back into values of the columns.
func (f *frame) columns(x []float64, anchor anchor) []float64 {
	out := make([]float64, 0, f.points.Dim())
	if f.position > 0 {
		across := math.Hypot(x[0], x[1])
		ra := math.Atan2(x[1], x[0]) / neighbors.Degree
		if ra < 0 {
			ra += 360
		}
		if ra >= 360 { // a tiny negative angle
			ra = 0
		}
		dec := math.Atan2(x[2], across) / neighbors.Degree
		out = append(out, ra, min(max(dec, -90), 90)) // the quotient is rounded
		if f.position == 3 {
			out = append(out, math.Hypot(across, x[2]))
		}
		x = x[3:]
	}
	for c, v := range x {
		j := f.position + c
		if side := f.metric.Side(j); side > 0 {
			at := anchor.value[j] + v
			if math.IsInf(at, 1) { // the range overflows for sides of more than half of float64
				at = anchor.value[j] - side + v
			}
			v = neighbors.Reduced(at, side)
		}
		out = append(out, v)
	}
	return out
}

// spread sets the extent and the deviations of each cluster.
func (f *frame) spread(ctx context.Context, labels []int32, clusters []Cluster, centres *neighbors.Points) error {
	if f.winding != nil {
		return f.spreadInBox(ctx, labels, clusters)
	}
	squares := make([]squares, f.points.Dim()*len(clusters))
	for lo := 0; lo < len(labels); lo += chunkRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+chunkRows, len(labels))
		ruler, err := neighbors.NewRuler(f.metric, f.points.Slice(lo, hi), centres)
		if err != nil {
			return err
		}
		for i, label := range labels[lo:hi] {
			if label == Noise {
				continue
			}
			c := &clusters[label]
			if c.Size > 1 { // a single row is its centre, apart from rounding
				c.Extent = max(c.Extent, ruler.Distance(uint32(i), uint32(label)))
			}
			f.addSquares(lo+i, c.Centre, squares[f.points.Dim()*int(label):])
		}
	}
	deviate(clusters, squares)
	return nil
}

// deviate sets the deviations of clusters from the sums of squares of each column.
func deviate(clusters []Cluster, squares []squares) {
	for k := range clusters {
		c := &clusters[k]
		for j := range c.Centre {
			c.Deviation = append(c.Deviation, squares[len(c.Centre)*k+j].rootMean(c.Size))
		}
	}
}

// spreadInBox is spread for a periodic box: it uses the images that are linked to
// each other, which are not the nearest ones in a cluster longer than half the box.
func (f *frame) spreadInBox(ctx context.Context, labels []int32, clusters []Cluster) error {
	dim := f.points.Dim()
	squares := make([]squares, dim*len(clusters))
	means, err := pointsOf(f.means, dim)
	if err != nil {
		return err
	}
	open := withoutBox(f.metric)
	var rows [][]float64
	var of []int32
	measure := func() error {
		offsets, err := pointsOf(rows, dim)
		if err != nil {
			return err
		}
		ruler, err := neighbors.NewRuler(open, offsets, means)
		if err != nil {
			return err
		}
		for i, label := range of {
			if c := &clusters[label]; c.Size > 1 {
				c.Extent = max(c.Extent, ruler.Distance(uint32(i), uint32(label)))
			}
			for j, v := range rows[i] {
				squares[dim*int(label)+j].add(v - f.means[label][j])
			}
		}
		rows, of = rows[:0], of[:0]
		return nil
	}
	var failed error
	err = f.each(ctx, labels, func(row int, label int32) {
		x := make([]float64, dim)
		f.at(row, f.anchored[label], x)
		rows, of = append(rows, x), append(of, label)
		if len(rows) == chunkRows && failed == nil {
			failed = measure()
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil && len(rows) > 0 {
		err = measure()
	}
	deviate(clusters, squares)
	return err
}

// pointsOf returns rows as points.
func pointsOf(rows [][]float64, dim int) (*neighbors.Points, error) {
	cols := make([]neighbors.Column, dim)
	for j := range cols {
		v := each.To(len(rows), func(i int) float64 { return rows[i][j] })
		cols[j] = neighbors.Float64s(v)
	}
	return neighbors.NewPoints(cols...)
}

// addSquares adds the squares of the offsets of a row from a centre.
func (f *frame) addSquares(row int, centre []float64, squares []squares) {
	first := 0
	if f.position > 0 {
		first = 2
		east, north := offsets(f.points.Column(0).At(row), f.points.Column(1).At(row), centre[0], centre[1])
		squares[0].add(east)
		squares[1].add(north)
	}
	for j := first; j < f.points.Dim(); j++ {
		squares[j].add(f.value(j, row) - centre[j])
	}
}

// offsets returns how far (ra, dec) is to the east and to the north of a
// centre, in degrees, along the great circle through both.
func offsets(ra, dec, ra0, dec0 float64) (east, north float64) {
	x, y, z := neighbors.UnitVector(ra-ra0, dec) // the centre is at RA 0
	c, _, s := neighbors.UnitVector(0, dec0)
	east, north = y, float64(z*c)-float64(x*s)
	along := float64(x*c) + float64(z*s)
	across := math.Hypot(east, north)
	if across == 0 {
		return 0, 0
	}
	angle := math.Atan2(across, along) / neighbors.Degree
	return angle * (east / across), angle * (north / across)
}
