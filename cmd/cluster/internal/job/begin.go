package job

import (
	"context"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/page"
)

// New begins a run that opens no catalog.
func New(a *App, command string, f *Flags) (*Job, error) {
	if err := check(&f.Run); err != nil {
		return nil, err
	}
	f.Run.LimitMemory()
	sum := report.NewSummary(command, a.Version, f.Run.Count())
	j := &Job{
		Flags:  f,
		Sum:    sum,
		Rep:    report.NewReporter(a.Stderr, f.Run.Progress.Value, f.Run.Quiet, f.Run.Log.Value == "json"),
		Joiner: f.CPU(),
		Params: report.NewParameters(sum, command),
		app:    a,
	}
	if len(a.Line.args) > 0 {
		j.Params.Metadata = append(j.Params.Metadata, a.Line.metadata(""))
	}
	for _, path := range f.Run.GPU.Traces {
		if err := j.Writes("--trace", path, f.Run.GPU.Force()); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// Begin begins a run: it checks what can be checked without a catalog, opens the
// catalogs, and refuses outputs that cannot be written. The caller closes the job.
func (f *Flags) Begin(ctx context.Context, a *App, command string, in Inputs) (*Job, error) {
	for _, path := range in.Figures {
		if page.Is(path) {
			return nil, exit.Usagef("figure %s: there is no page of it, the formats are .png, .svg and .pdf", path)
		}
	}
	out := f.Out.With(append(in.Figures, in.Pages...)...)
	if err := out.Check(f.Run.JSON, in.Tables...); err != nil {
		return nil, err
	}
	j, err := New(a, command, f)
	if err != nil {
		return nil, err
	}
	if err = j.Reads(in.Also...); err == nil {
		err = j.Open(ctx, in.Paths, in.Second)
	}
	if err == nil {
		err = j.Outputs(out, in.Tables...)
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Locate is Begin for commands whose rows have coordinates, which it finds. Of the
// columns that the second catalog lacks, it derives the named ones by --let.
func (f *Flags) Locate(ctx context.Context, a *App, command string, in Inputs, derived ...string) (*Job, error) {
	j, err := f.Begin(ctx, a, command, in)
	if err != nil {
		return nil, err
	}
	if err = j.Resolve(); err == nil {
		err = j.Derive(derived...)
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}
