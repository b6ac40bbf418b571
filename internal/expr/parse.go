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

// Parse parses an expression. Errors are of type *[Error].
func Parse(src string) (*Expr, error) { return ParseWith(src, nil) }

// ParseWith is Parse for a language with further functions, given with their
// number of arguments. Such an expression cannot be compiled here.
func ParseWith(src string, more map[string]int) (e *Expr, err error) {
	defer Recover(&err)
	p := &parser{Source: Source(src), more: more}
	if len(src) > maxSource {
		p.Fail(0, "the expression has %d bytes, at most %d are allowed", len(src), maxSource)
	}
	p.advance()
	if p.tok.kind == tokenEnd {
		p.Fail(0, "the expression is empty")
	}
	root := p.or()
	if p.tok.kind != tokenEnd {
		p.unexpected("an operator or the end")
	}
	return &Expr{p.Source, root, p.columns}, nil
}

// A parser holds the current token; each method parses one level of
// precedence.
type parser struct {
	Source
	tok     token
	last    int // end of the token before tok
	depth   int
	nodes   int
	columns []string
	more    map[string]int // further functions, with their number of arguments
}

func (p *parser) advance() { p.last, p.tok = p.tok.end, p.next(p.tok.end) }

// take returns the token and steps over it.
func (p *parser) take() token {
	t := p.tok
	p.advance()
	return t
}

// accept steps over the token if it is s.
func (p *parser) accept(s string) bool {
	if !p.tok.is(s) {
		return false
	}
	p.advance()
	return true
}

// expect steps over the token, which must be s.
func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.unexpected(s)
	}
}

func (p *parser) unexpected(want string) {
	if p.tok.kind == tokenEnd {
		p.Fail(p.tok.pos, "the expression ends where %s was expected", want)
	}
	p.Fail(p.tok.pos, "unexpected %s, expected %s", p.Source[p.tok.pos:p.tok.end], want)
}

// enter counts a level of nesting, which leave ends.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.Fail(p.tok.pos, "the expression is nested more than %d levels deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// node adds a node that starts at byte pos and ends before the current token.
func (p *parser) node(kind NodeKind, pos int, text string, args ...*Node) *Node {
	if p.nodes++; p.nodes > maxNodes {
		p.Fail(pos, "the expression has more than %d operators and operands; use in (…) for long lists", maxNodes)
	}
	return &Node{Kind: kind, Text: text, Args: args, Pos: pos, end: p.last}
}

// binary parses operands of the level below joined by one of ops, to the left.
func (p *parser) binary(operand func() *Node, ops ...string) *Node {
	left := operand()
	for {
		i := slices.IndexFunc(ops, p.tok.is)
		if i < 0 {
			return left
		}
		p.advance()
		right := operand()
		left = p.node(Operator, left.Pos, ops[i], left, right)
	}
}

func (p *parser) or() *Node  { return p.binary(p.and, "or") }
func (p *parser) and() *Node { return p.binary(p.not, "and") }

func (p *parser) not() *Node {
	if !p.tok.is("not") {
		return p.comparison()
	}
	p.enter()
	defer p.leave()
	pos := p.take().pos
	operand := p.not()
	return p.node(Operator, pos, "not", operand)
}

// comparisons are the operators whose operands are sums; they do not chain.
var comparisons = []string{"=", "!=", "<=", ">=", "<", ">"}

func (p *parser) comparison() *Node {
	left := p.sum()
	if i := slices.IndexFunc(comparisons, p.tok.is); i >= 0 {
		p.advance()
		if p.tok.is("null") {
			p.Fail(p.tok.pos, "no comparison with null is ever true; write %s is null", p.text(left))
		}
		right := p.sum()
		if slices.ContainsFunc(comparisons, p.tok.is) {
			p.Fail(p.tok.pos, "comparisons do not chain; write %s and %s %s …", p.Source[left.Pos:right.end], p.text(right), p.tok.text)
		}
		return p.node(Operator, left.Pos, comparisons[i], left, right)
	}
	if p.accept("is") {
		negated := p.accept("not")
		p.expect("null")
		return p.negate(p.node(IsNull, left.Pos, "", left), negated)
	}
	negated := p.accept("not")
	switch {
	case p.accept("between"):
		lo := p.sum()
		p.expect("and")
		hi := p.sum()
		return p.negate(p.node(Between, left.Pos, "", left, lo, hi), negated)
	case p.accept("in"):
		list := p.list()
		n := p.node(In, left.Pos, "", left)
		n.List = list
		return p.negate(n, negated)
	case negated:
		p.unexpected("between or in")
	}
	return left
}

// negate puts a not above n if it is negated.
func (p *parser) negate(n *Node, negated bool) *Node {
	if !negated {
		return n
	}
	return p.node(Operator, n.Pos, "not", n)
}

// list parses the items of a list: numbers, with their signs, or texts.
func (p *parser) list() (list []Value) {
	p.expect("(")
	for {
		negative := p.accept("-")
		switch t := p.tok; {
		case t.kind == tokenNumber:
			list = append(list, p.number(t, negative))
		case t.kind == tokenText && !negative:
			list = append(list, TextValue(t.text))
		default:
			p.unexpected("a number or text in single quotes")
		}
		p.advance()
		if !p.accept(",") {
			p.expect(")")
			return list
		}
	}
}

