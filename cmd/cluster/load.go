package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A job is one run of a command over the rows of a catalog.
type job struct {
	app    *app
	run    *runFlags
	sum    *summary
	rep    *reporter
	joiner neighbors.Joiner // of joins that no GPU does

	also  []string // inputs besides the catalog
	empty bool     // a catalog without a usable row is no error
	cat   *catalog.Catalog
	geo   *geometry
	sel   *catalog.Selection

	eps    float64 // radius of a self-join that a calibration can speak of, else 0
	metric neighbors.Metric
	scale  string // as --scale would be given it
}

// newJob begins a run.
func newJob(a *app, command string, f *runFlags) (*job, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return &job{
		app:    a,
		run:    f,
		sum:    newSummary(command, a.version, f.count()),
		rep:    newReporter(a.stderr, f.progress.value, f.quiet),
		joiner: f.cpu(),
	}, nil
}

// openJob begins a run and opens its inputs. The caller closes j.cat.
func openJob(ctx context.Context, a *app, command string, f *runFlags, read *readFlags, paths []string) (*job, error) {
	j, err := newJob(a, command, f)
	if err == nil {
		err = j.open(ctx, paths, read)
	}
	return j, err
}

// open opens the inputs. The caller closes j.cat.
func (j *job) open(ctx context.Context, paths []string, f *readFlags) error {
	return j.openAs(ctx, paths, catalog.Options{Null: f.null, Let: f.let, Extension: f.hdu, Threads: j.run.count()})
}

// openAs is open with the options of catalogs.
func (j *job) openAs(ctx context.Context, paths []string, opt catalog.Options) error {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Read, time.Now())
	return await(ctx, func() (err error) {
		j.cat, err = catalog.Open(ctx, paths, opt)
		return err
	})
}

// join says where and how the joins of dbscan run; report may be nil.
func (j *job) join(report func(stage string, done, total int64)) dbscan.Join {
	join := dbscan.Join{Joiner: j.joiner, Threads: j.run.count(), Memory: j.run.memory.bytes}
	if report != nil {
		join.Progress = func(stage dbscan.Stage, done, total int64) { report(string(stage), done, total) }
	}
	return join
}

// inputs returns the paths of all files that are read.
func (j *job) inputs() []string {
	paths := slices.Clone(j.also)
	for _, f := range j.cat.Files() {
		paths = append(paths, f.Path)
	}
	return paths
}

// load reads the coordinates of the usable rows and takes scales from them.
func (j *job) load(ctx context.Context, f *readFlags, weights string) error {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Read, time.Now())
	p := j.rep.phase("read", j.cat.Rows())
	defer p.end()
	var sel *catalog.Selection
	err := await(ctx, func() (err error) {
		req := j.geo.request(f, weights, p.add)
		req.Empty = j.empty
		sel, err = j.cat.Select(ctx, req)
		return err
	})
	if err != nil {
		return err
	}
	j.sel = sel
	j.geo.took(sel.Fields)
	j.sum.Input.took(j.cat.Files(), sel)
	j.metric, j.scale, err = j.geo.scaled(sel.Points)
	if large := (*scaleOverflow)(nil); errors.As(err, &large) {
		return usagef("%s", large.at(catalogRow(sel, large.point)))
	}
	return err
}
