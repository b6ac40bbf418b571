// Package plot is 'cluster plot', which draws figures of tables that commands have written.
package plot

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/drawn"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/each"
	"skyjoin/internal/named"
	"skyjoin/internal/page"
)

const doc = `plot FILE… -p FIGURE
draws the figure of a table again, or one of any two columns

Draws what a command has found, from the table that it wrote, without computing it
anew. The kind of figure follows from the table, or else --kind names it:

  map           clusters by position, or any two columns (--x, --y)
  panels        positions, proper motions, colour and magnitude, parallaxes
  histogram     pairs by distance, of hist
  correlation   of corr and rdf; a heat map where it has two variables
  matrix        the covariance of corr
  kdist, scan   the curves of these commands
  tree          a condensed tree: --tree of hdbscan
  dendrogram    of --linkage of hdbscan
  reachability  in the order of optics
  offsets       of matched positions on the sky
  separations   how far matched rows are apart
  confusion     true classes (--x) and predicted ones (--y), of classify
  trace         when devices did what: --trace of joins

Several histograms, or functions of one kind, are drawn over each other; several files
of a catalog are one table. --again prints the command line that made a figure.

Examples:
  cluster plot labelled.parquet -p map.pdf --xlim 56,58

  # a page to explore
  cluster plot labelled.parquet -p map.html --html-columns source_id

  # a colour-magnitude diagram
  cluster plot labelled.parquet --x bp_rp --y phot_g_mean_mag --invert-y -p cmd.pdf

  # the clusters as regions, and the numbers of a figure for another program
  cluster plot labelled.parquet --regions clusters.reg --plot-data map.csv

  # w(θ) of two samples
  cluster plot bright.csv faint.csv --series bright,faint -p w.pdf --plot-y scaled`

// Options are the flags of the command.
type Options struct {
	job.Flags
	kind    flags.Choice
	x, y    string
	labels  string
	invertY bool
	series  flags.List
	plotY   flags.Choice
	matrix  flags.Choice
	panels  drawn.Panels
	again   string
	data    string // of the figure
	regions string
}

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, nil, func(cmd *cobra.Command, args []string) error {
		if o.again != "" {
			if len(args) > 0 {
				return exit.Usagef("--again %s: it shows how that figure was made, and draws nothing of %s", o.again, args[0])
			}
			line, err := job.Recorded(cmd.Context(), o.again)
			if err == nil {
				line[len(line)-1] += "=" + o.again
				_, err = io.WriteString(a.Stdout, "cluster "+human.Shell(line)+"\n")
			}
			return err
		}
		if err := flags.NeedFiles(cmd, args); err != nil {
			return err
		}
		return Run(cmd.Context(), a, o, args)
	})
	fs := cmd.Flags()
	flags.AddOptional(fs, &o.kind, "kind", "what is drawn, as above (default: what suits the table)", each.Of(kinds, func(k kind) string { return k.name })...)
	fs.StringVar(&o.x, "x", "", "`column` of the axis of x of a map, or of true classes")
	fs.StringVar(&o.y, "y", "", "`column` of the axis of y of a map, or of predicted classes")
	fs.BoolVar(&o.invertY, "invert-y", false, "y of --y grows downwards, as magnitudes do")
	fs.StringVar(&o.labels, "labels", "cluster", "`column` of cluster numbers of a map; negative ones are noise")
	fs.Var(&o.series, "series", "names of the tables in the legend (default: those of the files)")
	flags.AddOptional(fs, &o.plotY, "plot-y", "axis of a correlation function, as for corr (default log, or symlog where a value is not positive)", "log", "linear", "symlog", "scaled")
	flags.AddChoice(fs, &o.matrix, "plot-matrix", "what a matrix shows: the covariance in units of the errors, or itself", "correlation", "covariance")
	o.panels.Register(cmd, "kind=panels", "plot="+flags.PageFile)
	o.Read.Register(fs)
	o.Out.RegisterPlot(fs, "the figure")
	o.Out.RegisterMap(cmd)
	o.Out.RegisterPages(cmd)
	fs.BoolVar(&o.Out.Force, "force", false, "replace existing files")
	fs.StringVar(&o.again, "again", "", "`figure` of which the command line is printed that made it")
	fs.StringVar(&o.data, "plot-data", "", "the numbers that are drawn: a .csv `file`, or a table in another format")
	fs.StringVar(&o.regions, "regions", "", "a circle around each cluster of a map of the sky, for DS9 and Aladin: a .reg `file`")
	o.Run.RegisterThreads(fs, "CPU threads (default all)")
	o.Run.RegisterTalk(cmd)
	for _, name := range []string{"x", "y", "labels"} {
		flags.CompleteColumns(cmd, name)
	}
	flags.Needs(fs, []string{"invert-y"}, "y")
	return cmd
}

