package match

import (
	"context"
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// write writes the table of the match.
func (o *Options) write(ctx context.Context, j *job.Job, rows []match.Row, unit string) error {
	if o.Out.Output == "" {
		return nil
	}
	defer j.Timed(&j.Sum.Seconds.Write)()
	all, left, err := o.kept(j)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		j.Sum.Note("left out", leftOut, strings.Join(left, ", "))
	}
	p := j.Rep.Phase("write", int64(len(rows)))
	defer p.End()
	return o.writeRows(ctx, j, o.Out.Output, rows, all, unit, p.Add)
}

// leftOut is the note of columns that no table of picked rows can have.
const leftOut = "columns that are lists or of unknown type: %s"

// writeRows writes rows of the table of the match.
func (o *Options) writeRows(ctx context.Context, j *job.Job, path string, rows []match.Row, all []columns.Kept, unit string, progress func(rows int64)) error {
	if !j.Geo.Angle {
		unit = j.Geo.Unit
	}
	return writePicked(ctx, j, path, len(rows), all, progress, func(lo, hi int) ([]catalog.Column, [2][]int64) {
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
func writePicked(ctx context.Context, j *job.Job, path string, n int, all []columns.Kept, progress func(rows int64), part func(lo, hi int) ([]catalog.Column, [2][]int64)) error {
	opt := j.Options("", progress)
	opt.Metadata = slices.Concat(opt.Metadata, columns.Header(all, j.Cat, j.Data().Cat))
	var w *table.Writer
	block, err := pickedRows(ctx, j, n, all)
	if err != nil {
		return err
	}
	for lo := 0; lo < n || lo == 0; lo += block {
		hi := min(lo+block, n)
		columns, sides := part(lo, hi)
		picked, err := pickAll(ctx, j, all, sides)
		if err != nil {
			return err
		}
		columns = append(columns, picked...)
		if w == nil {
			fields := each.To(len(columns), func(i int) catalog.Field { return columns[i].Field })
			w, err = table.NewWriter(path, fields, opt)
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

// pickedRows is how many of n rows are written at a time.
func pickedRows(ctx context.Context, j *job.Job, n int, all []columns.Kept) (int, error) {
	row := int64(5 * 8) // the rows of both sides, and the columns of the match
	for _, side := range []bool{false, true} {
		cat := j.Cat
		if side {
			cat = j.Data().Cat
		}
		some := columns.Side(all, side)
		letters, err := j.Letters(ctx, cat, columns.Names(some)...)
		if err != nil {
			return 0, err
		}
		row += 2 * letters // as they are, and written
		for _, k := range some {
			row += 9
			if k.Field.Type == catalog.String {
				row += 24
			}
		}
	}
	room := pickedBytes
	if m := j.Working(); m > 0 {
		const kept = 24 // match.Row
		room = min(max(m-kept*int64(n), m/4)/4, pickedBytes)
	}
	return int(max(room/row, 100)), nil
}

// ownColumns are those that no catalog has. A table of unmatched rows has the
// number of the row only.
func (o *Options) ownColumns(rows []match.Row, unit string) []catalog.Column {
	join := o.chosenJoin
	fields := columns.PairFields(unit)
	own := []catalog.Column{{Int64: make([]int64, len(rows))}, {Int64: make([]int64, len(rows))}, {Float64: make([]float64, len(rows))}}
	for i, r := range rows {
		own[0].Int64[i], own[1].Int64[i], own[2].Float64[i] = r.A, r.B, r.Distance
	}
	for i, nullable := range []bool{join.OnlyB(), join.OnlyA(), join.OnlyA() || join.OnlyB()} {
		own[i].Field = fields[i]
		if own[i].Field.Nullable = nullable; !nullable {
			continue
		}
		own[i].Null = each.Of(rows, func(r match.Row) bool { return r.A < 0 && i != 1 || r.B < 0 && i != 0 })
	}
	switch {
	case join.Matches():
		return own
	case join.OnlyA():
		return own[:1]
	}
	return own[1:2]
}

// kept finds the columns to write, first those of A: those of --keep, or all but
// those left, which cannot be written.
func (o *Options) kept(j *job.Job) (all []columns.Kept, left []string, err error) {
	join := o.chosenJoin
	names := []string(o.keep)
	if len(names) == 0 {
		names, left = columns.Everything(j.Cat, j.B.Cat)
	}
	all, err = columns.Keep(names, j.Cat, j.B.Cat, columns.PairFields(""), join.OnlyB(), join.OnlyA())
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(k columns.Kept) bool { return !join.Matches() && k.Second != join.OnlyB() })
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

// readBytes is about how much a scan takes that rows are picked from.
const readBytes = 256 << 20

// widest returns how much more than usual the column takes to read, of those that are
// written, that takes the most.
func (o *Options) widest(j *job.Job) (most int64, err error) {
	const usual = 16 << 20
	if o.Out.Output == "" || j.Run.Memory.Bytes == 0 {
		return 0, nil
	}
	all, _, err := o.kept(j)
	if err != nil {
		return 0, err
	}
	for _, k := range all {
		cat := j.Cat
		if k.Second {
			cat = j.Data().Cat
		}
		takes, err := cat.ScanMemory(catalog.Scan{Columns: []string{k.Name}})
		if err != nil {
			return 0, err
		}
		most = max(most, 2*takes-usual) // of the scan before, too
	}
	return most, nil
}

// pickAll returns the values of the columns at the given rows of their side, of as
// many columns at a time as there is room for.
func pickAll(ctx context.Context, j *job.Job, all []columns.Kept, rows [2][]int64) ([]catalog.Column, error) {
	room := int64(readBytes)
	if m := j.Working() / 8; m > 0 {
		room = min(m, room)
	}
	var picked []catalog.Column
	for i := range rows {
		cat := j.Cat
		if i == 1 {
			cat = j.Data().Cat
		}
		from := columns.Places(rows[i])
		for left := columns.Side(all, i == 1); len(left) > 0; {
			some := 1
			for ; some < len(left); some++ {
				if takes, err := cat.ScanMemory(catalog.Scan{Columns: columns.Names(left[:some+1])}); err != nil {
					return nil, err
				} else if takes > room {
					break
				}
			}
			values, err := exit.Await(ctx, func() ([]catalog.Column, error) { return from.Read(ctx, cat, left[:some]) })
			if err != nil {
				return nil, err
			}
			picked, left = append(picked, values...), left[some:]
		}
	}
	return picked, nil
}

// forecast has the match look at some rows first where all pairs match, and
// announces the table. Unmatched rows, which are no more than there are in the
// catalogs, are left out of it.
func (o *Options) forecast(ctx context.Context, j *job.Job, points [2]*neighbors.Points, opt *match.Options, unit string) {
	n, data := points[0].Len(), points[1].Len()
	if o.chosenFind != match.All || o.Out.Output == "" || !o.chosenJoin.Matches() || n == 0 || float64(n)*float64(data) < job.Large.Pairs {
		return
	}
	opt.Sample = job.SampledRows(n, data)
	opt.Foresee = func(pairs []match.Pair) error {
		total := float64(len(pairs)) * float64(n) / float64(len(opt.Sample))
		if total >= job.Large.Pairs {
			o.announce(ctx, j, catalogRows(j, pairs[:min(len(pairs), job.SamplePairs)], unit), total, unit)
		}
		return nil
	}
}

// announce forecasts the size of the table of total matches from some that are
// found already.
func (o *Options) announce(ctx context.Context, j *job.Job, some []match.Row, total float64, unit string) {
	all, _, err := o.kept(j)
	if err != nil {
		return // writing the table will report the error
	}
	size := job.TableBytes(ctx, o.Out.Output, func(ctx context.Context, path string) error {
		return o.writeRows(ctx, j, path, some, all, unit, nil)
	})
	j.Announce(job.Forecast{Pairs: total, Bytes: total / max(float64(len(some)), 1) * size}, o.Out.Output)
}
