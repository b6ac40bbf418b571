package expr

// A Node is an operator or operand of an expression, for other evaluators than
// [Program]. Lists and ranges are spelt out: "x in (1, 2)" is x = 1 or x = 2.
type Node struct {
	Kind NodeKind
	Text string  // a column, an operator or a function, as this package writes it
	Real float64 // of a Number, the nearest float64
	True bool    // of a Truth
	Args []*Node
	Pos  int // byte of the source
}

// NodeKind says what a Node is.
type NodeKind uint8

// The kinds. The operators are or, and, not, =, !=, <, <=, >, >=, +, -, *, /,
// //, % and ^; the sign is - with one operand.
const (
	Column NodeKind = iota
	Number
	Truth
	Text
	Operator
	Call
	NullTest
)

// ParseWith is Parse of a language with further functions, given with their
// number of arguments. Such an expression cannot be compiled.
func ParseWith(src string, more map[string]int) (*Expr, error) {
	return parse(src, more)
}

// Tree returns the syntax tree.
func (e *Expr) Tree() *Node { return tree(e.root) }

// ErrorAt returns an Error at a node of the expression.
func (e *Expr) ErrorAt(n *Node, format string, args ...any) *Error {
	return errorAt(e.src, n.Pos, format, args...)
}

func tree(n *node) *Node {
	t := &Node{Text: n.text, Pos: n.pos}
	for _, a := range n.args {
		t.Args = append(t.Args, tree(a))
	}
	pair := func(op string, a, b *Node) *Node {
		return &Node{Kind: Operator, Text: op, Args: []*Node{a, b}, Pos: n.pos}
	}
	switch n.kind {
	case nodeColumn:
		t.Kind = Column
	case nodeLiteral:
		return literal(n.value, n.pos)
	case nodeUnary, nodeBinary:
		t.Kind = Operator
	case nodeBetween:
		return pair("and", pair(">=", t.Args[0], t.Args[1]), pair("<=", t.Args[0], t.Args[2]))
	case nodeIn:
		var any *Node
		for _, v := range n.list {
			is := pair("=", t.Args[0], literal(v, n.pos))
			if any == nil {
				any = is
			} else {
				any = pair("or", any, is)
			}
		}
		return any
	case nodeCall:
		t.Kind = Call
	default:
		t.Kind = NullTest
	}
	return t
}

func literal(v Value, pos int) *Node {
	switch v.typ {
	case Bool:
		return &Node{Kind: Truth, True: v.b, Pos: pos}
	case String:
		return &Node{Kind: Text, Text: v.s, Pos: pos}
	}
	return &Node{Kind: Number, Real: v.float(), Pos: pos}
}
