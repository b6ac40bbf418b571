package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/neighbors"
)

// readFlags say how rows are read.
type readFlags struct {
	where  string
	let    []string
	null   list
	strict bool
}

func (f *readFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.where, "where", "", "row filter: an `expression` such as \"parallax > 2 and phot_g_mean_mag < 18\"")
	f.registerValues(fs)
	fs.BoolVar(&f.strict, "strict", false, "a row that cannot be used is an error instead of being left out")
}

// registerValues registers the flags about the values of columns.
func (f *readFlags) registerValues(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.let, "let", nil, "derived column: a `definition` such as \"bp_rp = bp - rp\"; may be given several times")
	fs.Var(&f.null, "null", "values that are nulls, as in -9999,-999,99")
}

// runFlags say how a command runs and what it says meanwhile.
type runFlags struct {
	device   choice
	threads  integer
	memory   byteSize
	gpu      gpuFlags
	json     bool
	quiet    bool
	progress choice
}

func (f *runFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.device = newChoice("auto", "cpu", "gpu", "hybrid")
	f.threads = integer{least: 1}
	fs.VarP(&f.device, "device", "d", "where the join runs")
	fs.VarP(&f.threads, "threads", "t", "CPU threads (default all)")
	fs.Var(&f.memory, "memory", "memory that the join may take, as in 8GiB")
	f.registerTalk(cmd)
	complete(cmd, "device", f.device.values)
}

// registerTalk registers the flags about what a command says.
func (f *runFlags) registerTalk(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.progress = newChoice("auto", "always", "never")
	fs.BoolVar(&f.json, "json", false, "the summary as one JSON object on stdout")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "nothing on stderr but errors")
	fs.Var(&f.progress, "progress", "progress on stderr; plain lines off a terminal")
	complete(cmd, "progress", f.progress.values)
}

// maxThreads bounds --threads: more goroutines than this only cost memory.
const maxThreads = 4096

// count returns the number of threads to use.
func (f *runFlags) count() int {
	if f.threads.value == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return int(min(f.threads.value, maxThreads))
}

// outputFlags say which files are written.
type outputFlags struct {
	output string
	plots  []string
	force  bool
	plotFlags
}

func (f *outputFlags) register(fs *pflag.FlagSet, what string) {
	fs.StringVarP(&f.output, "output", "o", "", what+": a .parquet, .fits, .vot, .ecsv or .csv `file`; - is CSV on stdout")
	fs.BoolVar(&f.force, "force", false, "replace existing files")
}

func (f *outputFlags) registerPlot(fs *pflag.FlagSet, what string) {
	fs.StringArrayVarP(&f.plots, "plot", "p", nil, what+": a .png, .svg or .pdf `file`; may be given several times")
	f.plotFlags.register(fs)
}

// with returns the flags with one more figure, "" for none.
func (f *outputFlags) with(plot string) *outputFlags {
	if plot == "" {
		return f
	}
	more := *f
	more.plots = append(f.plots[:len(f.plots):len(f.plots)], plot)
	return &more
}

// stdout is the name that stands for standard output.
const stdout = "-"

// check refuses outputs that cannot be right before anything is read: one file
// named twice, two uses of stdout. more are further output files.
func (f *outputFlags) check(json bool, more ...string) error {
	if json && f.output == stdout {
		return usagef("--json and -o - both want stdout; write the table to a file")
	}
	if err := f.of().Check(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, path := range append(append([]string{f.output}, more...), f.plots...) {
		if path == "" {
			continue
		}
		if seen[filepath.Clean(path)] {
			return usagef("output %s is named twice", path)
		}
		seen[filepath.Clean(path)] = true
	}
	for _, path := range append(more, f.plots...) {
		if path == stdout {
			return usagef("only -o can be -, stdout")
		}
	}
	return nil
}

// overMemory adds the cure to an error about memory.
func overMemory(err error) error {
	if errors.Is(err, neighbors.ErrMemory) {
		return fmt.Errorf("%w; give it more with --memory, or use fewer rows", err)
	}
	return err
}
