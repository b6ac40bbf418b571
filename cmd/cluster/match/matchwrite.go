package match

import (
	"context"
	"slices"
	"strings"
	"time"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors/match"
)

// write writes the table of the match.
func (o *matchOptions) write(ctx context.Context, d *job.Duo, rows []match.Row, unit string, meta []catalog.KeyValue) error {
	if o.out.Output == "" {
		return nil
	}
	defer d.Sum.Seconds.Lap(&d.Sum.Seconds.Write, time.Now())
	all, left, err := o.kept(d)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		d.Sum.Note("left out", leftOut, strings.Join(left, ", "))
	}
	p := d.Rep.Phase("write", int64(len(rows)))
	defer p.End()
	return o.writeRows(ctx, d, &o.out, rows, all, unit, meta, p.Add)
}

// leftOut is the note of columns that no table of picked rows can have.
const leftOut = "columns that are lists or of unknown type: %s"

// writeRows writes rows of the table of the match.
func (o *matchOptions) writeRows(ctx context.Context, d *job.Duo, out *flags.Output, rows []match.Row, all []columns.Kept, unit string, meta []catalog.KeyValue, progress func(rows int64)) error {
	if !d.Geo.Angle {
		unit = d.Geo.Unit
	}
	return writePicked(ctx, d, out, len(rows), all, meta, progress, func(lo, hi int) ([]catalog.Column, [2][]int64) {
		sides := [2][]int64{make([]int64, hi-lo), make([]int64, hi-lo)}
		for i, r := range rows[lo:hi] {
			sides[0][i], sides[1][i] = r.A, r.B
		}
		return o.ownColumns(rows[lo:hi], unit), sides
	})
}

// writePicked writes n rows, of which part gives columns that no catalog has,
// and the row of either side that the kept columns are of. It is called for as
// many rows at a time as --memory has room for; the catalogs are read anew each
// time.
func writePicked(ctx context.Context, d *job.Duo, out *flags.Output, n int, all []columns.Kept, meta []catalog.KeyValue, progress func(rows int64), part func(lo, hi int) ([]catalog.Column, [2][]int64)) error {
	block := pickedRows(d, all)
	var w *table.Writer
	for lo := 0; lo < n || lo == 0; lo += block {
		hi := min(lo+block, n)
		columns, sides := part(lo, hi)
		picked, err := pickAll(ctx, d, all, sides)
		if err != nil {
			return err
		}
		columns = append(columns, picked...)
		if w == nil {
			var fields []catalog.Field
			for i := range columns {
				fields = append(fields, columns[i].Field)
			}
			w, err = table.NewWriter(out.Output, fields, table.Options{Force: out.Force, Metadata: meta, Threads: d.Run.Count(), Progress: progress})
			if err != nil {
				return err
			}
			defer w.Abort()
		}
		if err := w.WriteRows(ctx, columns); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// pickedBytes is the memory of written columns unless --memory says less; tests
// make it small.
var pickedBytes int64 = 1 << 30

// pickedRows is how many rows are written at a time.
func pickedRows(d *job.Duo, all []columns.Kept) int {
	row := 5 * 8 // the rows of both sides, and the columns of the match
	for _, k := range all {
		row += 9
		if k.Field.Type == catalog.String {
			row += 24
		}
	}
	room := pickedBytes
	if m := d.Run.Memory.Bytes / 2; m > 0 {
		room = min(m, pickedBytes)
	}
	return max(int(room)/row, 1000)
}

// ownColumns are those that no catalog has. A table of unmatched rows has the
// number of the row only.
func (o *matchOptions) ownColumns(rows []match.Row, unit string) []catalog.Column {
	j := o.chosenJoin
	fields := columns.PairFields(unit)
	fields[0].Nullable, fields[1].Nullable = j.OnlyB(), j.OnlyA()
	fields[2].Nullable = j.OnlyA() || j.OnlyB()
	row, near, dist := catalog.Column{Field: fields[0], Int64: make([]int64, len(rows))},
		catalog.Column{Field: fields[1], Int64: make([]int64, len(rows))},
		catalog.Column{Field: fields[2], Float64: make([]float64, len(rows))}
	for i, r := range rows {
		row.Int64[i], near.Int64[i], dist.Float64[i] = r.A, r.B, r.Distance
	}
	null := func(c *catalog.Column, missing func(match.Row) bool) {
		c.Null = make([]bool, len(rows))
		for i, r := range rows {
			c.Null[i] = missing(r)
		}
	}
	if j.OnlyB() {
		null(&row, func(r match.Row) bool { return r.A < 0 })
	}
	if j.OnlyA() {
		null(&near, func(r match.Row) bool { return r.B < 0 })
	}
	if j.OnlyA() || j.OnlyB() {
		null(&dist, func(r match.Row) bool { return r.A < 0 || r.B < 0 })
	}
	switch {
	case j.Matches():
		return []catalog.Column{row, near, dist}
	case j.OnlyA():
		return []catalog.Column{row}
	}
	return []catalog.Column{near}
}

// kept finds the columns to write, first those of A: those of --keep, or all but
// those left, which cannot be written.
func (o *matchOptions) kept(d *job.Duo) (all []columns.Kept, left []string, err error) {
	j := o.chosenJoin
	names := []string(o.keep)
	if len(names) == 0 {
		names, left = columns.Everything(d.Cat, d.B.Cat)
	}
	all, err = columns.Keep(names, d.Cat, d.B.Cat, []string{"row", "neighbor", "distance"}, j.OnlyB(), j.OnlyA())
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(k columns.Kept) bool { return !j.Matches() && k.Second != j.OnlyB() })
	slices.SortStableFunc(all, func(a, b columns.Kept) int {
		switch {
		case a.Second == b.Second:
			return 0
		case a.Second:
			return 1
		}
		return -1
	})
	return all, left, nil
}

// readBytes is about how much of a catalog is read at once to pick rows from.
const readBytes = 256 << 20

// pickAll returns the values of the columns at the given rows of their side.
// A few columns at a time are read whole.
func pickAll(ctx context.Context, d *job.Duo, all []columns.Kept, rows [2][]int64) ([]catalog.Column, error) {
	picked := make([]catalog.Column, len(all))
	data, _ := d.Data()
	for i := 0; i < len(all); {
		cat, from := d.Cat, rows[0]
		if all[i].Second {
			cat, from = data, rows[1]
		}
		end := i + 1
		for most := int(max(readBytes/8/max(cat.Rows(), 1), 1)); end < len(all) && end-i < most && all[end].Second == all[i].Second; {
			end++
		}
		var some []*columns.Kept
		for k := i; k < end; k++ {
			some = append(some, &all[k])
		}
		if err := columns.ReadKept(ctx, cat, some); err != nil {
			return nil, err
		}
		for k := i; k < end; k++ {
			picked[k] = columns.Pick(&all[k].Values, all[k].Field, from)
			all[k].Values = catalog.Column{}
		}
		i = end
	}
	return picked, nil
}
