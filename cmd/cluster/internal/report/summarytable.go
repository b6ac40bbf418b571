package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/internal/size"
)

// WriteTable writes the summary for people: a name and a value on each line,
// then the detail of the result.
func (s *Summary) WriteTable(w io.Writer) error {
	g := &human.Grid{}
	s.Input.table(g, "input")
	if s.InputB != nil {
		s.InputB.table(g, cmp.Or(s.InputB.Title, "second input"))
	}
	s.Parameters.table(g, -1, s.remarks)
	for _, n := range s.notes {
		g.Add(n.name, n.text)
	}
	switch {
	case s.DeviceNote != "":
		g.Add("device", s.Device+", after this: "+strings.ReplaceAll(s.DeviceNote, "\n", " "))
	case s.Device != "cpu":
		g.Add("device", s.Device)
	}
	if s.Algorithm != "" {
		g.Add("algorithm", s.Algorithm)
	}
	if len(s.Kernels) > 0 && s.Device != "cpu" {
		g.Add("kernels", strings.Join(s.Kernels, ", "))
	}
	if p := s.Pattern; p != nil {
		g.Add("pattern", fmt.Sprintf("%s, %s a row, order %s", p.Name, human.Plural(int64(p.Threads), "thread", "threads"), p.Order))
	}
	if t := s.Tiling; t != nil {
		text := t.Name
		switch t.Output {
		case "":
		case "global":
			text += ", counted in global memory"
		default:
			text = fmt.Sprintf("%s, counted by %s with %s of the counters", t.Name, t.Output, human.Plural(int64(t.Copies), "copy", "copies"))
		}
		g.Add("tiling", text)
	}
	s.Result.table(g, 6, nil)
	for _, lines := range []struct {
		label string
		text  []string
	}{{"warning", s.Warnings}, {"advice", s.Advice}, {"hint", s.Hints}} {
		for _, line := range lines.text {
			g.Add(lines.label, line)
			lines.label = ""
		}
	}
	g.Add("time", s.Seconds.text())
	if s.PeakMemory > 0 {
		text := size.Text(s.PeakMemory) + " at most"
		if s.Driver > 0 {
			text += ", " + size.Text(s.Driver) + " of it for the driver of the GPU"
		}
		g.Add("memory", text)
	}
	if err := g.Write(w); err != nil {
		return err
	}
	if s.Detail == nil {
		return nil
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	if err := s.Detail.Write(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, s.More)
	return err
}

// table adds what was read and what was left out of it.
func (in *Input) table(g *human.Grid, name string) {
	if len(in.Files) == 0 {
		return
	}
	g.Add(name, in.text())
	for _, k := range in.Skips {
		g.Add("", fmt.Sprintf("%s: %s (first %s)", skipReason(k.Reason(), k), human.Plural(k.Rows, "row", "rows"), human.RowList(k.First, k.Rows)))
	}
	if in.filtered > 0 {
		g.Add("", in.filterReason()+": "+human.Plural(in.filtered, "row", "rows"))
	}
}

// text says what was read: "a.parquet and 3 more files, 1,000 rows".
func (in *Input) text() string {
	text := in.Files[0]
	if n := len(in.Files) - 1; n > 0 {
		text += " and " + human.Plural(int64(n), "more file", "more files")
	}
	text += ", " + human.Plural(in.Rows, "row", "rows")
	if in.Skipped > 0 {
		text += fmt.Sprintf(": %s used, %s left out", human.Commas(in.Used), human.Commas(in.Skipped))
	}
	return text
}

// text names the stages that took any time.
func (s *seconds) text() string {
	text := human.SecondsText(s.Total)
	var parts []string
	for _, stage := range s.stages() {
		if stage.s >= 0.005 {
			parts = append(parts, stage.name+" "+human.SecondsText(stage.s))
		}
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

// table adds a line for each key, with the remark on it, but for switches that
// are off. Floats have the given number of digits, -1 for all.
func (o Object) table(g *human.Grid, digits int, remarks map[string]string) {
	for i, m := range o {
		var text string
		switch v := m.Value.(type) {
		case bool:
			if !v {
				continue
			}
			text = "yes"
		case int64:
			if text = human.Commas(v); strings.HasSuffix(m.Key, "memory") {
				text = size.Text(v)
			}
		case float64:
			switch text = strconv.FormatFloat(v, 'g', digits, 64); {
			case math.IsNaN(v):
				text = "none"
			case strings.HasSuffix(m.Key, "seconds") && v > 0 && v < 0.1:
				text = strconv.FormatFloat(1000*v, 'g', 3, 64) + " ms"
			case strings.HasSuffix(m.Key, "seconds"):
				text = human.SecondsText(v)
			case strings.HasSuffix(m.Key, "share"):
				text = strconv.FormatFloat(100*v, 'g', 3, 64) + "%"
			}
		case []string:
			text = strings.Join(v, ", ")
		case []float64:
			text = flags.JoinFloats(v)
		case Float:
			if text = strconv.FormatFloat(float64(v), 'g', digits, 64); math.IsNaN(float64(v)) {
				text = "none"
			}
		case Object, Matrix:
			continue // shown below the table
		default:
			if k := reflect.TypeOf(v).Kind(); k == reflect.Slice || k == reflect.Struct || k == reflect.Pointer {
				continue
			}
			text = fmt.Sprint(v)
		}
		if strings.HasSuffix(m.Key, unitSuffix) {
			continue // written with the value before it
		}
		if i+1 < len(o) && o[i+1].Key == m.Key+unitSuffix {
			text += fmt.Sprint(o[i+1].Value)
		}
		if r := remarks[m.Key]; r != "" {
			text += " (" + r + ")"
		}
		g.Add(strings.ReplaceAll(m.Key, "_", " "), text)
	}
}

// unitSuffix ends the key of the unit of a value.
const unitSuffix = "_unit"
