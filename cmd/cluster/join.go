package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

const joinLong = `Finds every pair of rows within --eps of each other: of one catalog with itself,
each pair once and no row with itself, or every row of A with those of B.

The output has a line for each pair, ordered by row, then neighbor: row and
neighbor, the row numbers from 0 (of A and of B), and their distance. --keep adds
columns of either side. Pairs are written as they are found, so their number is
not limited by memory.`

const joinExample = `  # pairs of galaxies within an arc minute
  cluster join galaxies.csv -c RA,Dec --eps 1arcmin -o pairs.csv

  # all counterparts within 2 arc seconds, with names from both catalogs
  cluster join gaia.parquet stars.parquet -c ra,dec --columns-b RAJ2000,DEJ2000 \
      --eps 2arcsec --keep source_id,name -o pairs.parquet

  # how many pairs there are, without writing them
  cluster join points.parquet -c x,y,z --eps 0.5 --json`

type joinOptions struct {
	run      runFlags
	read     readFlags
	geometry geometryFlags
	out      outputFlags

	eps       length
	columnsB  list
	keep      list
	unit      choice
	algorithm choice
}

func newJoin(a *app) *cobra.Command {
	o := &joinOptions{unit: choice{"", angleUnitNames()}}
	o.algorithm = newChoice("auto", string(neighbors.Grid), string(neighbors.SuperEGO), string(neighbors.NewSuperEGO),
		string(neighbors.RTree), string(neighbors.KDTree), string(neighbors.Scan))
	cmd := &cobra.Command{
		Use:     "join A [B] --eps E -o OUT",
		Short:   "every pair of rows within a radius (ε similarity join)",
		Long:    joinLong,
		Example: joinExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return usagef("join takes one catalog or two, %d were given; several files are one catalog as a folder or a quoted pattern, as in 'part*.parquet'", len(args))
			}
			return needFiles(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	fs.Var(&o.eps, "eps", "radius; on the sky with its unit: deg, arcmin, arcsec or rad")
	o.geometry.register(cmd)
	fs.Var(&o.columnsB, "columns-b", "coordinate columns of B, where their names differ")
	fs.Var(&o.keep, "keep", "columns of A and B to add to the output")
	fs.Var(&o.unit, "unit", "unit of the distances written (default that of --eps)")
	o.read.register(fs)
	o.out.register(fs, "table of pairs")
	fs.Var(&o.algorithm, "algorithm", "how the CPU looks for neighbours; all give the same answer")
	o.run.register(cmd)
	o.run.gpu.register(cmd)
	completeColumns(cmd, "columns-b")
	completeColumns(cmd, "keep")
	complete(cmd, "unit", o.unit.values)
	complete(cmd, "algorithm", o.algorithm.values)
	return cmd
}

func (o *joinOptions) execute(ctx context.Context, a *app, paths []string) error {
	if o.eps.value == 0 {
		return usagef("--eps is needed: the radius, as in --eps 2arcsec")
	}
	if err := o.out.check(o.run.json); err != nil {
		return err
	}
	switch {
	case o.algorithm.value == "auto":
	case o.run.device.value == "auto":
		o.run.device.value = "cpu"
	case o.run.device.value != "cpu":
		return usagef("--algorithm %s is of the CPU, not of --device %s", o.algorithm.value, o.run.device.value)
	}
	if len(paths) < 2 && o.columnsB != nil {
		return usagef("--columns-b %s: there is no second catalog", &o.columnsB)
	}
	s, err := openSides(ctx, a, "join", o, paths)
	if err != nil {
		return err
	}
	defer s.close()
	eps, err := s.a.geo.radius("--eps", o.eps)
	if err != nil {
		return err
	}
	unit, err := o.distanceUnit(s.a.geo)
	if err != nil {
		return err
	}
	if err := s.load(ctx, &o.read); err != nil {
		return err
	}
	if !s.a.geo.angle {
		unit = s.a.geo.unit
	}
	kept, err := s.keep(ctx, o.keep)
	if err != nil {
		return err
	}
	j := s.a
	if s.b == nil {
		j.eps = eps
	}
	meta := o.parameters(s, unit)
	w := &pairWriter{sides: s, kept: kept, unit: unit, out: &o.out, meta: meta}
	err = await(ctx, func() error {
		return j.on(max(s.a.sel.Points.Len(), s.points(1).Len()), func(joiner neighbors.Joiner) error {
			return o.join(ctx, s, joiner, eps, w)
		})
	})
	if err != nil {
		return overMemory(err)
	}
	r := &j.sum.Result
	r.set("pairs", w.pairs)
	n, factor := float64(s.a.sel.Points.Len()), 2.0
	if s.b != nil {
		factor = 1
	}
	r.set("selectivity", factor*float64(w.pairs)/n)
	return j.finish()
}

// distanceUnit is the unit of angle of the distances, "" if they are no
// angles.
func (o *joinOptions) distanceUnit(g *geometry) (string, error) {
	switch {
	case !g.angle && o.unit.value != "":
		return "", usagef("--unit %s: distances are not angles here", o.unit.value)
	case g.angle && o.unit.value == "":
		return o.eps.unit, nil
	}
	return o.unit.value, nil
}

func (o *joinOptions) parameters(s *sides, unit string) []catalog.KeyValue {
	p := s.a.parameters(&o.geometry, &o.read)
	if s.b != nil {
		p.list("columns-b", s.b.geo.given())
	}
	p.length("eps", o.eps)
	if unit != "" {
		p.text("unit", unit)
	}
	return p.metadata
}

const (
	pairBytes    = 4 + 8   // of a pair in memory
	defaultPairs = 1 << 24 // held at once without --memory
)

// join writes the pairs, with an output, or else counts them.
func (o *joinOptions) join(ctx context.Context, s *sides, joiner neighbors.Joiner, eps float64, w *pairWriter) error {
	j, memory := s.a, o.run.memory.bytes
	start := time.Now()
	in := neighbors.Input{Query: s.points(0), Metric: j.metric, Threads: j.run.count(), Memory: memory}
	if s.b != nil {
		in.Data = s.points(1)
	}
	plan, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: eps, Distance: o.out.output != ""})
	if err != nil {
		return err
	}
	j.sum.Seconds.Index = time.Since(start).Seconds()
	// Half of what the index leaves is for pairs, half for the joiner.
	limit := int64(defaultPairs)
	if memory > 0 {
		held := (memory - plan.Memory()) / 2
		limit = max(held/pairBytes, 1)
		memory -= held
	}
	if cpu, ok := joiner.(neighbors.CPU); ok {
		if o.algorithm.value != "auto" {
			cpu.Algorithm = neighbors.Algorithm(o.algorithm.value)
		}
		cpu.Memory = memory
		joiner = cpu
	}
	start = time.Now()
	defer func() { j.sum.Seconds.Join = time.Since(start).Seconds() - j.sum.Seconds.Write }()
	if o.out.output == "" {
		w.pairs, err = countPairs(ctx, joiner, plan)
		return err
	}
	return w.write(ctx, j, neighbors.Ordered(ctx, joiner, plan, limit, plan.Self()), table.Options{Force: o.out.force, Metadata: w.meta, Threads: j.run.count()})
}

// countPairs counts unordered pairs of a self-join, else ordered ones.
func countPairs(ctx context.Context, joiner neighbors.Joiner, plan *neighbors.Plan) (pairs int64, err error) {
	count := make([]int64, plan.Len())
	if err := neighbors.Count(ctx, joiner, plan, plan.Work(), count); err != nil {
		return 0, err
	}
	for _, n := range count {
		pairs += n
	}
	if plan.Self() {
		pairs /= 2
	}
	return pairs, nil
}
