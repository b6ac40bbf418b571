package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A table is the cells that have been measured, and the file of them.
type table struct {
	cells []cell
	file  *os.File
}

// columns are those of a file before the times.
const columns = "data,n,d,S,threads,radius,pairs,chosen,best,ratio"

func header() string {
	h := columns
	for _, name := range names {
		h += "," + name + "_s"
	}
	return h
}

// open returns the table of a file, which may be there.
func open(path string) (*table, error) {
	t := &table{}
	switch err := t.read(path); {
	case errors.Is(err, fs.ErrNotExist):
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o666)
		if err == nil {
			t.file = f
			_, err = fmt.Fprintln(f, header())
			return t, err
		}
		if !errors.Is(err, fs.ErrExist) { // which another process has made since
			return nil, err
		}
	case err != nil:
		return nil, err
	}
	var err error
	t.file, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	return t, err
}

// read adds the cells of a file. Columns may be missing, as files of before have no
// threads, of which there was one.
func (t *table) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for i, r := range records[min(1, len(records)):] {
		c, err := parseCell(records[0], r)
		if err != nil {
			return fmt.Errorf("%s: cell %d: %w", path, i+1, err)
		}
		t.take(c)
	}
	return nil
}

// parseCell reads a line of a file.
func parseCell(header, line []string) (c cell, err error) {
	c = cell{threads: 1, pairs: -1, times: make([]timing, len(names))}
	for i, name := range header {
		text := line[i]
		switch name {
		case "data":
			c.kind = text
		case "n":
			c.rows, err = strconv.Atoi(text)
		case "d":
			c.dim, err = strconv.Atoi(text)
		case "S":
			c.mean, err = strconv.Atoi(text)
		case "threads":
			c.threads, err = strconv.Atoi(text)
		case "radius":
			c.radius, err = strconv.ParseFloat(text, 64)
		case "pairs":
			if text != "" {
				c.pairs, err = strconv.ParseInt(text, 10, 64)
			}
		case "chosen":
			c.chosen = text
		default:
			if at := place(strings.TrimSuffix(name, "_s")); at >= 0 {
				c.times[at], err = parseTiming(text)
			}
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
	}
	return c, nil
}

// same reports whether two cells are the same catalog and neighbours, whatever the
// threads.
func same(a, b cell) bool {
	return a.kind == b.kind && a.rows == b.rows && a.dim == b.dim && a.mean == b.mean && (a.mean > 0 || a.radius == b.radius)
}

func (t *table) has(c cell) bool {
	return slices.ContainsFunc(t.cells, func(o cell) bool { return same(o, c) && o.threads == c.threads })
}

// take adds a cell, in place of the same that is there: of nanoflann's times beside
// those of other algorithms both are kept, otherwise the cell whose ratio is known
// better.
func (t *table) take(c cell) {
	peer := func(c cell) bool { return c.times[place(nanoflann)].seconds > 0 }
	at := slices.IndexFunc(t.cells, func(o cell) bool { return same(o, c) && peer(o) == peer(c) })
	switch {
	case at < 0:
		t.cells = append(t.cells, c)
	case c.others().rank() >= t.cells[at].others().rank():
		t.cells[at] = c
	}
}

// rank is the greater the better a ratio is known.
func (r ratio) rank() int {
	switch {
	case r.value == 0:
		return 0
	case r.sign == "≈":
		return 1
	}
	return 2
}

// add adds a cell, to the file too.
func (t *table) add(c cell) error {
	t.take(c)
	best, pairs := c.all(), ""
	if c.pairs >= 0 {
		pairs = strconv.FormatInt(c.pairs, 10)
	}
	line := fmt.Sprintf("%s,%d,%d,%d,%d,%.6g,%s,%s,%s,%s%.3f", c.kind, c.rows, c.dim, c.mean, c.threads, c.radius, pairs, c.chosen, best.name, best.sign, best.value)
	for _, s := range c.times {
		line += "," + s.String()
	}
	fmt.Fprintln(os.Stderr, line)
	_, err := fmt.Fprintln(t.file, line)
	return err
}

func (t *table) close() error { return t.file.Close() }
