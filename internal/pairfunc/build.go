package pairfunc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/expr"
)

// A Schema names the coordinates of the rows.
type Schema struct {
	// Coordinates are the columns of the vectors a and b, in order; those of b
	// have the names of a's where CoordinatesB is nil.
	Coordinates  []string
	CoordinatesB []string
	// Sides are the periods of the coordinates, 0 for none: differences are then those
	// of the nearest images. nil: none of them has one.
	Sides []float64
	// Position are three more columns of either row if Coordinates are RA and Dec in
	// degrees, and perhaps a distance: the unit vector, times the distance. r is then
	// the angle in degrees, with a distance the length between the positions. Positions
	// have no name that an expression can contain.
	Position []string
}

// further are the functions of vectors.
var further = map[string]int{"dot": 2, "norm": 1, "sum": 1}

// Compile turns an expression into a function. Errors name the place in it.
func Compile(src string, s Schema) (f *Function, err error) {
	e, err := expr.ParseWith(src, further)
	if err != nil {
		return nil, err
	}
	defer expr.Recover(&err)
	if s.CoordinatesB == nil {
		s.CoordinatesB = s.Coordinates
	}
	if len(s.CoordinatesB) != len(s.Coordinates) {
		return nil, fmt.Errorf("%d coordinates of a and %d of b, the numbers must agree", len(s.Coordinates), len(s.CoordinatesB))
	}
	if n := len(s.Sides); n > 0 && n != len(s.Coordinates) {
		return nil, fmt.Errorf("%d sides of a box and %d coordinates, the numbers must agree", n, len(s.Coordinates))
	}
	b := &builder{Schema: s, Source: e.Source, f: &Function{src: src}, known: map[node]*node{}}
	v := b.build(e.Tree())
	if v.vector {
		e.Fail(e.Tree().Pos, "%s is a vector; a function of two rows must be a number, or true or false (dot, norm and sum turn vectors into numbers)", src)
	}
	f = b.f
	f.root = v.of[0]
	f.keepUsed()
	f.commutes = f.symmetric()
	return f, nil
}

// A quantity is a scalar or a vector.
type quantity struct {
	of     []*node
	vector bool
}

type builder struct {
	Schema
	expr.Source
	f     *Function
	known map[node]*node
}

// node returns the node equal to n, which there is only once.
func (b *builder) node(n node) *node {
	if have := b.known[n]; have != nil {
		return have
	}
	made := n
	made.id = len(b.f.nodes)
	b.known[n] = &made
	b.f.nodes = append(b.f.nodes, &made)
	return &made
}

func (b *builder) constant(v float64) *node { return b.node(node{op: opConst, value: v}) }

// apply makes the node of an operation.
func (b *builder) apply(o op, args ...*node) *node {
	n := node{op: o, truth: operations[o].truth}
	for i, a := range args {
		n.args[i] = a
		n.rows |= a.rows
	}
	return b.node(n)
}

// load makes the node of a column of row a or b.
func (b *builder) load(o op, name string) *node {
	columns, rows := &b.f.columnsA, uint8(ofA)
	if o == opB {
		columns, rows = &b.f.columnsB, ofB
	}
	k := slices.Index(*columns, name)
	if k < 0 {
		k = len(*columns)
		*columns = append(*columns, name)
	}
	return b.node(node{op: o, column: k, rows: rows})
}

func scalar(n *node) quantity { return quantity{of: []*node{n}} }

