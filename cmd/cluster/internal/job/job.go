// Package job is one run of a command over one catalog or two: it opens and reads
// them, chooses the device, checks and writes the outputs, and reports.
package job

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/dbscan"
	"skyjoin/hybrid"
	"skyjoin/internal/file"
	"skyjoin/internal/used"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

// An App is what all commands share.
type App struct {
	Stdin          io.Reader // of the catalog named -; nil if there is none
	Stdout, Stderr io.Writer
	Version        string
	Source         Source
	Used           used.Record // by the run
	Line           Line        // that is carried out

	// Execute carries out another command line within the run.
	Execute func(ctx context.Context, args []string) error
}

// Flags are the groups of flags that most commands share. A command registers those
// that it uses.
type Flags struct {
	Run      flags.Run
	Read     flags.Read
	Geometry geometry.Flags
	Second   geometry.SecondFlags
	Out      flags.Output

	Algorithm neighbors.Algorithm // of the CPU; Auto: what suits the plan
}

// Inputs are what a command reads and writes besides what its flags say.
type Inputs struct {
	Paths   []string // the catalog
	Second  []string // the catalog that it is joined with; none: itself
	Also    []string // other files that are read, never to be replaced, "" for none
	Tables  []string // tables to write besides -o, "" for none
	Figures []string // figures to draw besides --plot, "" for none
	Pages   []string // of the figures that can be pages to explore, too
}

// A Side is one of the catalogs of a job.
type Side struct {
	Cat *catalog.Catalog
	Geo *geometry.Geometry
	Sel *catalog.Selection // its usable rows, once read
}

// A Job is one run of a command over the rows of a catalog, or of two that are
// joined.
type Job struct {
	*Flags
	Side       // the first catalog
	B    *Side // the second, nil where the first is joined with itself

	Sum    *report.Summary
	Rep    *report.Reporter
	Joiner neighbors.Joiner // of joins that no GPU does
	Params *report.Parameters

	Eps    float64 // radius of a self-join that can be calibrated, else 0
	Metric neighbors.Metric
	Scale  string // in the notation of --scale

	renamed map[string]string // columns that are written under another name
	takes   int64             // bytes, by Fits
	cards   int64             // bytes for GPUs
	allowed int64             // bytes for all else, if there are GPUs
	dropped []string          // columns that the format of the output cannot hold
	changed []table.Change

	events []hybrid.Event // of the last join, for --trace
	traced bool

	app   *App
	paths file.Paths // everything that is read or written
}

// Close closes the catalogs.
func (j *Job) Close() {
	if j.Cat != nil {
		j.Cat.Close()
	}
	if j.B != nil {
		j.B.Cat.Close()
	}
}

// Timed returns a function that adds the time until its call to a stage of
// the summary; use it with defer.
func (j *Job) Timed(stage *float64) func() {
	start := time.Now()
	return func() { j.Sum.Seconds.Lap(stage, start) }
}

// Join says where and how the joins of dbscan run; report may be nil.
func (j *Job) Join(report func(stage string, done, total int64)) dbscan.Join {
	join := dbscan.Join{Joiner: j.Joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes}
	if report != nil {
		join.Progress = func(stage dbscan.Stage, done, total int64) { report(string(stage), done, total) }
	}
	return join
}

// Lengths are of results that have some.
type Lengths struct {
	Unit string `json:"unit" jsonschema:"unit of lengths"`
}

// Unit names the unit of the lengths of a result, "" for none, in JSON. Tables have it
// with the parameters or in their headings.
func (j *Job) Unit(unit string) {
	if unit != "" && j.Run.AsJSON() {
		j.Sum.Result.Add(Lengths{unit})
	}
}

// Finish gives all outputs their names, and prints the summary.
func (j *Job) Finish(ctx context.Context) error {
	if j.traced {
		if err := j.writeTraces(ctx); err != nil {
			return err
		}
	}
	if err := file.Name(ctx); err != nil {
		return err
	}
	if g := &j.Run.GPU; j.Sum.Pattern == nil && g.Pattern.Value+g.Threads.Value+g.Order.Value != "" {
		j.Sum.Note("pattern", "none: the CPU has found all") // such as more of the nearest than there are rows
	}
	j.warnOfDropped()
	j.warnOfChanged()
	j.Sum.Kernels = j.app.Used.Kernels()
	j.Sum.Algorithm = cmp.Or(j.Sum.Algorithm, strings.Join(j.app.Used.Algorithms(), ", "))
	j.Sum.Finish()
	if err := j.Rep.Summary(j.Sum, j.Run.JSON); err != nil || !j.Run.JSON {
		return err
	}
	return j.Sum.WriteJSON(j.app.Stdout)
}

// CPU returns the joiner of the CPU.
func (f *Flags) CPU() neighbors.CPU {
	return neighbors.CPU{Threads: f.Run.Count(), Memory: f.Run.Memory.Bytes, Algorithm: f.Algorithm}
}
