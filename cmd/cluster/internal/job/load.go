// Package job is one run of a command over one catalog or two: it opens and reads
// them, chooses the device, checks and writes the outputs, and reports.
package job

import (
	"context"
	"errors"
	"time"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/dbscan"
	"skyjoin/internal/file"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A Job is one run of a command over the rows of a catalog.
type Job struct {
	app    *App
	Run    *flags.Run
	Sum    *report.Summary
	Rep    *report.Reporter
	Joiner neighbors.Joiner // of joins that no GPU does

	paths file.Paths // all that is read and written
	Empty bool       // a catalog without a usable row is no error
	Cat   *catalog.Catalog
	Geo   *geometry.Geometry
	Sel   *catalog.Selection

	Eps    float64 // radius of a self-join that a calibration can speak of, else 0
	Metric neighbors.Metric
	Scale  string // as --scale would be given it
}

// New begins a run.
func New(a *App, command string, f *flags.Run) (*Job, error) {
	if err := check(f); err != nil {
		return nil, err
	}
	j := &Job{
		app:    a,
		Run:    f,
		Sum:    report.NewSummary(command, a.Version, f.Count()),
		Rep:    report.NewReporter(a.Stderr, f.Progress.Value, f.Quiet),
		Joiner: Cpu(f),
	}
	for _, path := range f.GPU.Traces {
		if err := j.Writes("--trace", path, f.GPU.Force()); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// Open begins a run and opens its inputs. The caller closes j.cat.
func Open(ctx context.Context, a *App, command string, f *flags.Run, read *flags.Read, paths []string) (*Job, error) {
	j, err := New(a, command, f)
	if err == nil {
		err = j.Open(ctx, paths, read)
	}
	return j, err
}

// Open opens the inputs. The caller closes j.cat.
func (j *Job) Open(ctx context.Context, paths []string, f *flags.Read) error {
	return j.OpenAs(ctx, paths, catalog.Options{Null: f.Null, Let: f.Let, Extension: f.Hdu, Threads: j.Run.Count()})
}

// OpenAs is open with the options of catalogs.
func (j *Job) OpenAs(ctx context.Context, paths []string, opt catalog.Options) error {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Read, time.Now())
	err := exit.Await(ctx, func() (err error) {
		j.Cat, err = catalog.Open(ctx, paths, opt)
		return err
	})
	if err != nil {
		return err
	}
	return j.Reads(j.Inputs()...)
}

// Join says where and how the joins of dbscan run; report may be nil.
func (j *Job) Join(report func(stage string, done, total int64)) dbscan.Join {
	join := dbscan.Join{Joiner: j.Joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes}
	if report != nil {
		join.Progress = func(stage dbscan.Stage, done, total int64) { report(string(stage), done, total) }
	}
	return join
}

// Load reads the coordinates of the usable rows and takes scales from them.
func (j *Job) Load(ctx context.Context, f *flags.Read, weights string) error {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Read, time.Now())
	p := j.Rep.Phase("read", j.Cat.Rows())
	defer p.End()
	var sel *catalog.Selection
	err := exit.Await(ctx, func() (err error) {
		req := j.Geo.Request(f, weights, p.Add)
		req.Empty = j.Empty
		sel, err = j.Cat.Select(ctx, req)
		return err
	})
	if err != nil {
		return err
	}
	j.Sel = sel
	j.Geo.Took(sel.Fields)
	j.Sum.Input.Took(j.Cat.Files(), sel)
	j.Metric, j.Scale, err = j.Geo.Scaled(sel.Points)
	if large := (*geometry.ScaleOverflow)(nil); errors.As(err, &large) {
		return exit.Usagef("%s", large.At(CatalogRow(sel, large.Point)))
	}
	return err
}
