package expr

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits on an expression, far above what a person writes, that bound the
// stack and the memory of its evaluation.
const (
	maxSource = 1 << 20 // bytes
	maxDepth  = 200     // parentheses, calls, not and signs in one another
	maxNodes  = 4096    // operators and operands, without the items of lists
)

// An Expr is a parsed expression. It is immutable.
type Expr struct {
	src     string
	root    *node
	columns []string
}

type nodeKind uint8

const (
	nodeColumn  nodeKind = iota // text
	nodeLiteral                 // value; text is its unit, "" without
	nodeUnary                   // text is "-" or "not"
	nodeBinary                  // text is the operator
	nodeBetween                 // args are the operand and both ends
	nodeIn                      // args[0] in list
	nodeIsNull                  // args[0] is null
	nodeCall                    // text is the function
)

// A node is an operator or operand of the syntax tree. A negated form (not
// between, is not null) is a not above it.
type node struct {
	kind     nodeKind
	text     string
	value    Value
	list     []Value
	args     []*node
	pos, end int // bytes of the source
}

// Parse parses an expression. Errors are of type *[Error].
func Parse(src string) (*Expr, error) { return parse(src, nil) }

func parse(src string, more map[string]int) (*Expr, error) {
	if len(src) > maxSource {
		return nil, errorAt(src, 0, "the expression has %d bytes, at most %d are allowed", len(src), maxSource)
	}
	p := &parser{src: src, more: more}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == tokenEnd {
		return nil, errorAt(src, 0, "the expression is empty")
	}
	root, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokenEnd {
		return nil, p.unexpected("an operator or the end")
	}
	return &Expr{src: src, root: root, columns: p.columns}, nil
}

// String returns the source of the expression.
func (e *Expr) String() string { return e.src }

// Columns returns the names of the columns used, each once, in order of first
// appearance.
func (e *Expr) Columns() []string { return slices.Clone(e.columns) }

// A parser holds the token at hand; each method parses one level of
// precedence.
type parser struct {
	src     string
	tok     token
	last    int // end of the token before tok
	depth   int
	nodes   int
	columns []string
	more    map[string]int // further functions, with their number of arguments
}

func (p *parser) advance() error {
	p.last = p.tok.end
	t, err := next(p.src, p.tok.end)
	p.tok = t
	return err
}

// accept steps over the token if it is s.
func (p *parser) accept(s string) (bool, error) {
	if !p.tok.is(s) {
		return false, nil
	}
	return true, p.advance()
}

// expect steps over the token, which must be s.
func (p *parser) expect(s string) error {
	ok, err := p.accept(s)
	if err == nil && !ok {
		return p.unexpected(s)
	}
	return err
}

func (p *parser) unexpected(want string) error {
	if p.tok.kind == tokenEnd {
		return errorAt(p.src, p.tok.pos, "the expression ends where %s was expected", want)
	}
	return errorAt(p.src, p.tok.pos, "unexpected %s, expected %s", p.src[p.tok.pos:p.tok.end], want)
}

// enter counts a level of nesting, which leave ends.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return errorAt(p.src, p.tok.pos, "the expression is nested more than %d levels deep", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// node adds a node that starts at byte pos and ends before the token at hand.
func (p *parser) node(kind nodeKind, pos int, text string, args ...*node) (*node, error) {
	if p.nodes++; p.nodes > maxNodes {
		return nil, errorAt(p.src, pos, "the expression has more than %d operators and operands; use in (…) for long lists", maxNodes)
	}
	return &node{kind: kind, text: text, args: args, pos: pos, end: p.last}, nil
}

// binary parses operands of the level below joined by one of ops, to the left.
func (p *parser) binary(operand func() (*node, error), ops ...string) (*node, error) {
	left, err := operand()
	for err == nil {
		i := slices.IndexFunc(ops, p.tok.is)
		if i < 0 {
			return left, nil
		}
		if err = p.advance(); err != nil {
			break
		}
		var right *node
		if right, err = operand(); err == nil {
			left, err = p.node(nodeBinary, left.pos, ops[i], left, right)
		}
	}
	return nil, err
}

func (p *parser) or() (*node, error)  { return p.binary(p.and, "or") }
func (p *parser) and() (*node, error) { return p.binary(p.not, "and") }