// Result is that of the command.
type Result struct {
	*job.Panels
	Drawn
}

// Drawn is what is drawn.
type Drawn struct {
	Kind string `json:"kind" jsonschema:"what is drawn, as --kind names it"`
	Rows int64  `json:"drawn" jsonschema:"rows of the tables that are drawn"`
}

// Run draws the tables.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if len(o.Out.Plots) == 0 && o.data+o.regions == "" {
		return exit.Usagef("-p is needed: the figure to draw, as in -p figure.pdf; or --plot-data or --regions")
	}
	if len(o.series) > 0 && len(o.series) != len(paths) {
		return exit.Usagef("--series %s: %d names for %d files", &o.series, len(o.series), len(paths))
	}
	in, events := job.Inputs{Paths: paths[:1], Tables: []string{o.data}}, filepath.Ext(paths[0]) == ".json"
	if events {
		in.Paths, in.Also = nil, paths[:1]
	}
	j, err := o.Begin(ctx, a, "plot", in)
	if err != nil {
		return err
	}
	defer j.Close()
	if o.regions != "" {
		if err := j.Writes("regions", o.regions, o.Out.Force); err != nil {
			return err
		}
	}
	d := &drawing{Options: o, job: j, paths: paths}
	if events {
		d.kind = kindNamed("trace")
	} else if err := d.choose(); err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	p := j.Params
	p.Text("kind", d.kind.name)
	p.Text("x", o.x)
	p.Text("y", o.y)
	p.Read(&o.Read)
	if err := d.kind.draw(d, ctx); err != nil {
		return err
	}
	j.Sum.Result.Add(Drawn{d.kind.name, d.rows})
	return j.Finish(ctx)
}

// A drawing is the figure of some tables.
type drawing struct {
	*Options
	kind  kind
	job   *job.Job
	paths []string
	rows  int64 // that are drawn
}

// choose takes the kind that is named, or that which suits the columns of the table.
func (d *drawing) choose() error {
	if d.Options.kind.Value != "" {
		d.kind = kindNamed(d.Options.kind.Value)
		return nil
	}
	command := d.parameter("command")
	for _, k := range kinds {
		if d.x+d.y != "" && k.name != "map" || k.command != "" && command != "" && command != k.command || k.name == "offsets" && d.parameter("metric") != "sky" {
			continue
		}
		if k.named != nil && !slices.ContainsFunc(k.named, func(name string) bool { return !d.has(name) }) || k.name == "map" {
			d.kind = k
			return nil
		}
	}
	return nil // not reached: any table can be a map
}

// check refuses flags that the kind does not heed.
func (d *drawing) check() error {
	if _, files := page.Split(d.Out.Plots); len(files) > 0 && d.kind.name != "map" {
		return exit.Usagef("figure %s: a page is of a map; this is a figure of the kind %s, the formats are .png, .svg and .pdf", files[0], d.kind.name)
	}
	has := func(name string) bool { return slices.Contains(strings.Fields(d.kind.flags), name) }
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"--x", d.x != ""}, {"--y", d.y != ""}, {"--labels", d.labels != "cluster"}, {"--series", len(d.series) > 0}, {"--plot-y", d.plotY.Value != ""}, {"--plot-matrix", d.matrix.Value != "correlation"},
		{"--projection", d.Out.Projection.Value != flags.ProjectionAuto}, {"--centre-ra", d.Out.CentreRA.Given}, {"--regions", d.regions != ""},
	} {
		if f.given && !has(f.flag[2:]) {
			return exit.Usagef("%s is for %s; this is a figure of the kind %s", f.flag, named.Or(takers(f.flag[2:])), d.kind.name)
		}
	}
	if (d.x == "") != (d.y == "") {
		return exit.Usagef("--x and --y go together: the columns of both axes")
	}
	if d.data != "" && d.kind.name == "panels" {
		return exit.Usagef("--plot-data %s: panels show several pairs of columns; draw one by --x and --y", d.data)
	}
	if len(d.paths) > 1 && !has("series") && !has("files") {
		return exit.Usagef("a figure of the kind %s is of one table, %d are named", d.kind.name, len(d.paths))
	}
	if d.kind.name == "trace" && d.Read.Where != "" && filepath.Ext(d.paths[0]) == ".json" {
		return exit.Usagef("--where %s: a trace in .json has no rows to filter; write .csv", d.Read.Where)
	}
	return nil
}

// parameter is one that the table records, as flags are given it, or "".
func (d *drawing) parameter(name string) string { return parameterOf(d.job.Cat, name) }

// has reports whether the table has a column.
func (d *drawing) has(name string) bool {
	_, err := d.job.Cat.Field(name)
	return err == nil
}
