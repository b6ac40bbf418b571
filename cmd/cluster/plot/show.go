package plot

import (
	"context"
	"fmt"
	"io"
	"math"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/file"
	"skyjoin/internal/page"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
)

// A shown is a figure and the numbers in it.
type shown interface {
	Figure() (*figure.Figure, error)
	Data() []figure.DataColumn
}

// show draws a figure, and writes its numbers to --plot-data.
func (d *drawing) show(ctx context.Context, f shown) error {
	pictures, _ := page.Split(d.Out.Plots)
	if err := d.job.Plot(ctx, pictures, f); err != nil {
		return err
	}
	if d.data == "" {
		return nil
	}
	var cols []catalog.Column
	for _, c := range f.Data() {
		if c.Text != nil {
			cols = append(cols, catalog.Column{Field: catalog.Field{Name: c.Name, Type: catalog.String}, String: c.Text})
		} else {
			cols = append(cols, columns.Reals(c.Name, c.Unit, "as drawn", c.Values))
		}
	}
	return d.job.Table(ctx, d.data, cols)
}

// writeRegions writes a circle around each cluster on the sky, as DS9 and Aladin read
// them.
func (d *drawing) writeRegions(ctx context.Context, labels []int32) error {
	if d.regions == "" {
		return nil
	}
	if !d.job.Geo.Sky || labels == nil {
		return exit.Usagef("--regions %s: they are of clusters on the sky; %s has no RA and Dec, or no column %s", d.regions, d.paths[0], d.labels)
	}
	type cluster struct {
		x, y, z, most float64
		rows          int64
	}
	var all []cluster
	points := d.job.Sel.Points
	direction := func(i int) (x, y, z float64) {
		sa, ca := math.Sincos(points.Column(0).At(i) * math.Pi / 180)
		sd, cd := math.Sincos(points.Column(1).At(i) * math.Pi / 180)
		return cd * ca, cd * sa, sd
	}
	at := map[int32]int{}
	var order []int32
	for i, l := range labels {
		if l < 0 {
			continue
		}
		if _, seen := at[l]; !seen {
			at[l], all, order = len(all), append(all, cluster{}), append(order, l)
		}
		x, y, z := direction(i)
		c := &all[at[l]]
		c.x, c.y, c.z, c.rows = c.x+x, c.y+y, c.z+z, c.rows+1
	}
	for i := range all {
		c := &all[i]
		norm := math.Sqrt(float64(c.x*c.x) + float64(c.y*c.y) + float64(c.z*c.z))
		c.x, c.y, c.z = c.x/norm, c.y/norm, c.z/norm
	}
	for i, l := range labels {
		if l >= 0 {
			c := &all[at[l]]
			x, y, z := direction(i)
			half := math.Sqrt(float64((x-c.x)*(x-c.x))+float64((y-c.y)*(y-c.y))+float64((z-c.z)*(z-c.z))) / 2
			c.most = max(c.most, 2*math.Asin(min(half, 1))*180/math.Pi)
		}
	}
	return file.Write(ctx, d.regions, file.Options{Force: d.Out.Force}, func(w io.Writer) error {
		fmt.Fprint(w, "# Region file format: DS9 version 4.1\nglobal color=green width=1\nicrs\n")
		for i, c := range all {
			ra := math.Mod(math.Atan2(c.y, c.x)*180/math.Pi+360, 360)
			dec := math.Atan2(c.z, math.Hypot(c.x, c.y)) * 180 / math.Pi
			if _, err := fmt.Fprintf(w, "circle(%.7f,%+.7f,%.3f\") # text={%d (%d)}\n", ra, dec, max(c.most*3600, 0.001), order[i], c.rows); err != nil {
				return err
			}
		}
		return nil
	})
}
