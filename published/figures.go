package published

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"skyjoin/internal/file"
	"skyjoin/io/figure"
)

// A drawing is the values of a figure for one data set.
type drawing struct {
	series string
	curves figure.Curves
}

// drawings are those of a table: a curve for every column of times, or for every column
// if there are none. Data sets of which nothing is measured are left out.
func (t *Table) drawings(k *kept) (all []drawing) {
	if t.X == "" {
		return nil
	}
	shown := func(c Column) bool { return strings.HasSuffix(c.Name, ", s") }
	y := figure.Axis{Name: "time", Unit: "s"}
	if !slices.ContainsFunc(t.Columns, shown) {
		shown, y = func(Column) bool { return true }, figure.Axis{}
	}
	for _, r := range t.rows {
		if slices.ContainsFunc(all, func(d drawing) bool { return d.series == r.series }) {
			continue
		}
		d := drawing{r.series, figure.Curves{XAxis: figure.Axis{Name: t.X}, YAxis: y, Title: r.series}}
		some := false
		for i, c := range t.Columns {
			if !shown(c) {
				continue
			}
			curve := figure.Curve{Name: strings.TrimSuffix(c.Name, ", s")}
			for _, other := range t.rows {
				m := k.Rows[t.key(other)]
				if other.series == r.series && i < len(m.Values) && !math.IsNaN(float64(m.Values[i])) {
					curve.X, curve.Y = append(curve.X, other.x), append(curve.Y, float64(m.Values[i]))
				}
			}
			some = some || len(curve.X) > 0
			d.curves.Curves = append(d.curves.Curves, curve)
		}
		if some {
			all = append(all, d)
		}
	}
	return all
}

// draw writes the figures of a table to the folder, one for each data set.
func (p *Paper) draw(ctx context.Context, t *Table, k *kept, o Options) error {
	for _, d := range t.drawings(k) {
		f, err := d.curves.Figure()
		if err != nil {
			return err
		}
		name := strings.NewReplacer(" ", "-", ":", "").Replace(strings.ToLower(t.Name + "-" + d.series))
		err = file.Write(file.Alone(ctx), o.path(p, fmt.Sprintf("%s.png", name)), file.Options{Force: true}, func(w io.Writer) error { return f.Encode(w, "png") })
		if err != nil {
			return err
		}
	}
	return nil
}
