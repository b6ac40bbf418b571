package expr

import "slices"

// An Expr is a parsed expression. It is immutable.
type Expr struct {
	Source
	root    *Node
	columns []string
}

// String returns the source of the expression.
func (e *Expr) String() string { return string(e.Source) }

// Columns returns the names of the columns used, each once, in order of first
// appearance.
func (e *Expr) Columns() []string { return slices.Clone(e.columns) }

// Tree returns the syntax tree, which must not be changed.
func (e *Expr) Tree() *Node { return e.root }

// NodeKind says what a Node is.
type NodeKind uint8

// The kinds. The operators are or, and, not, =, !=, <, <=, >, >=, +, -, *, /,
// //, % and ^; the sign is - with one operand.
const (
	Column   NodeKind = iota // Text
	Literal                  // Value; Text is its unit, "" without
	Operator                 // Text, of one or two Args
	Between                  // Args are the operand and both ends
	In                       // Args[0] in List
	IsNull                   // Args[0] is null
	Call                     // Text is the function
)

// A Node is an operator or operand of the syntax tree. A negated form (not
// between, is not null) is a not above it.
type Node struct {
	Kind     NodeKind
	Text     string
	Value    Value
	List     []Value
	Args     []*Node
	Pos, end int // bytes of the source
}

// is reports whether n is one of the operators.
func (n *Node) is(operators ...string) bool {
	return n.Kind == Operator && slices.Contains(operators, n.Text)
}

// text returns the source of n.
func (s Source) text(n *Node) string { return string(s[n.Pos:n.end]) }
