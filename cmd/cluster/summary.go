package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"skyjoin/io/catalog"
)

// A summary is what a run says of itself, as one JSON object or as a table.
type summary struct {
	Command    string   `json:"command"`
	Version    string   `json:"version"`
	Input      input    `json:"input"`
	InputB     *input   `json:"input_b,omitempty"` // of the second catalog
	Parameters object   `json:"parameters"`
	Device     string   `json:"device"`
	DeviceNote string   `json:"device_note,omitempty"` // why it is not the one that was tried first
	Threads    int      `json:"threads"`
	Hybrid     any      `json:"hybrid,omitempty"` // of a join that several devices shared
	Seconds    *seconds `json:"seconds"`
	PeakMemory int64    `json:"peak_memory_bytes"`
	Result     object   `json:"result"`

	// For the table only.
	remarks map[string]string // on parameters
	notes   []note
	advice  []string
	detail  *grid
	more    string // below the detail
}

// input says what became of the rows of the input.
type input struct {
	Files      []string         `json:"files"`
	Rows       int64            `json:"rows"`
	Used       int64            `json:"used"`
	Skipped    int64            `json:"skipped"`
	SkippedWhy map[string]int64 `json:"skipped_why"`

	// For the table only.
	title    string // "" for the usual
	skips    []catalog.Skip
	filtered int64
}

// seconds are wall-clock times by stage.
type seconds struct {
	Read, Index, Join, Cluster, Write float64
	Total                             float64

	start time.Time
}

// lap adds the time since start to one of the stages; use it with defer.
func (*seconds) lap(stage *float64, start time.Time) {
	*stage += time.Since(start).Seconds()
}

// A note is a line of the table that the JSON has no key for.
type note struct{ name, text string }

func newSummary(command, version string, threads int) *summary {
	return &summary{
		Command: command,
		Version: version,
		Input:   newInput(),
		Device:  "cpu",
		Threads: threads,
		Seconds: &seconds{start: time.Now()},
		remarks: map[string]string{},
	}
}

// onDevice says where the join ran and, where a GPU was given up, why.
func (s *summary) onDevice(device, why string) { s.Device, s.DeviceNote = device, why }

// remark adds a remark on a parameter to the table.
func (s *summary) remark(key, text string) { s.remarks[key] = text }

// note adds a line to the table.
func (s *summary) note(name, format string, a ...any) {
	if n := (note{name, fmt.Sprintf(format, a...)}); !slices.Contains(s.notes, n) {
		s.notes = append(s.notes, n)
	}
}

// finish takes the total time and the peak memory.
func (s *summary) finish() {
	s.Seconds.Total = time.Since(s.Seconds.start).Seconds()
	s.PeakMemory = peakMemory()
}

// MarshalJSON rounds to microseconds.
func (s *seconds) MarshalJSON() ([]byte, error) {
	o := object{}
	for _, stage := range s.stages() {
		o.set(stage.name, math.Round(stage.s*1e6)/1e6)
	}
	o.set("total", math.Round(s.Total*1e6)/1e6)
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

// writeJSON writes the summary as one line.
func (s *summary) writeJSON(w io.Writer) error { return writeLine(w, s) }

func newInput() input { return input{Files: []string{}, SkippedWhy: map[string]int64{}} }

// took describes the input and the rows that were left out of it.
func (in *input) took(files []catalog.File, sel *catalog.Selection) { in.counted(files, sel.Tally()) }

// counted is took for rows that were selected block by block.
func (in *input) counted(files []catalog.File, t catalog.Tally) {
	for _, f := range files {
		in.Files = append(in.Files, f.Path)
	}
	in.Rows, in.Used, in.Skipped = t.Total, t.Used, t.Total-t.Used
	in.skips, in.filtered = t.Skipped, t.Filtered
	if t.Filtered > 0 {
		in.SkippedWhy["filtered by --where"] = t.Filtered
	}
	for _, k := range t.Skipped {
		in.SkippedWhy[skipReason(k)] += k.Rows
	}
}

// skipReason names why rows were left out: "null in pmra".
func skipReason(k catalog.Skip) string {
	if k.Column == "" {
		return k.Why
	}
	return k.Why + " in " + k.Column
}

// An object is a JSON object that keeps the order of its keys.
type object []member

type member struct {
	key   string
	value any
}

// set appends a key.
func (o *object) set(key string, value any) { *o = append(*o, member{key, value}) }

// MarshalJSON implements json.Marshaler. A float that is not finite is null.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		v := m.value
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v = nil
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// writeLine writes a value as one line of JSON.
func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}
