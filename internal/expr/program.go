package expr

import (
	"fmt"
)

// A Program is an expression whose columns have types. It is immutable and
// safe for concurrent use.
type Program struct {
	Source
	columns []string
	types   []Type // of columns
	root    *instr
	count   int // instructions
}

// String returns the source of the expression.
func (p *Program) String() string { return string(p.Source) }

// Type returns the type of the value: never Invalid or Float32.
func (p *Program) Type() Type { return p.root.typ }

// Columns returns the names of the columns whose vectors Filter and Eval
// take, in their order.
func (p *Program) Columns() []string { return p.columns }

// A compiler adds the instructions of a Program.
type compiler struct {
	Program
	lookup func(string) (Type, error)
	loads  map[string]*instr
}

// add appends an instruction.
func (c *compiler) add(i *instr) *instr {
	i.id = c.count
	c.count++
	return i
}

// op adds an instruction that runs a kernel.
func (c *compiler) op(n *Node, t Type, run kernel, args ...*instr) *instr {
	return c.add(&instr{typ: t, args: args, run: run, src: c.text(n)})
}

// logical adds an instruction whose kernel sets the nulls of a truth value.
func (c *compiler) logical(n *Node, run kernel, args ...*instr) *instr {
	i := c.op(n, Bool, run, args...)
	i.ownNulls = true
	return i
}

// constant adds a literal.
func (c *compiler) constant(v Value) *instr { return c.add(&instr{typ: v.typ, literal: &v}) }

// mismatch fails for an operand of the wrong type.
func (c *compiler) mismatch(n *Node, i *instr, format string, args ...any) {
	c.Fail(n.Pos, "%s is %v, %s", Short(c.text(n)), i.typ, fmt.Sprintf(format, args...))
}
