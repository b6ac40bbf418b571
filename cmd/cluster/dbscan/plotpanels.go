package dbscan

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

// panelFlags ask for the panels in which clusters of stars are judged:
// positions, proper motions and a colour-magnitude diagram.
type panelFlags struct {
	path    string
	pm, cmd flags.List
}

func (f *panelFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.path, "plot-panels", "", "positions, proper motions and colour-magnitude diagram side by side: a .png, .svg or .pdf `file`")
	fs.Var(&f.pm, "pm", "columns of proper motion in RA and Dec for --plot-panels (default the usual names)")
	fs.Var(&f.cmd, "cmd", "columns of colour and magnitude for --plot-panels (default the usual names)")
	flags.CompleteColumns(cmd, "pm")
	flags.CompleteColumns(cmd, "cmd")
	flags.Needs(fs, []string{"pm", "cmd"}, "plot-panels")
}

// usualPanels are the usual names of proper motions, and of colours and
// magnitudes, in lower case.
var usualPanels = map[string][][2]string{
	"pm": {{"pmra", "pmdec"}, {"pmra", "pmde"}, {"pm_ra", "pm_dec"}, {"pm_ra_cosdec", "pm_dec"}, {"pmra_cosdec", "pmdec"}},
	"cmd": {{"bp_rp", "phot_g_mean_mag"}, {"bp-rp", "gmag"}, {"bprp", "g"}, {"bp_rp", "gmag"}, {"bp_rp", "g"},
		{"g_r", "g"}, {"g-r", "gmag"}, {"b_v", "v"}, {"b-v", "vmag"}, {"j_k", "k"}, {"j-k", "kmag"}},
}

// columns returns the pair of columns of a panel: those that are named, else
// those of usual names, else none.
func (f *panelFlags) columns(cat *catalog.Catalog, flag string, named flags.List) ([]string, error) {
	if len(named) > 0 {
		if len(named) != 2 {
			return nil, exit.Usagef("--%s %s: a panel has two columns, this names %d", flag, named.String(), len(named))
		}
		for _, name := range named {
			if _, err := cat.Field(name); err != nil {
				return nil, err
			}
		}
		return named, nil
	}
	for _, pair := range usualPanels[flag] {
		if x, y := columnLike(cat, pair[0]), columnLike(cat, pair[1]); x != "" && y != "" {
			return []string{x, y}, nil
		}
	}
	return nil, nil
}

// columnLike returns the first column of that name in any case, else "".
func columnLike(cat *catalog.Catalog, lower string) string {
	for _, f := range cat.Fields() {
		if strings.ToLower(f.Name) == lower {
			return f.Name
		}
	}
	return ""
}

// resolve returns the columns of the panels beside the map.
func (f *panelFlags) resolve(j *job.Job) (pm, cmd []string, err error) {
	if f.path == "" {
		return nil, nil, nil
	}
	if pm, err = f.columns(j.Cat, "pm", f.pm); err != nil {
		return nil, nil, err
	}
	if cmd, err = f.columns(j.Cat, "cmd", f.cmd); err != nil {
		return nil, nil, err
	}
	if pm == nil && cmd == nil {
		return nil, nil, exit.Usagef("--plot-panels %s: no columns of proper motions or of colour and magnitude are known by name; say which with --pm and --cmd", f.path)
	}
	return pm, cmd, nil
}

// plotPanels draws the panels. Rows that lack a value are not in its panel.
func plotPanels(ctx context.Context, j *job.Job, o *flags.Output, f *panelFlags, pm, cmd []string, labels []int32) error {
	if f.path == "" {
		return nil
	}
	maps := []figure.ClusterMap{j.ClusterMap(o, labels)}
	for i, names := range [][]string{pm, cmd} {
		if names == nil {
			continue
		}
		var cols []catalog.Column
		err := exit.Await(ctx, func() (err error) {
			cols, err = j.Cat.Read(ctx, names, nil)
			return err
		})
		if err != nil {
			return err
		}
		m := figure.ClusterMap{Labels: labels, XAxis: job.Axis(cols[0].Field), YAxis: job.Axis(cols[1].Field), FlipY: i == 1, Focus: true}
		x, err := columns.NumbersOf(&cols[0], j.Sel)
		if err != nil {
			return err
		}
		y, err := columns.NumbersOf(&cols[1], j.Sel)
		if err != nil {
			return err
		}
		m.X, m.Y = neighbors.Float64s(x), neighbors.Float64s(y)
		maps = append(maps, m)
	}
	files := flags.Output{Plots: []string{f.path}, Force: o.Force, Plot: o.Plot}
	return j.Plot(ctx, &files, figure.ClusterPanels{Maps: maps, Style: o.Of()})
}
