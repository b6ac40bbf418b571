package tiles

import (
	"context"
	"path/filepath"
	"strings"

	"skyjoin/io/table"
)

// Columns returns the labels as columns to add to the labelled rows.
func (l *Labels) Columns() []table.Column {
	cols := []table.Column{
		{Name: "cluster", Int32: l.Cluster, Description: "cluster number, -1 for noise"},
		{Name: "core", Bool: l.Core, Description: "whether the row is core"},
	}
	if l.Counts != nil {
		cols = append(cols, table.Column{Name: "neighbors", Int64: l.Counts, Description: "rows within eps, the row itself included"})
	}
	if l.All {
		return cols
	}
	rows := []uint32{}
	for i, used := range l.Used {
		if used {
			k := len(rows)
			l.Cluster[k], l.Core[k] = l.Cluster[i], l.Core[i]
			if l.Counts != nil {
				l.Counts[k] = l.Counts[i]
			}
			rows = append(rows, uint32(i))
		}
	}
	n := len(rows)
	cols[0].Int32, cols[1].Bool = l.Cluster[:n], l.Core[:n]
	if l.Counts != nil {
		cols[2].Int64 = l.Counts[:n]
	}
	for i := range cols {
		cols[i].Rows = rows
	}
	return cols
}

// LabelledPath returns where the labelled copy of an input goes: beside it, or to
// the same relative path below dir, common being the folder that the paths of all
// inputs share.
func LabelledPath(path, common, dir string) string {
	if dir != "" {
		return filepath.Join(dir, strings.TrimPrefix(path, common))
	}
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + ".labelled" + ext
}

// Common returns the folder that all inputs of a set are in.
func (s *Set) Common() string {
	dir := filepath.Dir(s.Files[0].Path)
	for _, f := range s.Files {
		for !strings.HasPrefix(f.Path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator)) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}

// Relabel writes a copy of an input of a merged clustering with labels to the
// file out, and returns the names of the columns.
func (r *Reader) Relabel(ctx context.Context, file int, out string, opt table.Options) ([]string, error) {
	s := &r.p.Sets[0]
	f := &s.Files[file]
	if err := f.unchanged(); err != nil {
		return nil, err
	}
	first := s.firstOf(file)
	cat, err := s.open(ctx, file, opt.Threads)
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	if cat.Rows() != f.Rows {
		return nil, planf("%s has %d rows, it had %d when the plan was made", f.Path, cat.Rows(), f.Rows)
	}
	l, err := r.Read(ctx, first, first+f.Rows)
	if err != nil {
		return nil, err
	}
	return table.Append(ctx, out, cat, l.Columns(), opt)
}
