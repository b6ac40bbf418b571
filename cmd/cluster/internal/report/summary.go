// Package report says what a run does and has done: progress, the summary as a table or
// as JSON, and the parameters that outputs keep as metadata.
package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
)

// A Summary describes a run, as one JSON object or as a table.
type Summary struct {
	Head
	Input      *Input   `json:"input" jsonschema:"the catalog that was read"`
	InputB     *Input   `json:"input_b,omitempty" jsonschema:"the second catalog"`
	Outputs    []Output `json:"outputs,omitempty" jsonschema:"what was written"`
	Parameters Object   `json:"parameters" jsonschema:"flags that determine the answer, with their values: - is _ in their names, and NAME_unit is the unit of NAME"`
	Device     string   `json:"device" jsonschema:"cpu, gpu or hybrid"`
	DeviceNote string   `json:"device_note,omitempty" jsonschema:"why it is not the one that was tried first"`
	GPUs       []int    `json:"gpus,omitempty" jsonschema:"GPUs that compared rows, as 'cluster devices' numbers them"`
	Algorithm  string   `json:"algorithm,omitempty" jsonschema:"what found the answer, where there are several"`
	Kernels    []string `json:"kernels,omitempty" jsonschema:"what compared the rows: kernels of GPUs by their names, those of the CPU by the instructions that they are made of"`
	Pattern    *Pattern `json:"pattern,omitempty" jsonschema:"of a published join on a GPU"`
	Tiling     *Tiling  `json:"tiling,omitempty" jsonschema:"of a statistic of all pairs on a GPU"`
	Threads    int      `json:"threads" jsonschema:"CPU threads that the run could use"`
	Hybrid     any      `json:"hybrid,omitempty" jsonschema:"how several devices shared a join"`
	Seconds    *seconds `json:"seconds" jsonschema:"wall-clock time of the stages, in seconds"`
	PeakMemory int64    `json:"peak_memory_bytes" jsonschema:"most memory that the process had"`
	Driver     int64    `json:"driver_memory_bytes,omitempty" jsonschema:"of it, what opening GPUs took: the contexts of their driver, and the kernels"`
	Result     Object   `json:"result" jsonschema:"the answer, of a form of its own for each command"`
	Warnings   []string `json:"warnings,omitempty" jsonschema:"why the result may not be what it seems"`
	Hints      []string `json:"hints,omitempty" jsonschema:"what to try next"`

	// For the table only.
	remarks map[string]string // on parameters
	notes   []note
	Advice  []string    `json:"-"`
	Detail  *human.Grid `json:"-"`
	More    string      `json:"-"` // below the detail
}

// Schema is the version of the form of what is written as JSON. New keys do not change
// it; a key that goes, or means something else, does.
const Schema = 1

// A Head begins all JSON that commands write.
type Head struct {
	Schema  int    `json:"schema" jsonschema:"version of this form, 1"`
	Command string `json:"command" jsonschema:"the command that ran"`
	Version string `json:"version" jsonschema:"of the program"`
}

// NewHead returns that of a command of a version of the program.
func NewHead(command, version string) Head { return Head{Schema, command, version} }

// An Output is a file or folder that was written.
type Output struct {
	What string `json:"what" jsonschema:"output, figure, folder, or the flag that names it"`
	Path string `json:"path" jsonschema:"as the flag has it"`
}

// A Pattern is how a published kernel has joined rows.
type Pattern struct {
	Name    string `json:"name" jsonschema:"of the pattern"`
	Threads int    `json:"threads" jsonschema:"GPU threads of a row"`
	Order   string `json:"order" jsonschema:"of the rows"`
}

// A Tiling is how a kernel over all pairs has held and counted them.
type Tiling struct {
	Name   string `json:"name" jsonschema:"of the tiling"`
	Output string `json:"output,omitempty" jsonschema:"how it counts in memory"`
	Copies int    `json:"copies,omitempty" jsonschema:"of the counters of a block"`
}

// An Input says how many rows of a catalog were used, and why others were not.
type Input struct {
	Files      []string         `json:"files" jsonschema:"as they were named"`
	Rows       int64            `json:"rows" jsonschema:"all rows"`
	Used       int64            `json:"used" jsonschema:"rows that were used"`
	Skipped    int64            `json:"skipped" jsonschema:"rows that were left out"`
	SkippedWhy map[string]int64 `json:"skipped_why" jsonschema:"reasons, and how many rows were left out for each"`

	// For the table only.
	Title    string         `json:"-"` // "" for the usual
	Filter   string         `json:"-"` // flag that filters its rows
	Skips    []catalog.Skip `json:"-"`
	filtered int64
}

// seconds are wall-clock times by stage.
type seconds struct {
	Read    float64 `json:"read"`
	Index   float64 `json:"index"`
	Join    float64 `json:"join"`
	Cluster float64 `json:"cluster"`
	Write   float64 `json:"write"`
	Total   float64 `json:"total"`

	start time.Time
}

