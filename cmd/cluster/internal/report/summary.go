// Package report says what a run does and has done: progress, the summary as a table or
// as JSON, and the parameters that outputs keep as metadata.
package report

import (
	"bytes"
	"encoding/json"
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
	Command    string   `json:"command"`
	Version    string   `json:"version"`
	Input      *Input   `json:"input"`
	InputB     *Input   `json:"input_b,omitempty"` // of the second catalog
	Parameters Object   `json:"parameters"`
	Device     string   `json:"device"`
	DeviceNote string   `json:"device_note,omitempty"` // why it is not the one that was tried first
	GPUs       []int    `json:"gpus,omitempty"`        // that compared rows, as 'cluster devices' numbers them
	Algorithm  string   `json:"algorithm,omitempty"`   // that found the answer, where there are several
	Kernels    []string `json:"kernels,omitempty"`     // that compared the rows: of GPUs by their names, of the CPU by the instructions that they are made of
	Pattern    *Pattern `json:"pattern,omitempty"`     // of a published join on a GPU
	Tiling     *Tiling  `json:"tiling,omitempty"`      // of a statistic of all pairs on a GPU
	Threads    int      `json:"threads"`
	Hybrid     any      `json:"hybrid,omitempty"` // of a join that several devices shared
	Seconds    *seconds `json:"seconds"`
	PeakMemory int64    `json:"peak_memory_bytes"`
	Result     Object   `json:"result"`
	Warnings   []string `json:"warnings,omitempty"` // why the result may not be what it seems
	Hints      []string `json:"hints,omitempty"`    // what to try next

	// For the table only.
	remarks map[string]string // on parameters
	notes   []note
	Advice  []string    `json:"-"`
	Detail  *human.Grid `json:"-"`
	More    string      `json:"-"` // below the detail
}

// A Pattern is how a published kernel has joined rows.
type Pattern struct {
	Name    string `json:"name"`
	Threads int    `json:"threads"` // of a row
	Order   string `json:"order"`   // of the rows
}

// A Tiling is how a kernel over all pairs has held and counted them.
type Tiling struct {
	Name   string `json:"name"`
	Output string `json:"output,omitempty"` // of what is counted in memory
	Copies int    `json:"copies,omitempty"` // of the counters of a block
}

// An Input says how many rows of a catalog were used, and why others were not.
type Input struct {
	Files      []string         `json:"files"`
	Rows       int64            `json:"rows"`
	Used       int64            `json:"used"`
	Skipped    int64            `json:"skipped"`
	SkippedWhy map[string]int64 `json:"skipped_why"`

	// For the table only.
	Title    string         `json:"-"` // "" for the usual
	Filter   string         `json:"-"` // flag that filters its rows
	Skips    []catalog.Skip `json:"-"`
	filtered int64
}

// seconds are wall-clock times by stage.
type seconds struct {
	Read, Index, Join, Cluster, Write float64
	Total                             float64

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
		Command: command,
		Version: version,
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

// Wrapping says how many clusters go all the way round a periodic box, given of each
// whether it does.
func (s *Summary) Wrapping(wraps []bool) {
	n := int64(len(each.Which(len(wraps), func(i int) bool { return wraps[i] })))
	if n > 0 {
		s.Result.Set("wrapping", n)
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

// An Object is a JSON object that keeps the order of its keys.
type Object []member

type member struct {
	Key   string
	Value any
}

// ObjectOf returns an object of keys and values in turn.
func ObjectOf(pairs ...any) (o Object) {
	for i := 0; i < len(pairs); i += 2 {
		o.Set(pairs[i].(string), pairs[i+1])
	}
	return o
}

// Set appends a key.
func (o *Object) Set(key string, value any) { *o = append(*o, member{key, value}) }

// MarshalJSON implements json.Marshaler. A float that is not finite is null.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		v := m.Value
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v = nil
		}
		key, err := json.Marshal(m.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Key, err)
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// WriteLine writes a value as one line of JSON.
func WriteLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}
