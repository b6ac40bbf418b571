package published

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	if on := lines[1][8]; on != o.Machine {
		t.Errorf("rows are of %q, not of %q", on, o.Machine)
	}
	o.Scale = .0008
	if err := p.Make(context.Background(), tables, o, io.Discard); err == nil || !strings.Contains(err.Error(), "scale 0.0004") {
		t.Errorf("rows of another scale: %v", err)
	}
}

// A figure is drawn of each data set of which something is measured, with a curve of
// every column of times.
func TestFiguresAreDrawn(t *testing.T) {
	p, tables, err := Find("004", "figure 10")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Scale: .00001, Threads: 1, Folder: t.TempDir(), Machine: "a machine"}
	if err := p.Make(context.Background(), tables, o, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"unif2d10m", "unif4d10m", "unif6d10m"} {
		f, err := os.Open(filepath.Join(o.Folder, "004.figure-10-"+data+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if size, err := png.DecodeConfig(f); err != nil || size.Width < 500 {
			t.Errorf("%s: %+v, error %v", data, size, err)
		}
		f.Close()
	}
	k := &kept{Rows: map[string]measured{}}
	if err := k.load(filepath.Join(o.Folder, "004.json")); err == nil {
		t.Errorf("rows of scale %v are taken for those of scale 0", o.Scale)
	}
	k.Scale = o.Scale
	if err := k.load(filepath.Join(o.Folder, "004.json")); err != nil {
		t.Fatal(err)
	}
	drawn := tables[0].drawings(k)
	if len(drawn) != 3 || len(drawn[0].curves.Curves) != 2 || !slices.Equal(drawn[0].curves.Curves[1].X, []float64{1, 8, 32, 128}) {
		t.Errorf("%+v", drawn)
	}
}

// A machine with a GPU measures the rows anew of which another without one has left
// values out, and no others; the page says which machine has which row.
func TestCardGoesOn(t *testing.T) {
	table := Table{Name: "Table 1", Columns: []Column{{Name: "a"}, {Name: "b", Card: true}}}
	var measured []string
	add := func(label string, needs bool) {
		table.rows = append(table.rows, row{label: label, measure: func(b *bench) ([]float64, error) {
			measured = append(measured, label)
			if needs && !b.card {
				return []float64{1, none}, nil
			}
			return []float64{1, 2}, nil
		}})
	}
	add("needs a card", true)
	add("needs none", false)
	p := &Paper{Number: "042", Tables: []*Table{&table}}
	o := Options{Scale: 1, Threads: 1, Folder: t.TempDir(), Resume: true, Machine: "a CPU"}
	for i, want := range []string{"needs a card, needs none", "", "needs a card", ""} {
		if i == 2 {
			o.Machine, o.Card = "a GPU", true
		}
		measured = nil
		var page strings.Builder
		if err := p.Make(context.Background(), p.Tables, o, &page); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(measured, ", "); got != want {
			t.Errorf("run %d measured %q, want %q", i, got, want)
		}
		if want := map[bool]string{false: "| needs a card | 1 | – | A |", true: "| needs a card | 1 | 2 | B |"}[o.Card]; !strings.Contains(page.String(), want) || !strings.Contains(page.String(), "| needs none | 1 | 2 | A |") {
			t.Errorf("run %d: %s", i, page.String())
		}
	}
}

// All that is made is made at a small scale, without a GPU what needs none, and every
// measured number is one.
func TestEveryTableIsMade(t *testing.T) {
	b := &bench{context.Background(), .0002, 2, false, map[string]division{}}
	for _, p := range Papers {
		for _, table := range p.Tables {
			for _, r := range table.rows {
				v, err := r.measure(b)
				if err != nil || len(v) != len(table.Columns) || r.published != nil && len(r.published) != len(table.Columns) {
					t.Fatalf("%s %s, %s: %d values, %d published, %d columns, error %v", p.Number, table.Name, r.label, len(v), len(r.published), len(table.Columns), err)
				}
				for i, x := range v {
					if c := table.Columns[i]; c.Card != math.IsNaN(x) || !c.Card && (!(x > 0) || math.IsInf(x, 0)) {
						t.Errorf("%s %s, %s: %s is %v", p.Number, table.Name, r.label, c.Name, x)
					}
				}
			}
		}
	}
}

// Labels tell rows of a table apart, as names tell tables.
func TestNamesDiffer(t *testing.T) {
	for _, p := range Papers {
		seen := map[string]bool{}
		for _, table := range p.Tables {
			for _, r := range table.rows {
				if key := plain(table.Name) + ", " + r.label; seen[key] {
					t.Errorf("%s: %s is there twice", p.Number, key)
				} else {
					seen[key] = true
				}
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
// and published values are those of the program, and measured values are numbers.
func TestPageIsOfTheProgram(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Split(string(text), "\n")
	at, lines := 0, 0
	for _, p := range Papers {
		var s strings.Builder
		if err := p.markdown(&s, p.Tables, &kept{Scale: 1}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(s.String()) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || strings.HasPrefix(line, "Measured at") {
				continue
			}
			i := slices.IndexFunc(page[at:], func(there string) bool { return same(line, there) })
			if i < 0 {
				t.Fatalf("docs/papers.md does not have %q, or not in its place; make it again by 'cluster reproduce %s'", line, p.Number)
			}
			at += i + 1
			lines++
		}
	}
	if lines < 200 {
		t.Errorf("%d lines are compared", lines)
	}
}

// on is a machine, and a scale if it is not that of the page.
var on = regexp.MustCompile(`^[A-Z]( at [0-9.]+)?$`)

// same compares a line of the program, which has measured nothing, with one of the page:
// where the first has no value the page may have a number, or a machine at its end.
func same(line, page string) bool {
	if !strings.Contains(line, "| "+dash+" |") {
		return line == page
	}
	mine, theirs := strings.Split(line, "|"), strings.Split(page, "|")
	if len(mine) != len(theirs) {
		return false
	}
	for i, cell := range mine {
		there := strings.TrimSpace(theirs[i])
		if cell == theirs[i] {
			continue
		}
		if _, err := strconv.ParseFloat(there, 64); strings.TrimSpace(cell) != dash || err != nil && (i < len(mine)-2 || !on.MatchString(there)) {
			return false
		}
	}
	return true
}
