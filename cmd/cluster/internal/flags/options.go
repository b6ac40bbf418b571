package flags

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
)

// Read says how rows are read.
type Read struct {
	Where  string
	Let    []string
	Null   List
	Strict bool
	Empty  bool // catalogs without a usable row are no error
	File
}

// File says how files are opened.
type File struct {
	HDU    string
	Format string
	Names  List
}

func (f *Read) Register(fs *pflag.FlagSet) {
	f.RegisterRows(fs)
	fs.BoolVar(&f.Empty, "allow-empty", false, "a catalog without a row that can be used gives an empty result instead of an error")
}

// RegisterRows registers the flags about rows and their values, for commands that
// need some.
func (f *Read) RegisterRows(fs *pflag.FlagSet) {
	AddFilter(fs, &f.Where, "where", "row filter: an `expression` such as \"parallax > 2 and phot_g_mean_mag < 18\"")
	f.RegisterValues(fs)
	fs.BoolVar(&f.Strict, "strict", false, "a row that cannot be used is an error instead of being left out")
}

// RegisterValues registers the flags about the values of columns.
func (f *Read) RegisterValues(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.Let, "let", nil, "derived column: a `definition` such as \"bp_rp = bp - rp\"; may be given several times")
	f.File.Register(fs, "; or as in events.fits[2]")
	f.RegisterNull(fs)
}

// Register registers the flags; the use of --hdu ends with more.
func (f *File) Register(fs *pflag.FlagSet, more string) {
	fs.StringVar(&f.HDU, "hdu", "", "`table` of FITS, VOTable or .npz files, by name or number, the first being 1 (default the first table)"+more)
	fs.StringVar(&f.Format, "format", "", "`format` of the files, as ascii, fixed or ipac, where their content does not tell; docs/formats.md lists all")
	fs.Var(&f.Names, "names", "names of the columns of text that has none, as in ra,dec,mag")
}

// RegisterSecond registers the flags for the second catalog.
func (f *File) RegisterSecond(fs *pflag.FlagSet) {
	fs.StringVar(&f.HDU, "hdu-b", "", "`table` of the files of the second catalog, where it differs")
	fs.StringVar(&f.Format, "format-b", "", "`format` of the files of the second catalog")
	fs.Var(&f.Names, "names-b", "names of the columns of the second catalog, where its text has none")
}

// RegisterNull registers --null.
func (f *Read) RegisterNull(fs *pflag.FlagSet) {
	fs.Var(&f.Null, "null", "values that are nulls, as in -9999,-999,99")
}

// Run says how a command runs and what it reports meanwhile.
type Run struct {
	Device   Choice
	Threads  Integer
	Memory   Bytes
	GPU      GPU
	JSON     bool
	Quiet    bool
	Progress Choice
	Log      Choice // form of what is said on stderr
}

func (f *Run) Register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.Device = NewChoice("auto", "cpu", "gpu", "hybrid")
	fs.VarP(&f.Device, "device", "d", "where the join runs")
	f.RegisterThreads(fs, "CPU threads (default all)")
	f.RegisterMemory(fs)
	f.RegisterTalk(cmd)
}

// RegisterMemory registers --memory.
func (f *Run) RegisterMemory(fs *pflag.FlagSet) {
	fs.Var(&f.Memory, "memory", "memory that the run may take, as in 8GiB")
}

// RegisterThreads registers --threads.
func (f *Run) RegisterThreads(fs *pflag.FlagSet, use string) {
	f.Threads = Integer{Least: 1}
	fs.VarP(&f.Threads, "threads", "t", use)
}

// RegisterTalk registers the flags about the messages of a command.
func (f *Run) RegisterTalk(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.BoolVar(&f.JSON, "json", false, "the summary as one JSON object on stdout")
	fs.BoolVarP(&f.Quiet, "quiet", "q", false, "nothing on stderr but errors")
	AddChoice(fs, &f.Progress, "progress", "progress on stderr; plain lines off a terminal", "auto", "always", "never")
	AddChoice(fs, &f.Log, "log-format", "form of what is said on stderr; json: a JSON object in each line", "text", "json")
}