func (p *parser) sum() *Node  { return p.binary(p.term, "+", "-") }
func (p *parser) term() *Node { return p.binary(p.sign, "*", "/", "//", "%") }

func (p *parser) sign() *Node {
	if p.tok.kind != tokenSymbol || p.tok.text != "-" && p.tok.text != "+" {
		return p.power()
	}
	p.enter()
	defer p.leave()
	t := p.take()
	// The sign belongs to a literal unless a power follows: -9223372036854775808
	// is an int64 although its digits alone are not.
	if t.text == "-" && p.tok.kind == tokenNumber && !p.next(p.tok.end).is("^") {
		return p.quantity(t.pos, true)
	}
	operand := p.sign()
	if t.text == "+" {
		return operand
	}
	return p.node(Operator, t.pos, "-", operand)
}

func (p *parser) power() *Node {
	base := p.primary()
	if !p.tok.is("^") {
		return base
	}
	p.enter()
	defer p.leave()
	p.advance()
	exponent := p.sign()
	return p.node(Operator, base.Pos, "^", base, exponent)
}

// reserved are the words that a plain column name cannot be.
var reserved = []string{"and", "or", "not", "between", "in", "is", "null", "like"}

func (p *parser) primary() *Node {
	switch t := p.tok; {
	case t.kind == tokenNumber:
		return p.quantity(t.pos, false)
	case t.kind == tokenText:
		p.advance()
		return p.literal(t.pos, TextValue(t.text))
	case t.kind == tokenQuoted:
		p.advance()
		return p.column(t)
	case t.is("("):
		return p.parenthesis()
	case t.kind == tokenName:
		if slices.ContainsFunc(reserved, t.is) {
			p.unexpected(fmt.Sprintf("a value (a column of that name is written %q)", t.text))
		}
		p.advance()
		if p.tok.is("(") {
			return p.call(t)
		}
		if v, ok := constants[strings.ToLower(t.text)]; ok {
			return p.literal(t.pos, v)
		}
		return p.column(t)
	}
	p.unexpected("a value")
	return nil
}

// constants are the words that stand for values.
var constants = map[string]Value{
	"pi":    FloatValue(math.Pi),
	"true":  BoolValue(true),
	"false": BoolValue(false),
}

func (p *parser) literal(pos int, v Value) *Node {
	n := p.node(Literal, pos, "")
	n.Value = v
	return n
}

// quantity parses a number with the unit that may follow it. pos is where it
// begins, with its sign.
func (p *parser) quantity(pos int, negative bool) *Node {
	v := p.number(p.tok, negative)
	p.advance()
	n := p.literal(pos, v)
	if p.tok.kind != tokenName || !isUnit(p.tok.text) {
		return n // another name here is an error, which the caller reports
	}
	n.Text = p.take().text
	if p.tok.is("/") { // units are divided, quantities are not
		per := p.next(p.tok.end)
		if per.kind == tokenName && isUnit(n.Text+"/"+per.text) {
			n.Text += "/" + per.text
			p.tok = per
			p.advance()
		}
	}
	n.end = p.last
	return n
}

func (p *parser) column(t token) *Node {
	if !slices.Contains(p.columns, t.text) {
		p.columns = append(p.columns, t.text)
	}
	return p.node(Column, t.pos, t.text)
}

func (p *parser) parenthesis() *Node {
	p.enter()
	defer p.leave()
	pos := p.take().pos
	n := p.or()
	p.expect(")")
	n.Pos, n.end = pos, p.last // so that messages quote it with its parentheses
	return n
}

// call parses the arguments of the function named by t.
func (p *parser) call(t token) *Node {
	name := strings.ToLower(t.text)
	f, ok := functions[name]
	if n, further := p.more[name]; further {
		f, ok = function{minArgs: n, maxArgs: n}, true
	}
	if !ok {
		p.Fail(t.pos, "unknown function %s%s", t.text, suggestion(name, p.more))
	}
	p.enter()
	defer p.leave()
	p.advance()
	var args []*Node
	for more := !p.tok.is(")"); more; more = p.accept(",") {
		args = append(args, p.or())
	}
	p.expect(")")
	if len(args) < f.minArgs || len(args) > f.maxArgs {
		p.Fail(t.pos, "%s takes %s, not %d", name, f.arity(), len(args))
	}
	return p.node(Call, t.pos, name, args...)
}

// number returns the value of a number token: an integer if it has neither
// point nor exponent and fits 64 bits, otherwise the nearest float64.
func (s Source) number(t token, negative bool) Value {
	text := t.text
	if negative {
		text = "-" + text
	}
	if !strings.ContainsAny(text, ".eE") {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return IntValue(i)
		}
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			return UintValue(u)
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.Fail(t.pos, "%s is beyond the range of a float64, ±1.8e308", text)
	}
	return FloatValue(f)
}
