package expr

import "fmt"

// blockRows is the number of rows evaluated at a time: a dozen intermediate
// results of that many float64 stay in the first two levels of cache.
const blockRows = 1024

// Filter sets keep[i] to whether the expression is true for row i of the
// columns, which are those of Columns() in order, each of len(keep) rows. It
// must be true or false (CompileFilter). first is the number of the first row
// in errors, which wrap ErrOverflow.
func (p *Program) Filter(columns []Vector, first int64, keep []bool) error {
	if p.Type() != Bool {
		return fmt.Errorf("expr: %s is %v, not a filter", p.Source, p.Type())
	}
	return p.blocks(columns, len(keep), first, func(lo int, v *Vector) {
		z := keep[lo : lo+len(v.Bool)]
		copy(z, v.Bool)
		for i, null := range v.Null {
			z[i] = z[i] && !null
		}
	})
}

// Eval returns the values of the expression for n rows of the columns, as
// Filter takes them. A null row's value is of no meaning.
func (p *Program) Eval(columns []Vector, first int64, n int) (Vector, error) {
	out := makeVector(p.Type(), n)
	err := p.blocks(columns, n, first, func(lo int, v *Vector) {
		out.copyAt(lo, v)
		if v.Null != nil {
			if out.Null == nil {
				out.Null = make([]bool, n)
			}
			copy(out.Null[lo:], v.Null)
		}
	})
	if err != nil {
		return Vector{}, err
	}
	return out, nil
}

// blocks evaluates n rows and gives each block's values to use.
func (p *Program) blocks(columns []Vector, n int, first int64, use func(lo int, v *Vector)) error {
	if len(columns) != len(p.columns) {
		return fmt.Errorf("expr: %d columns given for %d", len(columns), len(p.columns))
	}
	for i := range columns {
		if !columns[i].fits(p.types[i], n) {
			return fmt.Errorf("expr: column %s is not %d rows of %v", p.columns[i], n, p.types[i])
		}
	}
	m := newMachine(p, columns, first)
	for lo := 0; lo < n; lo += blockRows {
		m.lo, m.n = lo, min(blockRows, n-lo)
		m.block++
		v := m.value(p.root)
		if m.err != nil {
			return m.err
		}
		use(lo, v)
	}
	return nil
}

func newMachine(p *Program, columns []Vector, first int64) *machine {
	m := &machine{columns: columns, first: first, slots: make([]slot, p.count)}
	return m
}

// value returns the values of i in the block, computed at most once.
func (m *machine) value(i *instr) *Vector {
	s := &m.slots[i.id]
	if s.block == m.block {
		return &s.value
	}
	if s.instr == nil {
		m.allocate(s, i)
	}
	s.block = m.block
	if i.literal != nil {
		s.value = s.own.slice(0, m.n)
		return &s.value
	}
	if i.run == nil {
		m.load(s, i)
		return &s.value
	}
	a := m.value(i.args[0])
	var b *Vector
	if len(i.args) > 1 {
		b = m.value(i.args[1])
	}
	s.value = s.own.slice(0, m.n)
	if !i.ownNulls {
		s.value.Null = m.eitherNull(s, a, b)
	}
	m.current = s
	i.run(m, &s.value, a, b)
	return &s.value
}

// allocate gives a slot its memory, a literal its values.
func (m *machine) allocate(s *slot, i *instr) {
	s.instr = i
	if i.run == nil && i.literal == nil && m.columns[i.column].Float32 == nil {
		return // a column is used where it is
	}
	s.own = makeVector(i.typ, blockRows)
	if v := i.literal; v != nil {
		fill(s.own.Float64, v.f)
		fill(s.own.Int64, v.i)
		fill(s.own.Uint64, v.u)
		fill(s.own.Bool, v.b)
		fill(s.own.String, v.s)
	}
}

func fill[T any](z []T, x T) {
	for i := range z {
		z[i] = x
	}
}

// load makes the block of a column the value of s.
func (m *machine) load(s *slot, i *instr) {
	c := m.columns[i.column].slice(m.lo, m.lo+m.n)
	if c.Float32 == nil {
		s.value = c
		return
	}
	s.value = s.own.slice(0, m.n)
	s.value.Null = c.Null
	for j, x := range c.Float32 {
		s.value.Float64[j] = float64(x)
	}
}

// eitherNull marks the rows in which a or b is null.
func (m *machine) eitherNull(s *slot, a, b *Vector) []bool {
	switch {
	case b == nil || b.Null == nil:
		return a.Null
	case a.Null == nil:
		return b.Null
	}
	null := s.nulls(m.n)
	for i := range null {
		null[i] = a.Null[i] || b.Null[i]
	}
	return null
}
