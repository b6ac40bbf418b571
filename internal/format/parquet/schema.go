package parquet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"skyjoin/internal/format"
)

// A leaf is a column of a Parquet file as it is stored.
type leaf struct {
	name     string
	physical Physical
	length   int // bytes of a FixedLenByteArray
	maxDef   uint8
	maxRep   uint8
	lists    []uint8 // definition level of an element, null or not, of each list around the values, outermost first
	meaning  logicalType
	kind     format.Type // of the values, or of the elements of a list
	scale    int         // of a decimal, or of a timestamp in units of 10^-scale seconds
	layout   valueLayout
	lost     string // why the values cannot be read; "" if they can
}

// A valueLayout tells apart values of one Type and physical type.
type valueLayout uint8

const (
	asIs valueLayout = iota
	asDate
	asFloat16
	asUUID
)

const (
	maxLevel = 100 // of the nesting of lists and nullable groups; deeper columns have no levels
	maxDepth = 500 // of the nesting of groups
)

var errSchema = errors.New("the schema in the footer is damaged")

// A node is an element of a schema with those below it.
type node struct {
	*schemaElement
	nodes []node
}

// tree makes the node of the first element, and returns the elements after it.
func tree(elements []schemaElement, depth int) (node, []schemaElement, error) {
	if len(elements) == 0 || depth == maxDepth {
		return node{}, nil, errSchema
	}
	n := node{schemaElement: &elements[0]}
	elements = elements[1:]
	for range or(n.Children) {
		child, rest, err := tree(elements, depth+1)
		if err != nil {
			return n, nil, err
		}
		n.nodes, elements = append(n.nodes, child), rest
	}
	return n, elements, nil
}

// A shape is a schema made flat.
type shape struct {
	leaves []leaf         // in file order
	field  []format.Field // of each leaf
	tops   []string       // names of the columns, of structs too
}

// parse flattens the schema into leaves and, in the same order, fields.
// A leaf of a struct is named by its path with dots; where a flat column, or
// an earlier leaf, has that very name, it keeps it and the leaf is named with
// a suffix that no path has.
func (s *shape) parse(elements []schemaElement) error {
	root, rest, err := tree(elements, 0)
	if err == nil && len(rest) > 0 {
		err = errSchema
	}
	if err != nil {
		return err
	}
	flat := map[string]bool{}
	for _, n := range root.nodes {
		if n.isLeaf() {
			if flat[n.Name] {
				return fmt.Errorf("two columns are named %q", n.Name)
			}
			flat[n.Name] = true
		}
		s.tops = append(s.tops, n.Name)
	}
	for _, n := range root.nodes {
		s.addNode(n, []string{n.Name}, leaf{}, flat)
	}
	return format.FewColumns(len(s.leaves))
}

// addNode adds the leaves below n, of which path is the name. at carries the
// levels of the parent.
func (s *shape) addNode(n node, path []string, at leaf, taken map[string]bool) {
	switch or(n.Repetition) {
	case optional:
		at.maxDef++
	case repeated:
		at.repeat()
	}
	switch {
	case n.isLeaf():
		s.addLeaf(n.schemaElement, path, at, taken)
	case at.maxDef >= maxLevel: // absurd nesting
	case n.isList():
		inner := n.nodes[0]
		if n.wraps(inner) {
			at.repeat()
			inner = inner.nodes[0]
		}
		s.addNode(inner, path, at, taken)
	default:
		for _, child := range n.nodes {
			s.addNode(child, append(path[:len(path):len(path)], child.Name), at, taken)
		}
	}
}

func (e *schemaElement) isLeaf() bool { return e.Physical != nil && or(e.Children) == 0 }

// repeat adds the level of a list.
func (l *leaf) repeat() {
	l.maxDef++
	l.maxRep++
	l.lists = append(l.lists[:len(l.lists):len(l.lists)], l.maxDef)
}

// isList reports whether a group is a list by its annotation, and by the layout
// that annotated lists have.
func (n node) isList() bool {
	return len(n.nodes) == 1 && or(n.nodes[0].Repetition) == repeated && n.means().List != nil
}

// wraps reports whether the repeated group in a list only wraps the elements, as
// the format prescribes; older writers repeat the elements themselves.
func (n node) wraps(inner node) bool {
	return len(inner.nodes) == 1 && inner.Name != "array" && inner.Name != n.Name+"_tuple"
}

