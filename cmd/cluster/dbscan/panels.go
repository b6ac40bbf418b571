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

// panelFlags ask for the panels in which clusters of stars are judged: positions,
// proper motions, a colour-magnitude diagram, and parallaxes by magnitude.
type panelFlags struct {
	path         string
	pm, cmd, plx flags.List
}

func (f *panelFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.path, "plot-panels", "", "positions, proper motions, colour-magnitude diagram and parallaxes side by side: a .png, .svg or .pdf `file`")
	fs.Var(&f.pm, "pm", "columns of proper motion in RA and Dec for --plot-panels (default the usual names)")
	fs.Var(&f.cmd, "cmd", "columns of colour and magnitude for --plot-panels (default the usual names)")
	fs.Var(&f.plx, "plx", "columns of magnitude and parallax for --plot-panels (default the usual names)")
	for _, name := range []string{"pm", "cmd", "plx"} {
		flags.CompleteColumns(cmd, name)
	}
	flags.Needs(fs, []string{"pm", "cmd", "plx"}, "plot-panels")
}

// usualPanels are the usual names of proper motions, of colours and magnitudes, and
// of magnitudes and parallaxes, in lower case.
var usualPanels = map[string][][2]string{
	"pm": {{"pmra", "pmdec"}, {"pmra", "pmde"}, {"pm_ra", "pm_dec"}, {"pm_ra_cosdec", "pm_dec"}, {"pmra_cosdec", "pmdec"}},
	"cmd": {{"bp_rp", "phot_g_mean_mag"}, {"bp-rp", "gmag"}, {"bprp", "g"}, {"bp_rp", "gmag"}, {"bp_rp", "g"},
		{"g_r", "g"}, {"g-r", "gmag"}, {"b_v", "v"}, {"b-v", "vmag"}, {"j_k", "k"}, {"j-k", "kmag"}},
	"plx": {{"phot_g_mean_mag", "parallax"}, {"gmag", "plx"}, {"gmag", "parallax"}, {"g", "parallax"}, {"g", "plx"}, {"vmag", "plx"}},
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

// resolve finds the columns of the panels beside the map.
func (f *panelFlags) resolve(cat *catalog.Catalog) (err error) {
	if f.path == "" {
		return nil
	}
	if f.pm, err = f.columns(cat, "pm", f.pm); err != nil {
		return err
	}
	if f.cmd, err = f.columns(cat, "cmd", f.cmd); err != nil {
		return err
	}
	if f.plx, err = f.columns(cat, "plx", f.plx); err != nil {
		return err
	}
	if f.pm == nil && f.cmd == nil && f.plx == nil {
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
	for i, names := range [][]string{f.pm, f.cmd, f.plx} {
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
