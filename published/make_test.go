package published

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"skyjoin/internal/file"
	"skyjoin/neighbors"
)

// A run that is cut short keeps the rows that it has finished; the next measures the
// others alone, and all are in the page and in the CSV, with their ratios.
func TestFinishedRowsAreKept(t *testing.T) {
	p, tables, err := Find("003", "table3")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Scale: .0004, Threads: 2, Folder: t.TempDir(), Machine: "a machine"}
	held, set := file.Together(context.Background()) // as a command that is killed never names
	defer set.Abort()
	ctx, cancel := context.WithCancel(held)
	var told []string
	o.Tell = func(_ *Table, label string) {
		if told = append(told, label); len(told) == 3 {
			cancel()
		}
	}
	if err := p.Make(ctx, tables, o, io.Discard); !errors.Is(err, context.Canceled) {
		t.Fatalf("cut short: %v", err)
	}
	o.Resume = true
	var page strings.Builder
	if err := p.Make(context.Background(), tables, o, &page); err != nil {
		t.Fatal(err)
	}
	if want := len(pruning.rows) + 1; len(told) != want || told[3] != told[2] {
		t.Errorf("%d rows were measured, want %d, that which was cut short twice: %q", len(told), want, told)
	}
	if err := p.Make(context.Background(), tables, o, io.Discard); err != nil || len(told) != len(pruning.rows)+1 {
		t.Errorf("nothing was left to measure: %q, %v", told, err)
	}
	text, err := os.ReadFile(filepath.Join(o.Folder, "003.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]float64{}
	for _, l := range lines[1:] {
		if l[1] != "Table 3" {
			continue
		}
		v := [3]float64{}
		for i := range v {
			if v[i], err = strconv.ParseFloat(l[5+i], 64); err != nil {
				t.Fatalf("%q: %v", l, err)
			}
		}
		share := map[bool]float64{true: o.Scale, false: 1}[l[3] == "LBJOIN" || l[3] == "NEW-SUPER-EGO"]
		if want := v[1] / (v[0] * share); math.Abs(v[2]/want-1) > 1e-12 {
			t.Errorf("%q: the ratio is not %v", l, want)
		}
		if !strings.Contains(page.String(), number(v[1])) {
			t.Errorf("the page does not have %v", v[1])
		}
		measured[l[2]+l[3]] = v[1]
	}
	for _, r := range pruning.rows {
		s, lb, ego := measured[r.label+"S"], measured[r.label+"LBJOIN"], measured[r.label+"NEW-SUPER-EGO"]
		if !(s > 0 && lb > s && ego > s) {
			t.Errorf("%s: S %v, candidates %v and %v", r.label, s, lb, ego)
		}
	}
	o.Scale = .0008
	if err := p.Make(context.Background(), tables, o, io.Discard); err == nil || !strings.Contains(err.Error(), "scale 0.0004") {
		t.Errorf("rows of another scale: %v", err)
	}
}

// All that is made is made at a small scale, and every measured number is one.
func TestEveryTableIsMade(t *testing.T) {
	for _, p := range Papers {
		k := &kept{Rows: map[string][]value{}}
		for _, table := range p.Tables {
			for _, r := range table.rows {
				v, err := r.measure(&bench{context.Background(), .0002, 2})
				if err != nil || len(v) != len(table.Columns) || len(r.published) != len(table.Columns) {
					t.Fatalf("%s, %s: %d values, %d published, %d columns, error %v", table.Name, r.label, len(v), len(r.published), len(table.Columns), err)
				}
				for i, x := range v {
					if !(x > 0) || math.IsInf(x, 0) {
						t.Errorf("%s, %s: %s is %v", table.Name, r.label, table.Columns[i].Name, x)
					}
				}
				k.Rows[table.key(r)] = values(v)
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, name := range []string{"Table 3", "table3", "TABLE-3"} {
		if p, tables, err := Find("003", name); err != nil || p != &hegjoin || len(tables) != 1 || tables[0] != &pruning {
			t.Errorf("%q: %v, error %v", name, tables, err)
		}
	}
	for _, name := range []string{"Figure 7a", "fig. 7a", "Fig 7A"} {
		if _, tables, err := Find("003", name); err != nil || tables[0] != &egoSort {
			t.Errorf("%q: %v, error %v", name, tables, err)
		}
	}
	for _, c := range [][2]string{{"003", "Table 33"}, {"999", ""}, {"", ""}} {
		if _, _, err := Find(c[0], c[1]); !errors.Is(err, neighbors.ErrRequest) || !strings.Contains(err.Error(), fmt.Sprintf("%q", c[1])) && !strings.Contains(err.Error(), "003") {
			t.Errorf("%q: error %v", c, err)
		}
	}
}

// docs/papers.md is what the command printed: its headings, conditions, columns, labels
// and published values are those of the program, and every row has measured values.
func TestPageIsOfTheProgram(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		page[unmeasured(t, line)] = true
	}
	lines := 0
	for _, p := range Papers {
		var s strings.Builder
		if err := p.markdown(&s, p.Tables, &kept{Scale: 1}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(s.String()) {
			if strings.HasPrefix(line, "Measured at") || line == "\n" {
				continue
			}
			if lines++; !page[unmeasured(nil, line)] {
				t.Errorf("docs/papers.md does not have %q; make it again by 'cluster reproduce %s'", line, p.Number)
			}
		}
	}
	if lines < 20 {
		t.Errorf("%d lines are compared", lines)
	}
}

// unmeasured leaves out the measured values and ratios of a row; with t they must be
// there.
func unmeasured(t *testing.T, line string) string {
	cells := strings.Split(line, "|")
	if len(cells) < 5 || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| data") {
		return line
	}
	for i := 3; i < len(cells)-1; i++ {
		if i%3 == 2 {
			continue // published
		}
		if t != nil && i%3 == 0 {
			if v, err := strconv.ParseFloat(strings.TrimSpace(cells[i]), 64); err != nil || !(v > 0) {
				t.Errorf("docs/papers.md: %q has no measured value in column %d", line, i/3)
			}
		}
		cells[i] = ""
	}
	return strings.Join(cells, "|")
}
