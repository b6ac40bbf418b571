package expr

import (
	"skyjoin/internal/each"
)

// Compile gives the columns their types and checks that every operator and
// function gets values it can work on. types returns the type of a column, or
// the error to give for it.
func (e *Expr) Compile(types func(column string) (Type, error)) (p *Program, err error) {
	defer Recover(&err)
	c := &compiler{
		Program: Program{Source: e.Source, columns: e.Columns(), types: make([]Type, len(e.columns))},
		lookup:  types,
		loads:   map[string]*instr{},
	}
	c.root = c.compile(e.root)
	return &c.Program, nil
}

// CompileFilter is Compile for an expression that must be true or false.
func (e *Expr) CompileFilter(types func(column string) (Type, error)) (*Program, error) {
	p, err := e.Compile(types)
	if err != nil {
		return nil, err
	}
	if p.Type() != Bool {
		src := Short(e.String())
		return nil, e.ErrorAt(0, "%s is %v, a filter must be true or false, such as %s > 0", src, p.Type(), src)
	}
	return p, nil
}

func (c *compiler) compile(n *Node) *instr {
	switch {
	case n.Kind == Column:
		return c.load(n)
	case n.Kind == Literal:
		return c.constant(n.Value)
	case n.Kind == Operator && len(n.Args) == 2:
		c.hyphenated(n)
	}
	args := each.Of(n.Args, c.compile)
	switch n.Kind {
	case Between:
		lo := c.compare(n, ">=", [2]*Node{n.Args[0], n.Args[1]}, [2]*instr{args[0], args[1]})
		hi := c.compare(n, "<=", [2]*Node{n.Args[0], n.Args[2]}, [2]*instr{args[0], args[2]})
		return c.logical(n, and, lo, hi)
	case In:
		return c.in(n, args[0])
	case IsNull:
		return c.logical(n, nulls, args[0])
	case Call:
		return c.call(n, args)
	}
	switch {
	case len(args) == 1:
		return c.unary(n, args[0])
	case n.is("and", "or"):
		return c.logic(n, args[0], args[1])
	case n.is(comparisons...):
		return c.compare(n, n.Text, [2]*Node(n.Args), [2]*instr(args))
	default:
		return c.arithmetic(n, n.Text, args[0], args[1])
	}
}

// load adds the instruction that reads a column, once.
func (c *compiler) load(n *Node) *instr {
	if i, ok := c.loads[n.Text]; ok {
		return i
	}
	t, err := c.lookup(n.Text)
	if err != nil {
		if c.Source[n.Pos] == '"' {
			c.Fail(n.Pos, "%v (double quotes name a column; text is written '%s')", err, n.Text)
		}
		c.Fail(n.Pos, "%v", err)
	}
	column := 0
	for c.columns[column] != n.Text {
		column++
	}
	c.types[column] = t
	i := &instr{typ: t, column: column, src: c.text(n)}
	switch t {
	case Float32:
		i.typ = Float64
	case Invalid:
		c.Fail(n.Pos, "column %s holds values that cannot be used in an expression", n.Text)
	}
	c.loads[n.Text] = c.add(i)
	return i
}

// hyphenated explains a missing column where the whole of n, such as BP-RP,
// is the name of one.
func (c *compiler) hyphenated(n *Node) {
	if n.Args[0].Kind != Column {
		return
	}
	_, missing := c.lookup(n.Args[0].Text)
	if _, err := c.lookup(c.text(n)); missing != nil && err == nil {
		c.Fail(n.Pos, "%v; the column %s is written \"%s\"", missing, c.text(n), c.text(n))
	}
}

func (c *compiler) unary(n *Node, a *instr) *instr {
	switch {
	case n.Text == "not" && a.typ == Bool:
		return c.op(n, Bool, not, a)
	case n.Text == "not":
		c.mismatch(n.Args[0], a, "not needs true or false")
	case !a.typ.isNumber():
		c.mismatch(n.Args[0], a, "the sign needs a number")
	case a.typ == Float64:
		return c.op(n, Float64, mapped(float64s, func(x float64) float64 { return -x }), a)
	}
	return c.op(n, Int64, checked(int64s, subtractInt), c.constant(IntValue(0)), c.toInt(n, a))
}

func (c *compiler) logic(n *Node, a, b *instr) *instr {
	for i, arg := range []*instr{a, b} {
		if arg.typ != Bool {
			c.mismatch(n.Args[i], arg, "%s needs true or false", n.Text)
		}
	}
	if n.Text == "or" {
		return c.logical(n, or, a, b)
	}
	return c.logical(n, and, a, b)
}

// compare adds the comparison of two operands, exact for any two numbers.
func (c *compiler) compare(n *Node, op string, nodes [2]*Node, in [2]*instr) *instr {
	a, b := in[0], in[1]
	if a.typ != b.typ && !(a.typ.isNumber() && b.typ.isNumber()) {
		if a.literal != nil && b.literal == nil {
			nodes[0], nodes[1], a = nodes[1], nodes[0], b
		}
		c.mismatch(nodes[0], a, "it cannot be compared with %s", c.text(nodes[1]))
	}
	if a.typ == Bool && op != "=" && op != "!=" {
		c.mismatch(nodes[0], a, "it can only be compared by = and !=")
	}
	// A literal takes the type of the other side where that changes nothing,
	// so that the usual comparisons need no conversion.
	if a.typ != b.typ {
		if b.literal != nil {
			b = c.exactly(b, a.typ)
		} else if a.literal != nil {
			a = c.exactly(a, b.typ)
		}
	}
	return c.op(n, Bool, comparison(op, a.typ, b.typ), a, b)
}

// in adds the test for the items of a list that the operand's type can hold.
func (c *compiler) in(n *Node, a *instr) *instr {
	if a.typ == Bool {
		c.mismatch(n.Args[0], a, "in needs a number or a string")
	}
	var held []Value
	for _, v := range n.List {
		if (v.typ == String) != (a.typ == String) {
			c.mismatch(n.Args[0], a, "the list has %v", v.describe())
		}
		if w, ok := v.exactly(a.typ); ok {
			held = append(held, w)
		}
	}
	return c.op(n, Bool, member(a.typ, held), a)
}