func (b *builder) build(t *expr.Node) quantity {
	switch t.Kind {
	case expr.Literal:
		return scalar(b.literal(t))
	case expr.Column:
		return b.name(t)
	case expr.IsNull:
		b.Fail(t.Pos, "rows without a value are left out, so nothing is null here")
	case expr.Between:
		return b.build(operator(t, "and", operator(t, ">=", t.Args[0], t.Args[1]), operator(t, "<=", t.Args[0], t.Args[2])))
	case expr.In:
		var any *expr.Node
		for _, v := range t.List {
			is := operator(t, "=", t.Args[0], &expr.Node{Kind: expr.Literal, Value: v, Pos: t.Pos})
			if any != nil {
				is = operator(t, "or", any, is)
			}
			any = is
		}
		return b.build(any)
	}
	args := each.Of(t.Args, b.build)
	switch t.Text {
	case "dot", "norm", "sum":
		return b.reduce(t, args)
	case "min", "max":
		v := args[0]
		for _, w := range args[1:] {
			v = b.elements(t, named[t.Text], v, w)
		}
		return v
	case ">", ">=":
		return b.elements(t, named["<"+t.Text[1:]], args[1], args[0])
	case "^":
		return b.power(t, args)
	case "-":
		if len(args) == 1 {
			return b.elements(t, opNeg, args[0])
		}
	}
	o, ok := named[t.Text]
	if !ok {
		b.Fail(t.Pos, "%s cannot be used in a function of two rows", t.Text)
	}
	return b.elements(t, o, args...)
}

// operator returns an operator at the place of t.
func operator(t *expr.Node, text string, a, b *expr.Node) *expr.Node {
	return &expr.Node{Kind: expr.Operator, Text: text, Args: []*expr.Node{a, b}, Pos: t.Pos}
}

func (b *builder) literal(t *expr.Node) *node {
	switch v := t.Value; v.Type() {
	case expr.Bool:
		return b.node(node{op: opTruth, value: truth(v.Bool()), truth: true})
	case expr.String:
		b.Fail(t.Pos, "'%s' is text; functions of two rows take numbers", v.Text())
	}
	return b.constant(t.Value.Float())
}

// elements applies an operation to scalars, or to vectors element by element.
func (b *builder) elements(t *expr.Node, o op, args ...quantity) quantity {
	out, n, what := quantity{}, 1, operations[o]
	for _, a := range args {
		if a.vector {
			out.vector, n = true, len(a.of)
		}
		if a.of[0].truth != what.truths {
			b.Fail(t.Pos, "%s takes %s", what.name, map[bool]string{true: "true or false, such as comparisons", false: "numbers"}[what.truths])
		}
	}
	if out.vector && what.truth {
		b.Fail(t.Pos, "%s compares numbers, not vectors", what.name)
	}
	for k := range n {
		var of []*node
		for _, a := range args {
			of = append(of, a.of[min(k, len(a.of)-1)])
		}
		out.of = append(out.of, b.apply(o, of...))
	}
	return out
}

// reduce makes a scalar of vectors. Sums are taken from the first element on.
func (b *builder) reduce(t *expr.Node, args []quantity) quantity {
	for _, a := range args {
		if !a.vector {
			b.Fail(t.Pos, "%s takes vectors, such as a, b or a - b", t.Text)
		}
	}
	u, v := args[0], args[len(args)-1]
	var sum *node
	for k, term := range u.of {
		if t.Text != "sum" {
			term = b.apply(opMul, term, v.of[k])
		}
		if sum != nil {
			term = b.apply(opAdd, sum, term)
		}
		sum = term
	}
	if t.Text == "norm" {
		sum = b.apply(opSqrt, sum)
	}
	return scalar(sum)
}

// power makes products of small whole powers.
func (b *builder) power(t *expr.Node, args []quantity) quantity {
	if e := args[1].of[0]; e.op == opConst && !args[1].vector {
		switch e.value {
		case 0.5:
			return b.elements(t, opSqrt, args[0])
		case 1, 2, 3, 4:
			v := args[0]
			for range int(e.value) - 1 {
				v = b.elements(t, opMul, v, args[0])
			}
			return v
		}
	}
	return b.elements(t, opPow, args...)
}

