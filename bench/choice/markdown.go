package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// write writes the tables as Markdown: what choosing otherwise would have gained, and
// the times of nanoflann.
func (t *table) write(w io.Writer) {
	cells := slices.Clone(t.cells)
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), a.rows-b.rows, a.mean-b.mean, a.dim-b.dim)
	})
	grid := slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return c.mean == 0 || c.times[place(nanoflann)].seconds > 0 })
	beside := slices.DeleteFunc(cells, func(c cell) bool { return c.times[place(nanoflann)].seconds == 0 })
	if len(grid) > 0 {
		writeGrid(w, grid)
	}
	if len(beside) > 0 {
		writeBeside(w, beside)
	}
}

// writeGrid writes the ratios by kind, rows and neighbours, and by dimension, and how
// many are what they are to be.
func writeGrid(w io.Writer, cells []cell) {
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
	fmt.Fprintf(w, "\n|---|---|---|%s\n", strings.Repeat("---|", len(dims)))
	missing := 0
	for i, first := range cells {
		row := func(c cell) bool { return c.kind == first.kind && c.rows == first.rows && c.mean == first.mean }
		if i > 0 && row(cells[i-1]) {
			continue
		}
		fmt.Fprintf(w, "| %s | %d | %d |", first.kind, first.rows, first.mean)
		for _, d := range dims {
			at := slices.IndexFunc(cells, func(c cell) bool { return row(c) && c.dim == d })
			if at < 0 {
				missing++
				fmt.Fprint(w, "  |")
				continue
			}
			text := cells[at].others().String()
			if cells[at].threads > 1 {
				text += fmt.Sprintf(" (%d)", cells[at].threads)
			}
			fmt.Fprintf(w, " %s |", text)
		}
		fmt.Fprintln(w)
	}
	writeSum(w, cells, missing)
}

// writeSum writes how many cells are what they are to be.
func writeSum(w io.Writer, cells []cell, missing int) {
	var known, good, shares, goodShares, unknown int
	worst, again := 0.0, 0.0
	for _, c := range cells {
		switch r := c.others(); {
		case r.value == 0:
			unknown++
		case r.sign == "≈":
			shares++
			if r.value <= 1.2 {
				goodShares++
			}
		default:
			known++
			if r.value <= 1.2 && r.sign != ">" {
				good++
			}
			worst = max(worst, r.value)
		}
		if r := c.all(); r.name == c.chosen {
			again = max(again, r.value)
		}
	}
	fmt.Fprintf(w, "\n%d of %d cells are within 1.2 of the best that was not chosen; the largest ratio is %.2f.\n"+
		"\"<\": none of the others ended in the time that it was given. In brackets: threads, where there were several.\n", good, known, worst)
	if again > 0 {
		fmt.Fprintf(w, "The chosen algorithm by its own name, the same code timed twice: at most %.2f.\n", again)
	}
	if shares > 0 {
		fmt.Fprintf(w, "\"≈\": the choice was stopped at its limit too, and the ratio is by the share of the rows that each had begun in the same time: %d of %d within 1.2.\n", goodShares, shares)
	}
	if unknown > 0 {
		fmt.Fprintf(w, "\"–\": the choice was stopped at its limit, and no share of the rows is known: %d.\n", unknown)
	}
	if missing > 0 {
		fmt.Fprintf(w, "Empty: not measured, the run had been stopped before: %d.\n", missing)
	}
}

// writeBeside writes the times of the choice and of nanoflann.
func writeBeside(w io.Writer, cells []cell) {
	ours, theirs := 0, place(nanoflann)
	fmt.Fprint(w, "\nThe choice beside nanoflann, one thread each, the index and all counts:\n\n"+
		"| data | n | d | radius | neighbours of a row | ms | nanoflann ms | times as fast |\n|---|---|---|---|---|---|---|---|\n")
	for _, c := range cells {
		sign := ""
		a, b := c.times[ours], c.times[theirs]
		if a.over {
			continue
		}
		if b.over {
			sign = ">"
		}
		ms := func(t timing) float64 { return t.seconds.Seconds() * 1e3 }
		fmt.Fprintf(w, "| %s | %d | %d | %.6g | %.3g | %.3g | %s%.3g | %s%.3g× |\n", c.kind, c.rows, c.dim, c.radius,
			float64(c.pairs)/float64(c.rows), ms(a), sign, ms(b), sign, ms(b)/ms(a))
	}
}
