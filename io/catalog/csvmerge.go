package catalog

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
func inferredOf(s source, field int) inference {
	if i, ok := s.(inferrer); ok {
		return i.inferred(field)
	}
	return inference{}
}

// agree gives two fields of one column, of which at least one was inferred,
// the types they would have if each file knew of the other, and returns the
// inference from both.
func agree(a *Field, ia inference, b *Field, ib inference) inference {
	switch {
	case ia.known && ib.known:
		both := inference{true, ia.seen | ib.seen}
		a.infer(both.seen)
		b.infer(both.seen)
		return both
	case ia.known:
		a.yield(ia.seen, b.Type)
	case ib.known:
		b.yield(ib.seen, a.Type)
	}
	return inference{}
}

// infer gives the field the type of cells of class seen.
func (f *Field) infer(seen cellClass) {
	f.Type = columnType(seen)
	f.Text, f.Elem = f.Type.String(), nil
	if seen&valueClasses == 0 {
		f.Text = "no values"
	}
	if f.Type == List {
		f.Elem = &Field{Name: f.Name, Type: columnType(seen >> elementShift), Nullable: true}
		f.Elem.Text = f.Elem.Type.String()
		f.Text = "list of " + f.Elem.Text
	}
	f.Nullable = nullable(seen, f.Type)
}

// yield gives the field, inferred from cells of class seen, a type that joins
// with the declared type t, if that changes no value: any where there are no
// values, float64 for integers that it holds beside floats.
func (f *Field) yield(seen cellClass, t Type) {
	switch values := seen & valueClasses; {
	case values == 0 && t.storage() != noStorage:
		f.Type = t
	case t.isFloat() && values&^(classInt|classMinus|classNaN|classFloat) == 0:
		f.Type = Float64
	default:
		return
	}
	f.Text, f.Nullable = f.Type.String(), nullable(seen, f.Type)
}