// lap adds the time since start to one of the stages; use it with defer.
func (*seconds) Lap(stage *float64, start time.Time) {
	*stage += time.Since(start).Seconds()
}

// A note is a line of the table that the JSON has no key for.
type note struct{ name, text string }

func NewSummary(command, version string, threads int) *Summary {
	return &Summary{
		Head:    NewHead(command, version),
		Input:   NewInput("--where"),
		Device:  "cpu",
		Threads: threads,
		Seconds: &seconds{start: time.Now()},
		remarks: map[string]string{},
	}
}

// OnDevice says where the join ran and, where a GPU was given up, why.
func (s *Summary) OnDevice(device, why string) { s.Device, s.DeviceNote = device, why }

// Remark adds a remark on a parameter to the table.
func (s *Summary) Remark(key, text string) { s.remarks[key] = text }

// Note adds a line to the table.
func (s *Summary) Note(name, format string, a ...any) {
	if n := (note{name, fmt.Sprintf(format, a...)}); !slices.Contains(s.notes, n) {
		s.notes = append(s.notes, n)
	}
}

// A Wrapping is of results of clusters in a periodic box.
type Wrapping struct {
	Clusters int64 `json:"wrapping,omitempty" jsonschema:"clusters that go all the way round the box"`
}

// Wrapping says how many clusters go all the way round a periodic box, given of each
// whether it does.
func (s *Summary) Wrapping(wraps []bool) {
	n := int64(len(each.Which(len(wraps), func(i int) bool { return wraps[i] })))
	if n > 0 {
		s.Result.Add(Wrapping{n})
		s.Note("centres", "%s all the way round the box: no centre, and nothing measured from one", human.Plural(n, "cluster goes", "clusters go"))
	}
}

// Hint adds a line on what to try next.
func (s *Summary) Hint(format string, a ...any) { s.Hints = append(s.Hints, fmt.Sprintf(format, a...)) }

// Warn adds a line on why the result may not be what it seems, once.
func (s *Summary) Warn(format string, a ...any) {
	if text := fmt.Sprintf(format, a...); !slices.Contains(s.Warnings, text) {
		s.Warnings = append(s.Warnings, text)
	}
}

// OpenGPU opens GPUs, and takes how much the memory of the process grows by that.
func (s *Summary) OpenGPU(open func() error) error {
	before := residentMemory()
	err := open()
	s.Driver = max(s.Driver, residentMemory()-before)
	return err
}

// Finish takes the total time and the peak memory.
func (s *Summary) Finish() {
	s.Seconds.Total = time.Since(s.Seconds.start).Seconds()
	s.PeakMemory = peakMemory()
}

// MarshalJSON rounds to microseconds.
func (s *seconds) MarshalJSON() ([]byte, error) {
	o := Object{}
	for _, stage := range s.stages() {
		o.Set(stage.name, math.Round(stage.s*1e6)/1e6)
	}
	o.Set("total", math.Round(s.Total*1e6)/1e6)
	return o.MarshalJSON()
}

// A stage is a part of a run and the seconds it took.
type stage struct {
	name string
	s    float64
}

func (s *seconds) stages() []stage {
	return []stage{{"read", s.Read}, {"index", s.Index}, {"join", s.Join}, {"cluster", s.Cluster}, {"write", s.Write}}
}

// WriteJSON writes the summary as one line.
func (s *Summary) WriteJSON(w io.Writer) error { return WriteLine(w, s) }

// NewInput returns that of no rows, which are filtered by a flag.
func NewInput(filter string) *Input {
	return &Input{Files: []string{}, SkippedWhy: map[string]int64{}, Filter: filter}
}

// Took describes the catalog and the rows that were left out of it.
func (in *Input) Took(files []catalog.File, sel *catalog.Selection) { in.Counted(files, sel.Tally()) }

// Counted is took for rows that were selected block by block.
func (in *Input) Counted(files []catalog.File, t catalog.Tally) {
	for _, f := range files {
		in.Files = append(in.Files, f.Path)
	}
	in.Rows, in.Used, in.Skipped = t.Total, t.Used, t.Total-t.Used
	in.Skips, in.filtered = t.Skipped, t.Filtered
	if t.Filtered > 0 {
		in.SkippedWhy[in.filterReason()] = t.Filtered
	}
	for _, k := range t.Skipped {
		in.SkippedWhy[skipReason(k.Why, k)] += k.Rows
	}
}

func (in *Input) filterReason() string { return "filtered by " + in.Filter }

// skipReason names why rows were left out: "null in pmra".
func skipReason(why string, k catalog.Skip) string {
	if k.Column == "" {
		return why
	}
	return why + " in " + k.Column
}
