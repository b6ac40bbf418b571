package flags

import (
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
)

// Read say how rows are read.
type Read struct {
	Where  string
	Let    []string
	Null   List
	Strict bool
	Hdu    string
}

func (f *Read) Register(fs *pflag.FlagSet) {
	fs.StringVar(&f.Where, "where", "", "row filter: an `expression` such as \"parallax > 2 and phot_g_mean_mag < 18\"")
	f.RegisterValues(fs)
	fs.BoolVar(&f.Strict, "strict", false, "a row that cannot be used is an error instead of being left out")
}

// RegisterValues registers the flags about the values of columns.
func (f *Read) RegisterValues(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.Let, "let", nil, "derived column: a `definition` such as \"bp_rp = bp - rp\"; may be given several times")
	fs.StringVar(&f.Hdu, "hdu", "", "`table` of FITS files, by name or number, the first extension being 1 (default the first table); or as in events.fits[2]")
	fs.Var(&f.Null, "null", "values that are nulls, as in -9999,-999,99")
}

// Run say how a command runs and what it says meanwhile.
type Run struct {
	Device   Choice
	Threads  Integer
	Memory   Bytes
	GPU      GPU
	JSON     bool
	Quiet    bool
	Progress Choice
}

func (f *Run) Register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.Device = NewChoice("auto", "cpu", "gpu", "hybrid")
	f.Threads = Integer{Least: 1}
	fs.VarP(&f.Device, "device", "d", "where the join runs")
	fs.VarP(&f.Threads, "threads", "t", "CPU threads (default all)")
	fs.Var(&f.Memory, "memory", "memory that the join may take, as in 8GiB")
	f.RegisterTalk(cmd)
	Complete(cmd, "device", f.Device.Values)
}

// RegisterTalk registers the flags about what a command says.
func (f *Run) RegisterTalk(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.Progress = NewChoice("auto", "always", "never")
	fs.BoolVar(&f.JSON, "json", false, "the summary as one JSON object on stdout")
	fs.BoolVarP(&f.Quiet, "quiet", "q", false, "nothing on stderr but errors")
	fs.Var(&f.Progress, "progress", "progress on stderr; plain lines off a terminal")
	Complete(cmd, "progress", f.Progress.Values)
}

// MaxThreads bounds --threads: more goroutines than this only cost memory.
const MaxThreads = 4096

// Count returns the number of threads to use.
func (f *Run) Count() int {
	if f.Threads.Value == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return int(min(f.Threads.Value, MaxThreads))
}

// Output say which files are written.
type Output struct {
	Output string
	Plots  []string
	Force  bool
	Plot
}

func (f *Output) Register(fs *pflag.FlagSet, what string) {
	fs.StringVarP(&f.Output, "output", "o", "", what+": a .parquet, .fits, .vot, .ecsv or .csv `file`; - is CSV on stdout")
	fs.BoolVar(&f.Force, "force", false, "replace existing files")
}

func (f *Output) RegisterPlot(fs *pflag.FlagSet, what string) {
	fs.StringArrayVarP(&f.Plots, "plot", "p", nil, what+": a .png, .svg or .pdf `file`; may be given several times")
	f.Plot.register(fs)
}

// With returns the flags with one more figure, "" for none.
func (f *Output) With(plot string) *Output {
	if plot == "" {
		return f
	}
	more := *f
	more.Plots = append(f.Plots[:len(f.Plots):len(f.Plots)], plot)
	return &more
}

// Stdout is the name that stands for standard output.
const Stdout = "-"

// Check refuses outputs that cannot be right before anything is read: one file
// named twice, two uses of stdout. more are further output files.
func (f *Output) Check(json bool, more ...string) error {
	if json && f.Output == Stdout {
		return exit.Usagef("--json and -o - both want stdout; write the table to a file")
	}
	if err := f.Of().Check(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, path := range append(append([]string{f.Output}, more...), f.Plots...) {
		if path == "" {
			continue
		}
		if seen[filepath.Clean(path)] {
			return exit.Usagef("output %s is named twice", path)
		}
		seen[filepath.Clean(path)] = true
	}
	for _, path := range append(more, f.Plots...) {
		if path == Stdout {
			return exit.Usagef("only -o can be -, stdout")
		}
	}
	return nil
}
