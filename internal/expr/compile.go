package expr

import "fmt"

// A Program is an expression whose columns have types. It is immutable and
// safe for concurrent use.
type Program struct {
	src     string
	columns []string
	types   []Type // of columns
	root    *instr
	count   int // instructions
}

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

// Compile gives the columns their types and checks that every operator and
// function gets values it can work on. types returns the type of a column, or
// the error to give for it.
func (e *Expr) Compile(types func(column string) (Type, error)) (*Program, error) {
	c := &compiler{
		Program: Program{src: e.src, columns: e.Columns(), types: make([]Type, len(e.columns))},
		lookup:  types,
		loads:   map[string]*instr{},
	}
	root, err := c.compile(e.root)
	if err != nil {
		return nil, err
	}
	c.root = root
	return &c.Program, nil
}

// CompileFilter is Compile for an expression that must be true or false.
func (e *Expr) CompileFilter(types func(column string) (Type, error)) (*Program, error) {
	p, err := e.Compile(types)
	if err == nil && p.Type() != Bool {
		err = errorAt(e.src, 0, "%s is %v, a filter must be true or false, such as %s > 0", Short(e.src), p.Type(), Short(e.src))
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// String returns the source of the expression.
func (p *Program) String() string { return p.src }

// Type returns the type of the value: never Invalid or Float32.
func (p *Program) Type() Type { return p.root.typ }

// Columns returns the names of the columns whose vectors Filter and Eval
// take, in their order.
func (p *Program) Columns() []string { return p.columns }

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
func (c *compiler) op(n *node, t Type, run kernel, args ...*instr) *instr {
	return c.add(&instr{typ: t, args: args, run: run, src: c.text(n)})
}

// constant adds a literal.
func (c *compiler) constant(v Value) *instr { return c.add(&instr{typ: v.typ, literal: &v}) }

// text returns the source of n.
func (c *compiler) text(n *node) string { return c.src[n.pos:n.end] }

// mismatch is the error of an operand of the wrong type.
func (c *compiler) mismatch(n *node, i *instr, format string, args ...any) error {
	return errorAt(c.src, n.pos, "%s is %v, %s", Short(c.text(n)), i.typ, fmt.Sprintf(format, args...))
}

func (c *compiler) compile(n *node) (*instr, error) {
	switch n.kind {
	case nodeColumn:
		return c.load(n)
	case nodeLiteral:
		return c.constant(n.value), nil
	case nodeBinary:
		if err := c.hyphenated(n); err != nil {
			return nil, err
		}
	}
	args := make([]*instr, len(n.args))
	for i, a := range n.args {
		var err error
		if args[i], err = c.compile(a); err != nil {
			return nil, err
		}
	}
	switch n.kind {
	case nodeUnary:
		return c.unary(n, args[0])
	case nodeBetween:
		return c.between(n, args)
	case nodeIn:
		return c.in(n, args[0])
	case nodeIsNull:
		return c.isNull(n, args[0]), nil
	case nodeCall:
		return c.call(n, args)
	}
	switch n.text {
	case "and", "or":
		return c.logic(n, args[0], args[1])
	case "=", "!=", "<", "<=", ">", ">=":
		return c.compare(n, n.text, [2]*node(n.args), [2]*instr(args))
	default:
		return c.arithmetic(n, n.text, args[0], args[1])
	}
}

// load adds the instruction that reads a column, once.
func (c *compiler) load(n *node) (*instr, error) {
	if i, ok := c.loads[n.text]; ok {
		return i, nil
	}
	t, err := c.lookup(n.text)
	if err != nil {
		if c.src[n.pos] == '"' {
			return nil, errorAt(c.src, n.pos, "%v (double quotes name a column; a text is written '%s')", err, n.text)
		}
		return nil, errorAt(c.src, n.pos, "%v", err)
	}
	column := 0
	for c.columns[column] != n.text {
		column++
	}
	c.types[column] = t
	i := &instr{typ: t, column: column, src: c.text(n)}
	switch t {
	case Float32:
		i.typ = Float64
	case Invalid:
		return nil, errorAt(c.src, n.pos, "column %s holds values that cannot be used in an expression", n.text)
	}
	c.loads[n.text] = c.add(i)
	return i, nil
}

// hyphenated explains a missing column where the whole of n, such as BP-RP,
// is the name of one.
func (c *compiler) hyphenated(n *node) error {
	if n.args[0].kind != nodeColumn {
		return nil
	}
	_, missing := c.lookup(n.args[0].text)
	if missing == nil {
		return nil
	}
	if _, err := c.lookup(c.text(n)); err != nil {
		return nil // the missing column itself is the error
	}
	return errorAt(c.src, n.pos, "%v; the column %s is written \"%s\"", missing, c.text(n), c.text(n))
}

func (c *compiler) unary(n *node, a *instr) (*instr, error) {
	switch {
	case n.text == "not" && a.typ == Bool:
		return c.op(n, Bool, not, a), nil
	case n.text == "not":
		return nil, c.mismatch(n.args[0], a, "not needs true or false")
	case !a.typ.isNumber():
		return nil, c.mismatch(n.args[0], a, "the sign needs a number")
	case a.typ == Float64:
		return c.op(n, Float64, mapped(float64s, func(x float64) float64 { return -x }), a), nil
	}
	return c.op(n, Int64, checked(int64s, subtractInt), c.constant(IntValue(0)), c.toInt(n, a)), nil
}

func (c *compiler) logic(n *node, a, b *instr) (*instr, error) {
	for i, arg := range []*instr{a, b} {
		if arg.typ != Bool {
			return nil, c.mismatch(n.args[i], arg, "%s needs true or false", n.text)
		}
	}
	i := c.op(n, Bool, and, a, b)
	if n.text == "or" {
		i.run = or
	}
	i.ownNulls = true
	return i, nil
}

func (c *compiler) isNull(n *node, a *instr) *instr {
	i := c.op(n, Bool, nulls, a)
	i.ownNulls = true
	return i
}

func (c *compiler) between(n *node, args []*instr) (*instr, error) {
	lo, err := c.compare(n, ">=", [2]*node{n.args[0], n.args[1]}, [2]*instr{args[0], args[1]})
	if err != nil {
		return nil, err
	}
	hi, err := c.compare(n, "<=", [2]*node{n.args[0], n.args[2]}, [2]*instr{args[0], args[2]})
	if err != nil {
		return nil, err
	}
	i := c.op(n, Bool, and, lo, hi)
	i.ownNulls = true
	return i, nil
}

// compare adds the comparison of two operands, exact for any two numbers.
func (c *compiler) compare(n *node, op string, nodes [2]*node, in [2]*instr) (*instr, error) {
	a, b := in[0], in[1]
	if a.typ != b.typ && !(a.typ.isNumber() && b.typ.isNumber()) {
		if a.literal != nil && b.literal == nil {
			nodes[0], nodes[1], a, b = nodes[1], nodes[0], b, a
		}
		return nil, c.mismatch(nodes[0], a, "it cannot be compared with %s", c.text(nodes[1]))
	}
	if a.typ == Bool && op != "=" && op != "!=" {
		return nil, c.mismatch(nodes[0], a, "it can only be compared by = and !=")
	}
	// A literal takes the type of the other side where that changes nothing,
	// so that the usual comparisons need no conversion.
	if b.literal != nil && a.typ != b.typ {
		if v, ok := b.literal.exactly(a.typ); ok {
			b = c.constant(v)
		}
	} else if a.literal != nil && a.typ != b.typ {
		if v, ok := a.literal.exactly(b.typ); ok {
			a = c.constant(v)
		}
	}
	return c.op(n, Bool, comparison(op, a.typ, b.typ), a, b), nil
}

// in adds the test for the items of a list that the operand's type can hold.
func (c *compiler) in(n *node, a *instr) (*instr, error) {
	if a.typ == Bool {
		return nil, c.mismatch(n.args[0], a, "in needs a number or a string")
	}
	var held []Value
	for _, v := range n.list {
		if (v.typ == String) != (a.typ == String) {
			return nil, c.mismatch(n.args[0], a, "the list has %v", v.describe())
		}
		if w, ok := v.exactly(a.typ); ok {
			held = append(held, w)
		}
	}
	return c.op(n, Bool, member(a.typ, held), a), nil
}
