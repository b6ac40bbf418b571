package predict

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/hdbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

// A density is the flags of a run of 'cluster hdbscan', whose tree is built anew.
type density struct {
	sizes      flags.List
	samples    flags.Number
	weights    string
	alpha      flags.Number
	ties       flags.Choice
	method     flags.Choice
	epsilon    flags.Length
	epsilonMax flags.Length
	maxSize    flags.Number
	single     bool

	selection hdbscan.Selection
	weight    []float64 // of the points
}

func newDensity(values map[string]string) *density {
	return &density{
		weights: values["weights"], single: values["single-cluster"] == "true",
		ties:   flags.NewChoice(hdbscan.TiesTogether.String(), hdbscan.TiesSklearn.String()),
		method: flags.NewChoice(hdbscan.EOM.String(), hdbscan.Leaf.String()),
	}
}

// flags are the values that the metadata have.
func (d *density) flags() []flagValue {
	return []flagValue{
		{"min-cluster-size", &d.sizes}, {"min-samples", &d.samples}, {"alpha", &d.alpha}, {"ties", &d.ties}, {"select", &d.method},
		{"epsilon", &d.epsilon}, {"epsilon-max", &d.epsilonMax}, {"max-cluster-size", &d.maxSize},
	}
}

// A flagValue is a flag and its name in the metadata.
type flagValue struct {
	name  string
	value pflag.Value
}

// read reads the rows that the tree was built from.
func (d *density) read(ctx context.Context, t *training, cat *catalog.Catalog, g *geometry.Geometry) error {
	if !d.samples.Given || len(d.sizes) == 0 {
		return exit.Usagef("%s does not record --min-samples and --min-cluster-size, as where --from-tree is a CSV file; give the output of a run without it", t.path)
	}
	method, err := hdbscan.ParseMethod(d.method.Value)
	if err != nil {
		return err
	}
	d.selection = hdbscan.Selection{Method: method, SingleCluster: d.single, MaxClusterSize: d.maxSize.Value}
	for _, l := range []struct {
		name string
		flag flags.Length
		to   *float64
	}{{"--epsilon", d.epsilon, &d.selection.Epsilon}, {"--epsilon-max", d.epsilonMax, &d.selection.EpsilonMax}} {
		if l.flag.Value > 0 {
			if *l.to, err = g.Radius(l.name, l.flag); err != nil {
				return fmt.Errorf("%s: %w", t.path, err)
			}
		}
	}
	sel, err := cat.Select(ctx, g.Request(&flags.Read{Where: t.where}, d.weights))
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	if t.metric, _, err = g.Scaled(sel.Points); err != nil {
		return err
	}
	t.fields, t.points, d.weight = sel.Fields, sel.Points, sel.Weights
	return nil
}

// predict returns the columns of the new rows, the labels of the first size first.
func (d *density) predict(ctx context.Context, j *job.Job, t *training) (labels []int32, columns []table.Column, err error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	report, end := j.Rep.Stages()
	defer end()
	join := hdbscan.Join{Joiner: j.Joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes,
		Progress: func(stage hdbscan.Stage, done, total int64) { report(string(stage), done, total) }}
	ties, err := hdbscan.ParseTies(d.ties.Value)
	if err != nil {
		return nil, nil, err
	}
	opt := hdbscan.Options{MinSamples: d.samples.Value, Weights: d.weight, Alpha: d.alpha.Value, Ties: ties, Joiner: join.Joiner, Threads: join.Threads, Memory: join.Memory, Progress: join.Progress}
	err = exit.Do(ctx, func() error {
		tree, err := hdbscan.Build(ctx, t.points, t.metric, opt)
		if err != nil {
			return err
		}
		for _, text := range d.sizes {
			size, ok := flags.ParseFloat(text)
			if !ok {
				return exit.Usagef("%s: metadata min-cluster-size, %q: not a number", t.path, text)
			}
			c, err := tree.Condense(size)
			if err != nil {
				return err
			}
			p, err := c.Predict(ctx, d.selection, j.Sel.Points, join)
			if err != nil {
				return err
			}
			suffix := ""
			if len(d.sizes) > 1 {
				suffix = "_" + text
			}
			rows := j.Sel.Rows
			columns = append(columns,
				table.Column{Name: "cluster" + suffix, Int32: p.Labels, Rows: rows, Description: "cluster number, -1 for noise"},
				table.Column{Name: "probability" + suffix, Float64: p.Probabilities, Rows: rows, Description: "how firmly the row belongs to its cluster"},
				table.Column{Name: "outlier" + suffix, Float64: p.Outliers, Rows: rows, Description: "GLOSH outlier score"})
		}
		return nil
	})
	if err != nil {
		return nil, nil, exit.OverMemory(err)
	}
	return columns[0].Int32, columns, nil
}

// A training is the core rows of a labelled catalog, or all rows of one that
// hdbscan labelled, and the flags of the run that did.
type training struct {
	path     string
	geometry geometry.Flags
	eps      flags.Length
	border   flags.Choice
	where    string
	null     flags.List
	let      flags.List // definitions of derived columns
	density  *density   // of a run of hdbscan; nil of dbscan

	fields []catalog.Field // of the coordinates
	points *neighbors.Points
	labels []int32
	metric neighbors.Metric
	radius float64
}
