package npy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"skyjoin/internal/format"
)

// Input reads arrays.
var Input = format.Input{
	Name:       "npy",
	Also:       []string{"npz"},
	Extensions: []string{".npy", ".npz"},
	Named:      true,
	Tables:     true,
	Sniff: func(start *format.Start) bool {
		return strings.HasPrefix(string(start.Bytes), magic) || isArchive(start.Bytes)
	},
	Open: open,
}

// A reader is the arrays of a file that have a row for each of its rows.
type reader struct {
	format.Head
	path  string
	size  int64 // of the file
	runs  []run
	cols  []column // of each field
	notes []string
}

// A run is a stream of records of one width, one for each row.
type run struct {
	member int   // of an archive
	at     int64 // offset of the first record in its file
	width  int64
}

// A column is where the values of a field are: behind each other from a place of the
// records of a run on, or in runs that follow each other.
type column struct {
	run   int
	apart bool  // values are in a run each
	at    int64 // in the records
	count int64 // values; of complex numbers, the parts
	parts int64 // of a value
	dtype dtype // of a part
}

func open(ctx context.Context, path string, opt format.Options) (format.Reader, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, format.Bare(err)
	}
	s := &reader{Head: format.Head{Name: "npy"}, path: path, size: info.Size()}
	arrays, err := s.arrays(ctx)
	if err != nil {
		return nil, err
	}
	if arrays, err = s.choose(arrays, opt.Extension); err != nil {
		return nil, err
	}
	s.Count = arrays[0].rows()
	for _, a := range arrays {
		if err := s.add(a, len(arrays) > 1); err != nil {
			return nil, err
		}
	}
	if opt.Names != nil {
		return s, s.rename(opt.Names)
	}
	for i := range s.Columns {
		s.Columns[i].Name = format.ColumnName(s.Columns[i].Name, i)
	}
	return s, nil
}

// rename gives columns without names those of the user.
func (s *reader) rename(names []string) error {
	for _, f := range s.Columns {
		if f.Name != "" {
			return format.Requestf("its columns have names, such as %s; --names belongs to arrays without", f.Name)
		}
	}
	if len(names) != len(s.Columns) {
		return format.Requestf("--names has %d names, the array %d columns", len(names), len(s.Columns))
	}
	for i := range s.Columns {
		s.Columns[i].Name = names[i]
	}
	return nil
}

// add adds the columns of an array, one of several or the only one.
func (s *reader) add(a *array, several bool) error {
	across := a.across()
	if across > format.MostColumns && !several || len(s.Columns)+len(a.fields) > format.MostColumns {
		return format.FewColumns(format.MostColumns + 1)
	}
	if a.structured && slices.ContainsFunc(a.fields, func(f field) bool { return f.dtype.kind == 'O' }) {
		return errors.New("rows with objects of Python are kept as a pickle, which is not read; save the array without them")
	}
	first, byColumn := len(s.runs), a.fortran && across > 1
	if byColumn && across > format.MostColumns {
		return fmt.Errorf("the array %s has %d columns by columns (Fortran order), at most %d are read", a.name, across, format.MostColumns)
	}
	if !byColumn {
		s.runs = append(s.runs, run{a.member, a.data, across * a.record})
	}
	for i := range across {
		if byColumn {
			s.runs = append(s.runs, run{a.member, a.data + i*a.rows()*a.record, a.record})
		}
	}
	for _, f := range a.fields {
		parts, t := f.dtype.parts()
		c := column{run: first, at: f.at, count: f.count * parts, parts: parts, dtype: t}
		switch {
		case a.structured:
			if several {
				f.name = a.name + "." + f.name
			}
			s.put(c, f)
		case several || len(a.axes) == 1:
			f.name, f.list = a.name, len(a.axes) > 1
			c.count, c.apart = across*parts, byColumn
			s.put(c, f)
		default:
			for i := range across {
				if c.at = i * a.record; byColumn {
					c.run, c.at = first+int(i), 0
				}
				s.put(c, f)
			}
		}
	}
	return nil
}

// put adds a column.
func (s *reader) put(c column, f field) {
	t := f.dtype
	col := format.Field{Name: f.name, Type: c.dtype.typeOf(), Text: t.text, Nullable: t.kind == 'M' || t.kind == 'm'}
	switch t.kind {
	case 'O':
		col.Text = "objects of Python (pickle)"
	case 'c':
		col.Text += " (complex: real, imaginary)"
	}
	if (f.list || c.parts > 1) && col.Type != format.Unsupported {
		e := col
		e.Nullable = true
		col = format.Field{Name: col.Name, Type: format.List, Text: fmt.Sprintf("%d × %s", c.count/c.parts, col.Text), Elem: &e}
		axes := []int64{c.count / c.parts}
		if e.Type == format.String {
			axes = []int64{0, axes[0]} // of any width
		}
		col.Layout = format.Layout{Complex: t.kind == 'c', Axes: format.AxesOf(axes...)}
	}
	s.Columns, s.cols = append(s.Columns, col), append(s.cols, c)
}

// Notes implements [format.Noter].
func (s *reader) Notes() []string { return s.notes }
