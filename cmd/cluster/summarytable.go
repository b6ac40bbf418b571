package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"skyjoin/internal/size"
)

// writeTable writes the summary for people: a name and a value on each line,
// then the detail of the result.
func (s *summary) writeTable(w io.Writer) error {
	g := &grid{}
	s.Input.table(g, "input")
	if s.InputB != nil {
		s.InputB.table(g, firstOf(s.InputB.title, "second input"))
	}
	s.Parameters.table(g, -1, s.remarks)
	for _, n := range s.notes {
		g.add(n.name, n.text)
	}
	switch {
	case s.DeviceNote != "":
		g.add("device", s.Device+", after this: "+strings.ReplaceAll(s.DeviceNote, "\n", " "))
	case s.Device != "cpu":
		g.add("device", s.Device)
	}
	s.Result.table(g, 6, nil)
	for i, line := range s.advice {
		label := ""
		if i == 0 {
			label = "advice"
		}
		g.add(label, line)
	}
	g.add("time", s.Seconds.text())
	if s.PeakMemory > 0 {
		g.add("memory", size.Text(s.PeakMemory)+" at most")
	}
	if err := g.write(w); err != nil {
		return err
	}
	if s.detail == nil {
		return nil
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	if err := s.detail.write(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, s.more)
	return err
}

// table adds what was read and what was left out of it.
func (in *input) table(g *grid, name string) {
	if len(in.Files) == 0 {
		return
	}
	g.add(name, in.text())
	for _, k := range in.skips {
		g.add("", fmt.Sprintf("%s: %s (first %s)", skipReason(k), plural(k.Rows, "row", "rows"), rowList(k.First, k.Rows)))
	}
	if in.filtered > 0 {
		g.add("", "filtered by --where: "+plural(in.filtered, "row", "rows"))
	}
}

// text says what was read: "a.parquet and 3 more files, 1,000 rows".
func (in *input) text() string {
	text := in.Files[0]
	if n := len(in.Files) - 1; n > 0 {
		text += " and " + plural(int64(n), "more file", "more files")
	}
	text += ", " + plural(in.Rows, "row", "rows")
	if in.Skipped > 0 {
		text += fmt.Sprintf(": %s used, %s left out", commas(in.Used), commas(in.Skipped))
	}
	return text
}

// text names the stages that took any time.
func (s *seconds) text() string {
	text := secondsText(s.Total)
	var parts []string
	for _, stage := range s.stages() {
		if stage.s >= 0.005 {
			parts = append(parts, stage.name+" "+secondsText(stage.s))
		}
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

// table adds a line for each key, with the remark on it, but for switches that
// are off. Floats have the given number of digits, -1 for all.
func (o object) table(g *grid, digits int, remarks map[string]string) {
	for i, m := range o {
		var text string
		switch v := m.value.(type) {
		case bool:
			if !v {
				continue
			}
			text = "yes"
		case int64:
			text = commas(v)
		case float64:
			if text = strconv.FormatFloat(v, 'g', digits, 64); math.IsNaN(v) {
				text = "none"
			}
		case []string:
			text = strings.Join(v, ", ")
		case []float64:
			text = joinFloats(v)
		case object, []object, [][]int64, matrix:
			continue // shown below the table
		default:
			text = fmt.Sprint(v)
		}
		if strings.HasSuffix(m.key, unitSuffix) {
			continue // written with the value before it
		}
		if i+1 < len(o) && o[i+1].key == m.key+unitSuffix {
			text += fmt.Sprint(o[i+1].value)
		}
		if r := remarks[m.key]; r != "" {
			text += " (" + r + ")"
		}
		g.add(strings.ReplaceAll(m.key, "_", " "), text)
	}
}

// unitSuffix ends the key of the unit of a value.
const unitSuffix = "_unit"