// name returns what a name stands for: a column, a coordinate or a vector.
func (b *builder) name(t *expr.Node) quantity {
	name := t.Text
	row, names := opA, b.Coordinates
	if name[0] == 'b' {
		row, names = opB, b.CoordinatesB
	}
	side, column, ok := strings.Cut(name, ".")
	if ok && (side == "a" || side == "b") && column != "" {
		b.f.named = append(b.f.named, namedColumn{side == "b", column, func(err error) error { return b.ErrorAt(t.Pos, "%v", err) }})
		return scalar(b.load(row, column))
	}
	b.f.vectors = true // or the name is an error
	if strings.HasPrefix(name, "a[") || strings.HasPrefix(name, "b[") {
		k, err := strconv.Atoi(strings.TrimSuffix(name[2:], "]"))
		if err != nil || k >= len(names) {
			b.Fail(t.Pos, "%s: there are %d coordinates, from [0] on", name, len(names))
		}
		return scalar(b.load(row, names[k]))
	}
	difference := -1
	if len(name) > 1 && name[0] == 'd' {
		difference = b.difference(name[1:])
	}
	if len(names) == 0 && (name == "a" || name == "b" || name == "r" || difference >= 0) {
		b.Fail(t.Pos, "%s needs coordinates: name their columns", name)
	}
	v := quantity{vector: true}
	switch {
	case name == "a" || name == "b":
		for _, c := range names {
			v.of = append(v.of, b.load(row, c))
		}
		return v
	case name == "r" && b.Position != nil:
		return scalar(b.separation())
	case name == "r":
		for k := range names {
			v.of = append(v.of, b.delta(k))
		}
		return b.reduce(&expr.Node{Text: "norm", Pos: t.Pos}, []quantity{v})
	case difference >= 0 && difference < len(names):
		return scalar(b.delta(difference))
	}
	b.Fail(t.Pos, "%s belongs to neither row; columns are written a.%s and b.%s", name, name, name)
	return v
}

// delta is the difference of a coordinate, of one with a period that to the nearest
// image.
func (b *builder) delta(k int) *node {
	x, y := b.load(opA, b.Coordinates[k]), b.load(opB, b.CoordinatesB[k])
	if len(b.Sides) == 0 || b.Sides[k] == 0 {
		return b.apply(opSub, x, y)
	}
	side := b.constant(b.Sides[k])
	inside := named["%"]
	return b.apply(opImage, b.apply(opSub, b.apply(inside, x, side), b.apply(inside, y, side)), side)
}

// separation is r of positions: 2·atan2(|a-b|, |a+b|) in degrees, or |a-b| if they
// have distances.
func (b *builder) separation() *node {
	length := func(o op) *node {
		v := quantity{vector: true}
		for _, name := range b.Position {
			v.of = append(v.of, b.apply(o, b.load(opA, name), b.load(opB, name)))
		}
		return b.reduce(&expr.Node{Text: "norm"}, []quantity{v}).of[0]
	}
	apart := length(opSub)
	if len(b.Coordinates) > 2 {
		return apart
	}
	half := b.apply(named["atan2"], apart, length(opAdd))
	return b.apply(named["degrees"], b.apply(opMul, b.constant(2), half))
}

// difference returns the coordinate of that name, -1 if there is none.
func (b *builder) difference(name string) int {
	if k := slices.Index(b.Coordinates, name); k >= 0 {
		return k
	}
	return slices.Index([]string{"x", "y", "z"}, name)
}

// keepUsed drops nodes and columns that the value does not need. Constants are few,
// and are not folded.
func (f *Function) keepUsed() {
	used := map[*node]bool{}
	var mark func(n *node)
	mark = func(n *node) {
		if n == nil || used[n] {
			return
		}
		used[n] = true
		mark(n.args[0])
		mark(n.args[1])
	}
	mark(f.root)
	f.nodes = slices.DeleteFunc(f.nodes, func(n *node) bool { return !used[n] })
	for side, columns := range map[op]*[]string{opA: &f.columnsA, opB: &f.columnsB} {
		var kept []string
		for k, name := range *columns {
			for _, n := range f.nodes {
				if n.op == side && n.column == k {
					n.column = len(kept)
					kept = append(kept, name)
					break
				}
			}
		}
		*columns = kept
	}
	for i, n := range f.nodes {
		n.id = i
	}
}
