package pairfunc

import (
	"fmt"

	"skyjoin/internal/kernel"
)

// A Table has the columns that a function reads of one side, in the order of
// Columns.
type Table struct {
	Rows    int
	Columns [][]float64
}

func (f *Function) check(a, b Table) error {
	for k, side := range []Table{a, b} {
		if want := [2][]string{f.columnsA, f.columnsB}[k]; len(side.Columns) != len(want) {
			return fmt.Errorf("pairfunc: %d columns given for %v", len(side.Columns), want)
		}
		for _, c := range side.Columns {
			if len(c) != side.Rows {
				return fmt.Errorf("pairfunc: a column of %d values in a table of %d rows", len(c), side.Rows)
			}
		}
	}
	return nil
}

// block is the number of rows b evaluated at a time.
const block = 512

// rowColumns evaluates the frontier of a side for all its rows. The result is by
// node.
func (f *Function) rowColumns(side uint8, t Table) map[int][]float64 {
	wanted := f.frontier(side)
	out := map[int][]float64{}
	for _, n := range wanted {
		if n.op == opA || n.op == opB {
			out[n.id] = t.Columns[n.column]
		} else {
			out[n.id] = make([]float64, t.Rows)
		}
	}
	m := newMachine(f)
	for lo := 0; lo < t.Rows; lo += block {
		hi := min(lo+block, t.Rows)
		for _, n := range f.nodes {
			switch {
			case n.op == opConst || n.op == opTruth:
				m.fill(n, n.value, hi-lo)
			case n.rows != side && n.rows != 0:
			case n.op == opA || n.op == opB:
				m.slot[n.id] = t.Columns[n.column][lo:hi]
			default:
				m.run(n, hi-lo)
			}
		}
		for id, column := range out {
			if n := f.nodes[id]; n.op != opA && n.op != opB {
				copy(column[lo:hi], m.slot[id])
			}
		}
	}
	return out
}

// frontier lists the nodes that depend on one side only and are operands of nodes of
// both sides, or the value itself.
func (f *Function) frontier(side uint8) []*node {
	var out []*node
	for _, n := range f.nodes {
		if n.rows != side {
			continue
		}
		needed := n == f.root
		for _, user := range f.nodes {
			needed = needed || user.rows == ofA|ofB && (user.args[0] == n || user.args[1] == n)
		}
		if needed {
			out = append(out, n)
		}
	}
	return out
}

// A machine evaluates nodes for blocks of pairs. Slots hold the values of a
// node, in memory of their own or where a column is.
type machine struct {
	f     *Function
	apply func(o kernel.Operation, x, y, z []float64)
	slot  [][]float64
	own   [][]float64
}

func newMachine(f *Function) *machine {
	m := &machine{f: f, apply: kernel.Best().Apply, slot: make([][]float64, len(f.nodes)), own: make([][]float64, len(f.nodes))}
	return m
}

func (m *machine) memory(n *node) []float64 {
	if m.own[n.id] == nil {
		m.own[n.id] = make([]float64, block)
	}
	return m.own[n.id]
}

// fill gives a node one value.
func (m *machine) fill(n *node, v float64, size int) {
	z := m.memory(n)[:size]
	for i := range z {
		z[i] = v
	}
	m.slot[n.id] = z
}

// run evaluates a node whose operands have been evaluated.
func (m *machine) run(n *node, size int) {
	z := m.memory(n)[:size]
	m.slot[n.id] = z
	x := m.slot[n.args[0].id][:size]
	var y []float64
	if n.args[1] != nil {
		y = m.slot[n.args[1].id][:size]
	}
	if o := operations[n.op].kernel; o != nil {
		m.apply(*o, x, y, z)
		return
	}
	switch n.op {
	case opOr:
		for i := range z {
			z[i] = max(x[i], y[i])
		}
	case opNot:
		for i := range z {
			z[i] = 1 - x[i]
		}
	default:
		if f := operations[n.op].of1; f != nil {
			for i := range z {
				z[i] = f(x[i])
			}
			return
		}
		f := operations[n.op].of2
		for i := range z {
			z[i] = f(x[i], y[i])
		}
	}
}

// An Evaluator evaluates a function for a row a and consecutive rows b. It
// belongs to one goroutine; Fork makes more.
type Evaluator struct {
	f    *Function
	a, b map[int][]float64 // by node
	m    *machine
	both []*node // in order
	row  int     // of a that is filled in
}

// Evaluator prepares a function for two tables, which are the same rows for a
// function of one table.
func (f *Function) Evaluator(a, b Table) (*Evaluator, error) {
	if err := f.check(a, b); err != nil {
		return nil, err
	}
	e := &Evaluator{f: f, a: f.rowColumns(ofA, a), b: f.rowColumns(ofB, b), m: newMachine(f), row: -1}
	for _, n := range f.nodes {
		if n.rows == ofA|ofB {
			e.both = append(e.both, n)
		}
	}
	e.constants()
	return e, nil
}

// Fork returns an evaluator of the same tables for another goroutine.
func (e *Evaluator) Fork() *Evaluator {
	c := &Evaluator{f: e.f, a: e.a, b: e.b, both: e.both, m: newMachine(e.f), row: -1}
	c.constants()
	return c
}

// share gives the nodes of pairs few blocks of memory, which stay in the nearest cache:
// a node takes that of an operand that is not needed any more.
func (e *Evaluator) share() {
	last := map[*node]*node{e.f.root: nil}
	for _, n := range e.both {
		for _, x := range n.args {
			if x != nil && x != e.f.root {
				last[x] = n
			}
		}
	}
	var free [][]float64
	for _, n := range e.both {
		for k, x := range n.args {
			if x != nil && x.rows == ofA|ofB && last[x] == n && (k == 0 || x != n.args[0]) {
				free = append(free, e.m.own[x.id])
			}
		}
		if len(free) == 0 {
			free = append(free, make([]float64, block))
		}
		e.m.own[n.id] = free[len(free)-1]
		free = free[:len(free)-1]
	}
}

func (e *Evaluator) constants() {
	e.share()
	for _, n := range e.f.nodes {
		if n.rows == 0 {
			if n.op == opConst || n.op == opTruth {
				e.m.fill(n, n.value, block)
			} else {
				e.m.run(n, block)
			}
		}
	}
}

// Values returns f(a, b) for row a and rows [lo, hi) of b, at most Block of
// them; truths are 1 and 0. They are valid until the next call.
func (e *Evaluator) Values(a, lo, hi int) []float64 {
	if a != e.row {
		for id, column := range e.a {
			e.m.fill(e.f.nodes[id], column[a], block)
		}
		e.row = a
	}
	for id, column := range e.b {
		e.m.slot[id] = column[lo:hi]
	}
	for _, n := range e.both {
		e.m.run(n, hi-lo)
	}
	return e.m.slot[e.f.root.id][:hi-lo]
}

// Block is the largest number of rows in one call of Values.
const Block = block