// AsJSON reports whether the summary is written as JSON, on stdout or in the log.
func (f *Run) AsJSON() bool { return f.JSON || f.Log.Value == "json" }

// MaxThreads bounds --threads: more goroutines than this only cost memory.
const MaxThreads = 4096

// The part of --memory that is not for the heap: code and stacks of the program, and
// the smallest limit of the heap.
const (
	besideHeap = 24 << 20
	leastHeap  = 40 << 20
)

// LimitMemory makes the runtime collect garbage before the process takes more than
// --memory, until the command ends.
func (f *Run) LimitMemory() {
	if f.Memory.Bytes > 0 {
		debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), max(f.Memory.Bytes-besideHeap, leastHeap)))
	}
}

// Count returns the number of threads to use.
func (f *Run) Count() int {
	if f.Threads.Value == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return int(min(f.Threads.Value, MaxThreads))
}

// Output says which files are written.
type Output struct {
	Output string
	Format Choice
	Plots  []string
	Pages  bool // --plot can be a page to explore
	Exact  List // columns that a page has exactly
	Force  bool
	Plot
}

func (f *Output) Register(fs *pflag.FlagSet, what string) {
	fs.StringVarP(&f.Output, "output", "o", "", what+": a .parquet, .fits, .vot, .ecsv, .csv, .mrt, .tbl (IPAC) or .tex `file`; - is stdout")
	AddOptional(fs, &f.Format, "output-format", "`format` of -o -: csv (the default), ecsv, votable, fits, parquet, mrt, ipac or latex", "csv", "ecsv", "votable", "vot", "xml", "fits", "parquet", "mrt", "ipac", "tbl", "latex", "tex")
	fs.BoolVar(&f.Force, "force", false, "replace existing files")
}

func (f *Output) RegisterPlot(fs *pflag.FlagSet, what string) {
	fs.StringArrayVarP(&f.Plots, "plot", "p", nil, what+": a .png, .svg or .pdf `file`; may be given several times")
	f.Plot.register(fs)
}

// PlotsPages says that --plot, and more flags of figures, can be pages to explore.
func (f *Output) PlotsPages(fs *pflag.FlagSet, more ...string) {
	f.Pages = true
	for _, name := range append(more, "plot") {
		flag := fs.Lookup(name)
		flag.Usage = strings.Replace(flag.Usage, "a .png, .svg or .pdf `file`", "a .png, .svg, .pdf or .html `file`, the last a page to explore", 1)
	}
}

// RegisterPages registers that --plot can be a page, and the flags of pages of maps.
func (f *Output) RegisterPages(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.PlotsPages(fs)
	fs.Var(&f.Exact, "html-columns", "columns that a page to explore has exactly, ids among them, for exports of what is selected there")
	CompleteColumns(cmd, "html-columns")
	Needs(fs, []string{"html-columns"}, "plot="+PageFile)
}

// With returns the flags with more figures, "" for none.
func (f *Output) With(plots ...string) *Output {
	more := *f
	more.Plots = slices.DeleteFunc(append(slices.Clone(f.Plots), plots...), func(path string) bool { return path == "" })
	return &more
}

// Stdout is the name that stands for standard output.
const Stdout = "-"

// Check refuses invalid outputs: two uses of stdout, styles that figures cannot have.
// more are further output files.
func (f *Output) Check(json bool, more ...string) error {
	if json && f.Output == Stdout {
		return exit.Usagef("--json and -o - both want stdout; write the table to a file")
	}
	if f.Format.Value != "" && f.Output != Stdout {
		return exit.Usagef("--output-format %s is for -o - (stdout); the format of a file follows from its name", f.Format.Value)
	}
	if err := f.Of().Check(); err != nil {
		return err
	}
	for _, path := range append(more, f.Plots...) {
		if path == Stdout {
			return exit.Usagef("only -o can be - (stdout)")
		}
	}
	return nil
}
