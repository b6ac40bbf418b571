package dbscan

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

// panelFlags ask for the panels in which clusters of stars are judged: positions,
// proper motions, a colour-magnitude diagram, and parallaxes by magnitude.
type panelFlags struct {
	path string
	pages.Usual
	pairs [3][]string
}

func (f *panelFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "plot-panels", "", "positions, proper motions, colour-magnitude diagram and parallaxes side by side: a .png, .svg or .pdf `file`")
	f.Register(cmd, "plot-panels", "plot="+flags.PageFile)
}

// resolve finds the columns of the panels beside the map.
func (f *panelFlags) resolve(cat *catalog.Catalog) (err error) {
	if f.path == "" {
		return nil
	}
	if f.pairs, err = f.Resolve(cat); err != nil {
		return err
	}
	if f.pairs[0] == nil && f.pairs[1] == nil && f.pairs[2] == nil {
		return exit.Usagef("--plot-panels %s: no columns have the usual names of proper motions, colour, magnitude and parallax; name them with --pm, --cmd and --plx", f.path)
	}
	return nil
}

// plot draws the panels. Rows that lack a value are not in its panel.
func (f *panelFlags) plot(ctx context.Context, j *job.Job, labels []int32) error {
	if f.path == "" {
		return nil
	}
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
	return j.Plot(ctx, []string{f.path}, panels)
}
