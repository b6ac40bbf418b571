package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"skyjoin/io/catalog"
	"skyjoin/io/figure"
)

// checkPlot refuses a figure that cannot be written, by the rules of tables:
// existing files need --force, and inputs are never overwritten.
func checkPlot(path string, inputs []string, force bool) error {
	if _, err := figure.Format(path); err != nil {
		return err
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return writable(path)
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", path, bare(err))
	}
	for _, in := range inputs {
		if it, err := os.Stat(in); err == nil && os.SameFile(st, it) {
			return usagef("figure %s is the input %s, and inputs are never overwritten; name another file", path, in)
		}
	}
	switch {
	case st.IsDir():
		return usagef("cannot write %s: it is a directory; name a file in it", path)
	case !force:
		return usagef("%s exists; --force replaces it", path)
	}
	return writable(path)
}

// writable reports whether files can be made beside path.
func writable(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".cluster-*.tmp")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, bare(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// bare strips the operation and the file name from an error, which names the
// file already.
func bare(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// A drawing is a figure before it is laid out.
type drawing interface {
	Figure() (*figure.Figure, error)
}

// plot draws to all files of --plot.
func (j *job) plot(ctx context.Context, f *outputFlags, d drawing) error {
	if len(f.plots) == 0 {
		return nil
	}
	return await(ctx, func() error {
		fig, err := d.Figure()
		if err != nil {
			return err
		}
		for _, path := range f.plots {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fig.Save(path); err != nil {
				return err
			}
		}
		return nil
	})
}

// canMap refuses a map of one coordinate, and a projection of what is no map of
// the sky.
func (j *job) canMap(f *outputFlags) error {
	projected := f.projection.value != projectionAuto || f.centreRA.set
	switch {
	case projected && !j.geo.sky:
		return usagef("--projection and --centre-ra are of a map of the sky; %s and %s are not RA and Dec", j.geo.columns[0], j.geo.columns[len(j.geo.columns)-1])
	case len(f.plots) > 0 && len(j.geo.columns) < 2:
		return usagef("figure %s: a map needs two coordinates, --columns has one", f.plots[0])
	}
	return nil
}

// plotMap draws the map of the first two coordinates.
func (j *job) plotMap(ctx context.Context, f *outputFlags, labels []int32) error {
	if len(f.plots) == 0 {
		return nil
	}
	return j.plot(ctx, f, j.clusterMap(f, labels))
}

// clusterMap is the map of the first two coordinates.
func (j *job) clusterMap(f *outputFlags, labels []int32) figure.ClusterMap {
	projection, centre := f.sky()
	m := figure.ClusterMap{
		X:          j.sel.Points.Column(0),
		Y:          j.sel.Points.Column(1),
		Labels:     labels,
		Sky:        j.geo.sky,
		Projection: projection,
		CentreRA:   centre,
		XAxis:      axis(j.sel.Fields[0]),
		YAxis:      axis(j.sel.Fields[1]),
		Style:      f.of(),
	}
	if f.centreRA.set && !m.WholeSky() {
		j.sum.note("map", "it is of a field, whose own middle it has; --centre-ra %s is of maps of the whole sky, as with --projection mollweide", &f.centreRA)
	}
	return m
}

func axis(f catalog.Field) figure.Axis { return figure.Axis{Name: f.Name, Unit: f.Unit} }
