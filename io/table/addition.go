package table

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
)

// An addition is a Column prepared for a catalog: with a free name and its rows in
// order.
type addition struct {
	col   Column
	field format.Field
	order []uint32 // if not nil, Rows[order[i]] ascends

	stream *streaming // if not nil, provides the values in place of col
	place  int        // its column
}

// A takenSet holds the names that columns already have.
type takenSet map[string]bool

func newTaken(taken []string) takenSet {
	used := takenSet{}
	for _, name := range taken {
		used[name] = true
	}
	return used
}

// free reserves a name and returns it, with the first free suffix _1, _2, … if it is
// taken.
func (n takenSet) free(name string) string {
	free := name
	for i := 1; n[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[free] = true
	return free
}

// additions checks the columns against the rows and the names of a catalog.
// The n-th column of a taken name gets the first free suffix _1, _2, ….
func additions(cols []Column, rows int64, taken []string) (added, error) {
	used := newTaken(taken)
	var adds added
	for _, c := range cols {
		a := addition{col: c}
		if c.Rows == nil && int64(c.len()) != rows {
			return nil, fmt.Errorf("column %q has %d values for %d rows", c.Name, c.len(), rows)
		}
		if c.Rows != nil && len(c.Rows) != c.len() {
			return nil, fmt.Errorf("column %q has %d values and %d row numbers", c.Name, c.len(), len(c.Rows))
		}
		if !slices.IsSorted(c.Rows) {
			a.order = each.Row(len(c.Rows))
			slices.SortFunc(a.order, func(i, j uint32) int { return cmp.Compare(c.Rows[i], c.Rows[j]) })
		}
		if n := len(c.Rows); n > 0 && int64(c.Rows[a.at(n-1)]) >= rows {
			return nil, fmt.Errorf("column %q has a value for row %d of %d rows", c.Name, c.Rows[a.at(n-1)], rows)
		}
		for i := 1; i < len(c.Rows); i++ {
			if c.Rows[a.at(i)] == c.Rows[a.at(i-1)] {
				return nil, fmt.Errorf("column %q has two values for row %d", c.Name, c.Rows[a.at(i)])
			}
		}
		a.field = format.Field{Name: used.free(c.Name), Type: c.typ(), Nullable: true, Unit: c.Unit, Description: c.Description}
		adds = append(adds, a)
	}
	return adds, nil
}

// at returns the index of the value whose row is the i-th in order.
func (a *addition) at(i int) int {
	if a.order != nil {
		return int(a.order[i])
	}
	return i
}

// block returns the values of the catalog's rows [lo, hi).
func (a *addition) block(lo, hi int64) format.Column {
	if s := a.stream; s != nil { // Advance has loaded them
		c := s.cols[a.place].Slice(int(lo-s.first), int(hi-s.first))
		c.Field = a.field
		return c
	}
	out, c := format.Column{Field: a.field}, &a.col
	if c.Rows != nil {
		out.Null = slices.Repeat([]bool{true}, int(hi-lo))
	}
	switch a.field.Type {
	case format.Int32:
		out.Int64 = spread(a, c.Int32, lo, out.Null, make([]int64, hi-lo), func(v int32) int64 { return int64(v) })
	case format.Int64:
		out.Int64 = spread(a, c.Int64, lo, out.Null, make([]int64, hi-lo), asIs)
	case format.Bool:
		out.Bool = spread(a, c.Bool, lo, out.Null, make([]bool, hi-lo), asIs)
	case format.String:
		out.String = spread(a, c.String, lo, out.Null, make([]string, hi-lo), asIs)
	default:
		out.Float64 = spread(a, c.Float64, lo, out.Null, make([]float64, hi-lo), asIs)
	}
	return out
}

func asIs[T any](v T) T { return v }

// spread puts the values of the rows from lo on into dst, whose rows are null
// where there is no value.
func spread[S, D any](a *addition, values []S, lo int64, null []bool, dst []D, as func(S) D) []D {
	rows := a.col.Rows
	if rows == nil {
		for row := range dst {
			dst[row] = as(values[int(lo)+row])
		}
		return dst
	}
	first := sort.Search(len(rows), func(i int) bool { return int64(rows[a.at(i)]) >= lo })
	for i := first; i < len(rows) && int64(rows[a.at(i)])-lo < int64(len(dst)); i++ {
		row := int64(rows[a.at(i)]) - lo
		dst[row], null[row] = as(values[a.at(i)]), false
	}
	return dst
}

// added are the columns to add to a catalog. It implements format.Added.
type added []addition

func (a added) Fields() (fields []format.Field) {
	for i := range a {
		fields = append(fields, a[i].field)
	}
	return fields
}

func (a added) Block(i int, lo, hi int64) format.Column { return a[i].block(lo, hi) }

// Advance loads the rows [lo, hi) of streams.
func (a added) Advance(ctx context.Context, lo, hi int64) error {
	var last *streaming // columns of one stream follow each other
	for i := range a {
		s := a[i].stream
		if s == nil || s == last {
			continue
		}
		if last = s; ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.load(lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// additions returns the columns of a stream.
func (s *streaming) additions() (adds added) {
	for i, f := range s.fields {
		adds = append(adds, addition{field: f, stream: s, place: i})
	}
	return adds
}
