package drawn

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

// Panels are the flags of the panels in which clusters of stars are judged: positions,
// proper motions, a colour-magnitude diagram, and parallaxes by magnitude.
type Panels struct {
	Path string // of --plot-panels
	pages.Usual
	pairs [3][]string
}

// RegisterPanels registers --plot-panels and the flags of its columns.
func (f *Panels) RegisterPanels(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Path, "plot-panels", "", "positions, proper motions, colour-magnitude diagram and parallaxes side by side: a .png, .svg or .pdf `file`")
	f.Register(cmd, "plot-panels", "plot="+flags.PageFile)
}

// Find finds the columns of the panels beside the map.
func (f *Panels) Find(cat *catalog.Catalog) (err error) {
	if f.pairs, err = f.Resolve(cat); err != nil {
		return err
	}
	if f.pairs[0] == nil && f.pairs[1] == nil && f.pairs[2] == nil {
		return exit.Usagef("panels: no columns have the usual names of proper motions, colour, magnitude and parallax; name them with --pm, --cmd and --plx")
	}
	return nil
}

// Draw draws the panels to files. Rows that lack a value are not in its panel.
func (f *Panels) Draw(ctx context.Context, j *job.Job, paths []string, labels []int32) error {
	maps, shown := []figure.ClusterMap{j.ClusterMap(labels)}, [][]string{j.Geo.Columns}
	for i, names := range f.pairs {
		if names == nil {
			continue
		}
		cols, err := job.ReadColumns(ctx, j.Cat, names...)
		if err != nil {
			return err
		}
		m := figure.ClusterMap{Labels: labels, XAxis: job.Axis(cols[0].Field), YAxis: job.Axis(cols[1].Field), FlipY: i == 1}
		for k, to := range []*neighbors.Column{&m.X, &m.Y} {
			v, err := columns.NumbersOf(&cols[k], j.Sel)
			if err != nil {
				return err
			}
			*to = neighbors.Float64s(v)
		}
		maps, shown = append(maps, m.Focused()), append(shown, names)
	}
	panels := figure.ClusterPanels{Maps: maps, Style: j.Out.Of()}
	j.ReportUnseen(&panels, shown)
	return j.Plot(ctx, paths, panels)
}
