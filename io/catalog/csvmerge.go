package catalog

import "skyjoin/internal/format"

// An inference is the class of the cells that a column's type was found from;
// known is false for a type that the file declares.
type inference struct {
	known bool
	seen  cellClass
}

// An inferrer is a source that finds types from the values, which those of
// other files may widen.
type inferrer interface {
	inferred(field int) inference
}

func (s *textSource) inferred(field int) inference {
	if s.declared {
		return inference{}
	}
	return inference{true, s.columns[field].seen}
}

// inferredOf is inferred of any source.
func inferredOf(s format.Reader, field int) inference {
	if i, ok := s.(inferrer); ok {
		return i.inferred(field)
	}
	return inference{}
}

// agree gives two fields of one column, of which at least one was inferred,
// the types they would have if each file knew of the other, and returns the
// inference from both.
func agree(a *format.Field, ia inference, b *format.Field, ib inference) inference {
	switch {
	case ia.known && ib.known:
		both := inference{true, ia.seen | ib.seen}
		infer(a, both.seen)
		infer(b, both.seen)
		return both
	case ia.known:
		yield(a, ia.seen, b.Type)
	case ib.known:
		yield(b, ib.seen, a.Type)
	}
	return inference{}
}

// infer gives the field the type of cells of class seen.
func infer(f *format.Field, seen cellClass) {
	f.Type = columnType(seen)
	f.Text, f.Elem = f.Type.String(), nil
	if seen&valueClasses == 0 {
		f.Text = "no values"
	}
	if f.Type == format.List {
		f.Elem = &format.Field{Name: f.Name, Type: columnType(seen >> elementShift), Nullable: true}
		f.Elem.Text = f.Elem.Type.String()
		f.Text = "list of " + f.Elem.Text
	}
	f.Nullable = nullable(seen, f.Type)
}

// yield gives the field, inferred from cells of class seen, a type that joins
// with the declared type t, if that changes no value: any where there are no
// values, float64 for integers that it holds beside floats.
func yield(f *format.Field, seen cellClass, t format.Type) {
	switch values := seen & valueClasses; {
	case values == 0 && t.Storage() != format.NoStorage:
		f.Type = t
	case t.IsFloat() && values&^(classInt|classMinus|classNaN|classFloat) == 0:
		f.Type = format.Float64
	default:
		return
	}
	f.Text, f.Nullable = f.Type.String(), nullable(seen, f.Type)
}