func (p *parser) not() (*node, error) {
	if !p.tok.is("not") {
		return p.comparison()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	pos := p.tok.pos
	if err := p.advance(); err != nil {
		return nil, err
	}
	operand, err := p.not()
	if err != nil {
		return nil, err
	}
	return p.node(nodeUnary, pos, "not", operand)
}

// comparisons are the operators whose operands are sums; they do not chain.
var comparisons = []string{"=", "!=", "<=", ">=", "<", ">"}

func (p *parser) comparison() (*node, error) {
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(comparisons, p.tok.is); i >= 0 {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.is("null") {
			return nil, errorAt(p.src, p.tok.pos, "no comparison with null is ever true; write %s is null", p.src[left.pos:left.end])
		}
		right, err := p.sum()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(comparisons, p.tok.is) {
			return nil, errorAt(p.src, p.tok.pos, "comparisons do not chain; write %s and %s %s …", p.src[left.pos:right.end], p.src[right.pos:right.end], p.tok.text)
		}
		return p.node(nodeBinary, left.pos, comparisons[i], left, right)
	}
	if ok, err := p.accept("is"); ok || err != nil {
		return p.isNull(left, err)
	}
	negated, err := p.accept("not")
	if err != nil {
		return nil, err
	}
	var n *node
	switch {
	case p.tok.is("between"):
		n, err = p.between(left)
	case p.tok.is("in"):
		n, err = p.in(left)
	case negated:
		return nil, p.unexpected("between or in")
	default:
		return left, nil
	}
	return p.negate(n, negated, err)
}

// negate puts a not above n if it is negated.
func (p *parser) negate(n *node, negated bool, err error) (*node, error) {
	if err != nil || !negated {
		return n, err
	}
	return p.node(nodeUnary, n.pos, "not", n)
}

func (p *parser) isNull(left *node, err error) (*node, error) {
	if err != nil {
		return nil, err
	}
	negated, err := p.accept("not")
	if err == nil {
		err = p.expect("null")
	}
	if err != nil {
		return nil, err
	}
	n, err := p.node(nodeIsNull, left.pos, "", left)
	return p.negate(n, negated, err)
}

func (p *parser) between(left *node) (*node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	lo, err := p.sum()
	if err == nil {
		err = p.expect("and")
	}
	if err != nil {
		return nil, err
	}
	hi, err := p.sum()
	if err != nil {
		return nil, err
	}
	return p.node(nodeBetween, left.pos, "", left, lo, hi)
}

func (p *parser) in(left *node) (*node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var list []Value
	for {
		v, err := p.item()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		more, err := p.accept(",")
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	n, err := p.node(nodeIn, left.pos, "", left)
	if err == nil {
		n.list = list
	}
	return n, err
}

// item parses an item of a list: a number, with its sign, or a text.
func (p *parser) item() (Value, error) {
	negative, err := p.accept("-")
	if err != nil {
		return Value{}, err
	}
	t := p.tok
	var v Value
	switch {
	case t.kind == tokenNumber:
		v, err = number(p.src, t, negative)
	case t.kind == tokenText && !negative:
		v = TextValue(t.text)
	default:
		return Value{}, p.unexpected("a number or a text in single quotes")
	}
	if err != nil {
		return Value{}, err
	}
	return v, p.advance()
}

func (p *parser) sum() (*node, error)  { return p.binary(p.term, "+", "-") }
func (p *parser) term() (*node, error) { return p.binary(p.sign, "*", "/", "//", "%") }

func (p *parser) sign() (*node, error) {
	if p.tok.kind != tokenSymbol || p.tok.text != "-" && p.tok.text != "+" {
		return p.power()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	t := p.tok
	if err := p.advance(); err != nil {
		return nil, err
	}
	if num := p.tok; t.text == "-" && num.kind == tokenNumber {
		// The sign belongs to a literal unless a power follows: -9223372036854775808
		// is an int64 although its digits alone are not.
		after, err := next(p.src, num.end)
		if err != nil {
			return nil, err
		}
		if !after.is("^") {
			v, err := number(p.src, num, true)
			if err == nil {
				err = p.advance()
			}
			if err != nil {
				return nil, err
			}
			return p.quantity(t.pos, v)
		}
	}
	operand, err := p.sign()
	if err != nil || t.text == "+" {
		return operand, err
	}
	return p.node(nodeUnary, t.pos, "-", operand)
}

func (p *parser) power() (*node, error) {
	base, err := p.primary()
	if err != nil || !p.tok.is("^") {
		return base, err
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.advance(); err != nil {
		return nil, err
	}
	exponent, err := p.sign()
	if err != nil {
		return nil, err
	}
	return p.node(nodeBinary, base.pos, "^", base, exponent)
}

// reserved are the words that a plain column name cannot be.
var reserved = []string{"and", "or", "not", "between", "in", "is", "null", "like"}

func (p *parser) primary() (*node, error) {
	t := p.tok
	switch {
	case t.kind == tokenNumber:
		v, err := number(p.src, t, false)
		if err == nil {
			err = p.advance()
		}
		if err != nil {
			return nil, err
		}
		return p.quantity(t.pos, v)
	case t.kind == tokenText:
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.literal(t.pos, TextValue(t.text))
	case t.kind == tokenQuoted:
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.column(t)
	case t.is("("):
		return p.parenthesis()
	case t.kind == tokenName:
		if slices.ContainsFunc(reserved, t.is) {
			return nil, p.unexpected(fmt.Sprintf("a value (a column of that name is written %q)", t.text))
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.is("(") {
			return p.call(t)
		}
		if v, ok := constants[strings.ToLower(t.text)]; ok {
			return p.literal(t.pos, v)
		}
		return p.column(t)
	}
	return nil, p.unexpected("a value")
}

// constants are the words that stand for values.
var constants = map[string]Value{
	"pi":    FloatValue(math.Pi),
	"true":  BoolValue(true),
	"false": BoolValue(false),
}

func (p *parser) literal(pos int, v Value) (*node, error) {
	n, err := p.node(nodeLiteral, pos, "")
	if err == nil {
		n.value = v
	}
	return n, err
}

func (p *parser) column(t token) (*node, error) {
	if !slices.Contains(p.columns, t.text) {
		p.columns = append(p.columns, t.text)
	}
	return p.node(nodeColumn, t.pos, t.text)
}

func (p *parser) parenthesis() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	pos := p.tok.pos
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.or()
	if err == nil {
		err = p.expect(")")
	}
	if err != nil {
		return nil, err
	}
	n.pos, n.end = pos, p.last // so that messages quote it with its parentheses
	return n, nil
}

// number returns the value of a number token: an integer if it has neither
// point nor exponent and fits 64 bits, otherwise the nearest float64.
func number(src string, t token, negative bool) (Value, error) {
	text := t.text
	if negative {
		text = "-" + text
	}
	if !strings.ContainsAny(text, ".eE") {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return IntValue(i), nil
		}
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			return UintValue(u), nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Value{}, errorAt(src, t.pos, "%s is beyond the range of a float64, ±1.8e308", text)
	}
	return FloatValue(f), nil
}
