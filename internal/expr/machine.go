package expr

import "fmt"

// An instr computes one value per row from those of up to two others.
type instr struct {
	id       int
	typ      Type
	args     []*instr
	column   int    // of a load
	literal  *Value // of a constant
	run      kernel // of everything else
	ownNulls bool   // run sets out.Null; otherwise a null operand makes the row null
	src      string // for messages
}

// A kernel computes the values of a block, rows of out, from those of its
// operands; b is nil for an operator of one. All have m.n rows.
type kernel func(m *machine, out, a, b *Vector)

// A machine evaluates a program block by block.
type machine struct {
	columns []Vector
	first   int64
	lo, n   int
	block   int // counts from 1
	slots   []slot
	current *slot // the one being computed
	err     error
}

// A slot is the values of one instruction.
type slot struct {
	value Vector // of the block
	block int    // in which value was computed
	own   Vector // blockRows of memory
	null  []bool // likewise, for nulls that are not an operand's
	instr *instr
}

// nulls returns the slot's own memory for n nulls.
func (s *slot) nulls(n int) []bool {
	if s.null == nil {
		s.null = make([]bool, blockRows)
	}
	return s.null[:n]
}

// nullsOf gives out, the value being computed, nulls of its own to set.
func (m *machine) nullsOf(out *Vector) []bool {
	out.Null = m.current.nulls(m.n)
	return out.Null
}

// noValue makes row i of out, the value being computed, null, or fails if its
// true value is beyond 64 bits. A row that is null already stays so.
func (m *machine) noValue(out *Vector, i int, o outcome) {
	if at(out.Null, i) {
		return
	}
	if o == overflow {
		if m.err == nil {
			m.err = fmt.Errorf("%w in %s, row %d; write 1.0 * … for float64", ErrOverflow, Short(m.current.instr.src), m.first+int64(m.lo+i))
		}
		return
	}
	null := m.current.nulls(m.n)
	if out.Null == nil {
		clear(null)
	} else if &null[0] != &out.Null[0] {
		copy(null, out.Null)
	}
	out.Null = null
	null[i] = true
}

// at is null[i], false if there are no nulls.
func at(null []bool, i int) bool { return null != nil && null[i] }

// An outcome tells whether integer arithmetic has a result.
type outcome uint8

const (
	exact    outcome = iota
	noResult         // division by 0: null
	overflow
)

func overflowIf(over bool) outcome {
	if over {
		return overflow
	}
	return exact
}
