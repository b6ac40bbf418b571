package job

import (
	"cmp"
	"context"
	"io"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/file"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
)

// A Drawing is a figure before it is laid out.
type Drawing interface {
	Figure() (*figure.Figure, error)
}

// Plot draws to the files.
func (j *Job) Plot(ctx context.Context, paths []string, d Drawing) error {
	if len(paths) == 0 {
		return nil
	}
	return exit.Do(ctx, func() error {
		fig, err := d.Figure()
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := j.saveFigure(ctx, path, fig, j.Out.Force); err != nil {
				return err
			}
		}
		return nil
	})
}

// saveFigure writes a figure in the format of the extension, with the parameters of
// the run as tables have them.
func (j *Job) saveFigure(ctx context.Context, path string, fig *figure.Figure, force bool) error {
	format, err := figure.Format(path)
	if err != nil {
		return err
	}
	fig.Info = j.Info(path, fig.Info.Title)
	return file.Write(ctx, path, file.Options{Force: force}, func(w io.Writer) error { return fig.Encode(w, format) })
}

// Info is what a figure of the path says about itself; without a title it has that of
// the run.
func (j *Job) Info(path, title string) figure.Info {
	info := figure.Info{Title: cmp.Or(title, j.title()), Tool: "skyjoin " + j.app.Version}
	for _, kv := range j.Params.Metadata {
		p := figure.Parameter{Name: strings.TrimPrefix(kv.Key, report.MetadataPrefix), Value: kv.Value}
		if p.Name == report.RunKey {
			p.Value = j.app.Line.ofFigure(path)
		}
		info.Parameters = append(info.Parameters, p)
	}
	return info
}

// title is that of figures that have none: the command and its files.
func (j *Job) title() string {
	names := []string{j.Sum.Command}
	if j.Cat != nil {
		names = append(names, j.Inputs()...)
	}
	if len(names) > 4 {
		names = append(names[:4], "…")
	}
	return strings.Join(names, " ")
}

// CanMap refuses a map of a single coordinate, and a projection for anything but a
// map of the sky.
func (j *Job) CanMap(f *flags.Output) error {
	projected := f.Projection.Value != flags.ProjectionAuto || f.CentreRA.Given
	switch {
	case projected && !j.Geo.Sky:
		return exit.Usagef("--projection and --centre-ra are for maps of the sky; %s and %s are not RA and Dec", j.Geo.Columns[0], j.Geo.Columns[len(j.Geo.Columns)-1])
	case len(f.Plots) > 0 && len(j.Geo.Columns) < 2:
		return exit.Usagef("figure %s: a map needs two coordinates, --columns has one", f.Plots[0])
	}
	return nil
}

// ClusterMap is the map of the first two coordinates.
func (j *Job) ClusterMap(labels []int32) figure.ClusterMap {
	f := &j.Out
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
	for i := range min(len(j.Geo.Sides), 2) {
		m.Box[i] = j.Geo.Sides[i]
	}
	if f.CentreRA.Given && !m.WholeSky() {
		j.Sum.Note("map", "it shows a field and is centred on it; --centre-ra %s is for maps of the whole sky, as with --projection mollweide", &f.CentreRA)
	}
	return m
}

// Axis is the axis of a column.
func Axis(f catalog.Field) figure.Axis { return figure.AxisOf(f.Name, f.Unit, f.UCD) }

// Panels are of results that have a figure of several columns.
type Panels struct {
	Panels []Panel `json:"panels" jsonschema:"panels of --plot-panels, and the rows that are missing from them"`
}

// A Panel is the columns of a panel and how many rows it does not show.
type Panel struct {
	X       string `json:"x" jsonschema:"column"`
	Y       string `json:"y" jsonschema:"column"`
	Outside int64  `json:"members_outside" jsonschema:"rows of clusters outside the axes"`
	Blank   int64  `json:"members_blank" jsonschema:"rows of clusters without a value"`
	Noise   int64  `json:"noise_outside" jsonschema:"noise outside the axes"`
}

// ReportUnseen says which rows are missing from panels of columns.
func (j *Job) ReportUnseen(panels *figure.ClusterPanels, columns [][]string) {
	var all []Panel
	for i, u := range panels.Unseen() {
		x, y := columns[i][0], columns[i][1]
		all = append(all, Panel{x, y, int64(u.Members), int64(u.Blank), int64(u.Noise)})
		if u.Members > 0 {
			j.Sum.Note("panel", "%s, %s: %s of clusters outside the axes", x, y, human.Plural(int64(u.Members), "row", "rows"))
		}
		if u.Blank > 0 {
			j.Sum.Note("panel", "%s, %s: %s of clusters without a value", x, y, human.Plural(int64(u.Blank), "row", "rows"))
		}
	}
	j.Sum.Result.Add(Panels{all})
}
