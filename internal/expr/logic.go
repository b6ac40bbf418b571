package expr

// Three-valued logic. The value of a null row is false.

var not kernel = func(_ *machine, out, a, _ *Vector) {
	for i, x := range a.Bool {
		out.Bool[i] = !x
	}
}

// and is false if either operand is false, else null if either is null.
var and kernel = func(m *machine, out, a, b *Vector) {
	z := out.Bool
	x, y := a.Bool[:len(z)], b.Bool[:len(z)]
	if a.Null == nil && b.Null == nil {
		for i := range z {
			z[i] = x[i] && y[i]
		}
		return
	}
	null := m.nullsOf(out)
	for i := range z {
		xNull, yNull := at(a.Null, i), at(b.Null, i)
		isFalse := !x[i] && !xNull || !y[i] && !yNull
		null[i] = !isFalse && (xNull || yNull)
		z[i] = !isFalse && !null[i]
	}
}

// or is true if either operand is true, else null if either is null.
var or kernel = func(m *machine, out, a, b *Vector) {
	z := out.Bool
	x, y := a.Bool[:len(z)], b.Bool[:len(z)]
	if a.Null == nil && b.Null == nil {
		for i := range z {
			z[i] = x[i] || y[i]
		}
		return
	}
	null := m.nullsOf(out)
	for i := range z {
		xNull, yNull := at(a.Null, i), at(b.Null, i)
		z[i] = x[i] && !xNull || y[i] && !yNull
		null[i] = !z[i] && (xNull || yNull)
	}
}

// nulls is whether the operand is null.
var nulls kernel = func(_ *machine, out, a, _ *Vector) {
	if a.Null == nil {
		clear(out.Bool)
		return
	}
	copy(out.Bool, a.Null)
}

// never is false.
var never kernel = func(_ *machine, out, _, _ *Vector) { clear(out.Bool) }

// at is null[i], false if there are no nulls.
func at(null []bool, i int) bool { return null != nil && null[i] }
