package expr

// Three-valued logic. The value of a null row is false.

var not kernel = func(_ *machine, out, a, _ *Vector) {
	for i, x := range a.Bool {
		out.Bool[i] = !x
	}
}

// and is false if either operand is false, else null if either is null; or is
// true if either is true, else null if either is null.
var and, or = decidedBy(false), decidedBy(true)

// decidedBy is the kernel of an operator whose value is v if either operand is.
func decidedBy(v bool) kernel {
	return func(m *machine, out, a, b *Vector) {
		z := out.Bool
		x, y := a.Bool[:len(z)], b.Bool[:len(z)]
		if a.Null == nil && b.Null == nil {
			for i := range z {
				z[i] = (x[i] == v || y[i] == v) == v
			}
			return
		}
		null := m.nullsOf(out)
		for i := range z {
			xNull, yNull := at(a.Null, i), at(b.Null, i)
			decided := x[i] == v && !xNull || y[i] == v && !yNull
			null[i] = !decided && (xNull || yNull)
			z[i] = decided == v && !null[i]
		}
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
