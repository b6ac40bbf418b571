package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
)

// CheckPlot refuses a figure that cannot be written, by the rules of tables:
// existing files need --force, and inputs are never overwritten.
func CheckPlot(path string, inputs []string, force bool) error {
	if _, err := figure.Format(path); err != nil {
		return err
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return writable(path)
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", path, Bare(err))
	}
	for _, in := range inputs {
		if it, err := os.Stat(in); err == nil && os.SameFile(st, it) {
			return exit.Usagef("figure %s is the input %s, and inputs are never overwritten; name another file", path, in)
		}
	}
	switch {
	case st.IsDir():
		return exit.Usagef("cannot write %s: it is a directory; name a file in it", path)
	case !force:
		return exit.Usagef("%s exists; --force replaces it", path)
	}
	return writable(path)
}

// writable reports whether files can be made beside path.
func writable(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".cluster-*.tmp")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, Bare(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// Bare strips the operation and the file name from an error, which names the
// file already.
func Bare(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// A Drawing is a figure before it is laid out.
type Drawing interface {
	Figure() (*figure.Figure, error)
}

// Plot draws to all files of --plot.
func (j *Job) Plot(ctx context.Context, f *flags.Output, d Drawing) error {
	if len(f.Plots) == 0 {
		return nil
	}
	return exit.Await(ctx, func() error {
		fig, err := d.Figure()
		if err != nil {
			return err
		}
		for _, path := range f.Plots {
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

// CanMap refuses a map of one coordinate, and a projection of what is no map of
// the sky.
func (j *Job) CanMap(f *flags.Output) error {
	projected := f.Projection.Value != flags.ProjectionAuto || f.CentreRA.Given
	switch {
	case projected && !j.Geo.Sky:
		return exit.Usagef("--projection and --centre-ra are of a map of the sky; %s and %s are not RA and Dec", j.Geo.Columns[0], j.Geo.Columns[len(j.Geo.Columns)-1])
	case len(f.Plots) > 0 && len(j.Geo.Columns) < 2:
		return exit.Usagef("figure %s: a map needs two coordinates, --columns has one", f.Plots[0])
	}
	return nil
}

// PlotMap draws the map of the first two coordinates.
func (j *Job) PlotMap(ctx context.Context, f *flags.Output, labels []int32) error {
	if len(f.Plots) == 0 {
		return nil
	}
	return j.Plot(ctx, f, j.ClusterMap(f, labels))
}

// ClusterMap is the map of the first two coordinates.
func (j *Job) ClusterMap(f *flags.Output, labels []int32) figure.ClusterMap {
	projection, centre := f.Sky()
	m := figure.ClusterMap{
		X:          j.Sel.Points.Column(0),
		Y:          j.Sel.Points.Column(1),
		Labels:     labels,
		Sky:        j.Geo.Sky,
		Projection: projection,
		CentreRA:   centre,
		XAxis:      Axis(j.Sel.Fields[0]),
		YAxis:      Axis(j.Sel.Fields[1]),
		Style:      f.Of(),
	}
	if f.CentreRA.Given && !m.WholeSky() {
		j.Sum.Note("map", "it is of a field, whose own middle it has; --centre-ra %s is of maps of the whole sky, as with --projection mollweide", &f.CentreRA)
	}
	return m
}

func Axis(f catalog.Field) figure.Axis { return figure.Axis{Name: f.Name, Unit: f.Unit} }