func (s *shape) addLeaf(e *schemaElement, path []string, at leaf, taken map[string]bool) {
	l := at
	l.name = strings.Join(path, ".")
	if len(path) > 1 {
		for taken[l.name] {
			l.name += " (nested)"
		}
		taken[l.name] = true
	}
	l.physical, l.length, l.meaning = Physical(or(e.Physical)), max(int(or(e.Length)), 0), e.means()
	if !l.canMean() {
		l.meaning = logicalType{} // what readers do with meanings that they do not know
	}
	text := l.setKind()
	f := format.Field{Name: l.name, Type: l.kind, Text: text, Nullable: l.maxDef > 0}
	switch {
	case l.maxRep == 1:
		f.Text = "list<" + text + ">"
		if l.kind != format.Unsupported {
			f.Elem = &format.Field{Name: l.name, Type: l.kind, Text: text, Nullable: true}
			f.Type = format.List
		}
	case l.maxRep > 1:
		f.Text, f.Type = strings.Repeat("list<", int(l.maxRep))+text+strings.Repeat(">", int(l.maxRep)), format.Unsupported
	}
	s.leaves = append(s.leaves, l)
	s.field = append(s.field, f)
}

// plainKinds are the types of leaves without annotation.
var plainKinds = [...]struct {
	kind format.Type
	text string
}{
	Boolean:           {format.Bool, "bool"},
	Int32:             {format.Int32, "int32"},
	Int64:             {format.Int64, "int64"},
	Int96:             {format.Timestamp, "timestamp[ns] (int96)"},
	Float:             {format.Float32, "float32"},
	Double:            {format.Float64, "float64"},
	ByteArray:         {format.String, "binary"},
	FixedLenByteArray: {format.String, "binary"},
}

// canMean reports whether values of the physical type can mean what the annotation of
// the leaf says.
func (l *leaf) canMean() bool {
	is := func(types ...Physical) bool { return slices.Contains(types, l.physical) }
	switch m := &l.meaning; {
	case m.Integer != nil && m.Integer.Width == 64:
		return is(Int64)
	case m.Integer != nil:
		return is(Int32) && slices.Contains([]int8{8, 16, 32}, m.Integer.Width)
	case m.Decimal != nil:
		return 0 <= m.Decimal.Scale && m.Decimal.Scale <= m.Decimal.Precision && is(Int32, Int64, ByteArray, FixedLenByteArray)
	case m.Timestamp != nil:
		return is(Int64)
	case m.Date != nil:
		return is(Int32)
	case m.Time != nil:
		return is(Int32, Int64)
	case m.Interval != nil:
		return is(FixedLenByteArray)
	case m.String != nil || m.Enum != nil || m.JSON != nil:
		return is(ByteArray, FixedLenByteArray)
	}
	return true
}

// setKind finds the type of the values of a leaf, and its text.
func (l *leaf) setKind() (text string) {
	if l.physical < 0 || int(l.physical) >= len(plainKinds) {
		return fmt.Sprintf("physical type %d", l.physical)
	}
	switch m := &l.meaning; {
	case m.Integer != nil:
		kind := fmt.Sprintf("int%d", m.Integer.Width)
		if !m.Integer.Signed {
			kind = "u" + kind
		}
		for t := format.Int64; t <= format.Uint8; t++ {
			if t.String() == kind {
				l.kind = t
			}
		}
		return kind
	case m.Decimal != nil:
		l.kind, l.scale = format.Decimal, int(m.Decimal.Scale)
		return fmt.Sprintf("decimal(%d,%d)", m.Decimal.Precision, m.Decimal.Scale)
	case m.Timestamp != nil:
		l.kind = format.Timestamp
		l.scale, text = m.Timestamp.Unit.symbol()
		return "timestamp[" + text + "]"
	case m.Date != nil:
		l.kind, l.layout = format.Timestamp, asDate
		return "date"
	case m.Time != nil:
		_, text = m.Time.Unit.symbol()
		return "time[" + text + "]"
	case m.Interval != nil:
		return "interval"
	case m.Float16 != nil && l.length == 2:
		l.kind, l.layout = format.Float32, asFloat16
		return "float16"
	case m.UUID != nil && l.length == 16:
		l.kind, l.layout = format.String, asUUID
		return "uuid"
	case m.String != nil || m.Enum != nil || m.JSON != nil:
		l.kind = format.String
		return "string"
	}
	k := plainKinds[l.physical]
	l.kind = k.kind
	return k.text
}

// symbol returns the decimal exponent of a unit of time, and its symbol.
func (u timeUnit) symbol() (scale int, symbol string) {
	switch {
	case u.Millis != nil:
		return 3, "ms"
	case u.Micros != nil:
		return 6, "us"
	}
	return 9, "ns"
}
