package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"skyjoin/neighbors"
)

// A cell is one catalog and radius.
type cell struct {
	kind            string
	rows, dim, mean int
	radius          float64
	answer          *answer
	chosen          neighbors.Algorithm
	times           []timing // of each algorithm, that of Auto first
}

// A timing is the least time of an algorithm, or that it takes more.
type timing struct {
	seconds time.Duration
	over    bool
}

// best returns the algorithm with the least time, but for the choice, and its
// place; -1 if none has ended.
func (c *cell) best() int {
	best := -1
	for i, t := range c.times[1:] {
		if !t.over && (best < 0 || t.seconds < c.times[best].seconds) {
			best = i + 1
		}
	}
	return best
}

// ratio returns how many times the best time the choice takes, 0 if that is not
// known.
func (c *cell) ratio() float64 {
	b := c.best()
	if b < 0 || c.times[0].over {
		return 0
	}
	return float64(c.times[0].seconds) / float64(c.times[b].seconds)
}

// A table is the cells that have been measured, and the file of them.
type table struct {
	cells      []cell
	algorithms []neighbors.Algorithm
	file       *os.File
}

// open returns the table of a file, which may be there.
func open(path string, algorithms []neighbors.Algorithm) (*table, error) {
	t := &table{algorithms: algorithms}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	header := strings.Join(t.header(), ",")
	if len(old) > 0 {
		if err := t.read(string(old), header); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	t.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err == nil && len(old) == 0 {
		_, err = fmt.Fprintln(t.file, header)
	}
	return t, err
}

func (t *table) header() []string {
	h := []string{"data", "n", "d", "S", "radius", "pairs", "chosen", "best", "ratio"}
	for _, a := range t.algorithms {
		h = append(h, string(cmp.Or(a, "auto"))+"_s")
	}
	return h
}

// read takes the cells that a file has.
func (t *table) read(text, header string) error {
	if first, _, _ := strings.Cut(text, "\n"); first != header {
		return fmt.Errorf("columns are %s, not %s", first, header)
	}
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	for _, r := range records[1:] {
		c := cell{kind: r[0], chosen: neighbors.Algorithm(r[6])}
		for i, to := range []*int{&c.rows, &c.dim, &c.mean} {
			if *to, err = strconv.Atoi(r[i+1]); err != nil {
				return err
			}
		}
		for _, text := range r[9:] {
			number, over := strings.CutPrefix(text, ">")
			seconds, err := strconv.ParseFloat(number, 64)
			if err != nil {
				return err
			}
			c.times = append(c.times, timing{time.Duration(seconds * 1e9), over})
		}
		t.cells = append(t.cells, c)
	}
	return nil
}

func (t *table) has(c cell) bool {
	return slices.ContainsFunc(t.cells, func(o cell) bool {
		return o.kind == c.kind && o.rows == c.rows && o.dim == c.dim && o.mean == c.mean
	})
}

// add adds a cell, to the file too.
func (t *table) add(c cell) error {
	t.cells = append(t.cells, c)
	best, pairs := "", ""
	if b := c.best(); b >= 0 {
		best = string(t.algorithms[b])
	}
	if c.answer != nil {
		pairs = strconv.FormatInt(c.answer.pairs, 10)
	}
	line := fmt.Sprintf("%s,%d,%d,%d,%.6g,%s,%s,%s,%.3f", c.kind, c.rows, c.dim, c.mean, c.radius, pairs, c.chosen, best, c.ratio())
	for _, s := range c.times {
		line += ","
		if s.over {
			line += ">"
		}
		line += strconv.FormatFloat(s.seconds.Seconds(), 'f', 6, 64)
	}
	fmt.Fprintln(os.Stderr, line)
	_, err := fmt.Fprintln(t.file, line)
	return err
}

func (t *table) close() error { return t.file.Close() }

// rival returns how many times the best time of the algorithms that were not
// chosen the choice takes, and which that is; where none ended, how many times at
// most, and none.
func (t *table) rival(c cell) (ratio float64, name neighbors.Algorithm) {
	least := timing{over: true}
	for i, s := range c.times[1:] {
		if a := t.algorithms[i+1]; a != c.chosen && (least.seconds == 0 || s.over == least.over && s.seconds < least.seconds || least.over && !s.over) {
			least = s
			if !s.over {
				name = a
			}
		}
	}
	if c.times[0].over || least.seconds == 0 {
		return 0, ""
	}
	return float64(c.times[0].seconds) / float64(least.seconds), name
}

// tables writes what choosing otherwise would have gained, by kind, as Markdown:
// rows and neighbours by dimension. A dash is a cell in which the choice ran into
// the limit.
func (t *table) tables(w io.Writer) {
	cells := slices.Clone(t.cells)
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), a.rows-b.rows, a.mean-b.mean, a.dim-b.dim)
	})
	var dims []int
	for _, c := range cells {
		if !slices.Contains(dims, c.dim) {
			dims = append(dims, c.dim)
		}
	}
	slices.Sort(dims)
	fmt.Fprintf(w, "Time of the choice over that of the best algorithm that was not chosen:\n\n| data | n | S |")
	for _, d := range dims {
		fmt.Fprintf(w, " d=%d |", d)
	}
	fmt.Fprintf(w, "\n|---|---|---|%s", strings.Repeat("---|", len(dims)))
	var known, good int
	worst, worstRival := 0.0, 0.0
	for i, c := range cells {
		if i == 0 || c.kind != cells[i-1].kind || c.rows != cells[i-1].rows || c.mean != cells[i-1].mean {
			fmt.Fprintf(w, "\n| %s | %d | %d |", c.kind, c.rows, c.mean)
			for _, d := range dims {
				text := ""
				if at := slices.IndexFunc(cells[i:], func(o cell) bool {
					return o.kind == c.kind && o.rows == c.rows && o.mean == c.mean && o.dim == d
				}); at >= 0 {
					text = t.text(cells[i+at])
				}
				fmt.Fprintf(w, " %s |", text)
			}
		}
		if r := c.ratio(); r > 0 {
			known++
			worst = max(worst, r)
			if r <= 1.2 {
				good++
			}
		}
		if r, name := t.rival(c); name != "" {
			worstRival = max(worstRival, r)
		}
	}
	fmt.Fprintf(w, "\n\n%d of %d cells are within 1.2 of the best of all, the chosen algorithm by itself included; "+
		"the largest ratio is %.2f, and %.2f to those not chosen.\n", good, known, worst, worstRival)
}

// text is a ratio to the best rival, "<" where this did not end.
func (t *table) text(c cell) string {
	r, name := t.rival(c)
	switch {
	case r == 0:
		return "–"
	case name == "":
		return fmt.Sprintf("<%.2f", r)
	case r > 1:
		return fmt.Sprintf("**%.2f** %s", r, name)
	}
	return fmt.Sprintf("%.2f", r)
}
