package parquet

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"skyjoin/internal/format"
	"skyjoin/internal/pages"
)

// A leaf is a column of a Parquet file as it is stored.
type leaf struct {
	name     string
	physical pages.Physical
	length   int // bytes of a FixedLenByteArray
	maxDef   uint8
	maxRep   uint8
	elemDef  uint8       // definition level of an element of a list, null or not
	kind     format.Type // of the values, or of the elements of a list
	scale    int         // of a decimal, or of a timestamp in units of 10^-scale seconds
	layout   layout
}

// A layout tells apart values of one Type and physical type.
type layout uint8

const (
	asIs layout = iota
	asDate
	asFloat16
	asUUID
)

// maxLevel bounds the nesting of columns; deeper ones are Unsupported.
const maxLevel = 100

// parseSchema flattens the schema into leaves and, in the same order, fields.
// A leaf of a struct is named by its path with dots; where a flat column, or
// an earlier leaf, has that very name, it keeps it and the leaf is named with
// a suffix that no path has.
func (s *reader) parseSchema(root *schema.GroupNode) error {
	flat := map[string]bool{}
	for i := range root.NumFields() {
		if n := root.Field(i); n.Type() == schema.Primitive {
			if flat[n.Name()] {
				return fmt.Errorf("two columns are named %q", n.Name())
			}
			flat[n.Name()] = true
		}
	}
	for i := range root.NumFields() {
		s.tops = append(s.tops, root.Field(i).Name())
		s.addNode(root.Field(i), nil, leaf{}, flat)
	}
	return nil
}

// addNode adds the leaves below n. at carries the levels of the parent.
func (s *reader) addNode(n schema.Node, path []string, at leaf, taken map[string]bool) {
	path = append(path[:len(path):len(path)], n.Name())
	s.addBelow(n, path, at, taken)
}

// addBelow is addNode when the path is that of n already.
func (s *reader) addBelow(n schema.Node, path []string, at leaf, taken map[string]bool) {
	switch n.RepetitionType() {
	case parquet.Repetitions.Optional:
		at.maxDef++
	case parquet.Repetitions.Repeated:
		at.maxDef++
		at.maxRep++
		at.elemDef = at.maxDef
	}
	g, isGroup := n.(*schema.GroupNode)
	if !isGroup {
		s.addLeaf(n.(*schema.PrimitiveNode), path, at, taken)
		return
	}
	if at.maxDef >= maxLevel {
		return // absurd nesting: its leaves would have no levels
	}
	if isList(g) {
		inner := g.Field(0)
		if group, ok := inner.(*schema.GroupNode); ok && isListWrapper(g, group) {
			at.maxDef++
			at.maxRep++
			at.elemDef = at.maxDef
			s.addBelow(group.Field(0), path, at, taken)
			return
		}
		s.addBelow(inner, path, at, taken)
		return
	}
	for i := range g.NumFields() {
		s.addNode(g.Field(i), path, at, taken)
	}
}

// isList reports whether g is a list by its annotation, or by the layout that
// annotated lists have.
func isList(g *schema.GroupNode) bool {
	if g.NumFields() != 1 || g.Field(0).RepetitionType() != parquet.Repetitions.Repeated {
		return false
	}
	_, annotated := g.LogicalType().(schema.ListLogicalType)
	return annotated || g.ConvertedType() == schema.ConvertedTypes.List
}

// isListWrapper reports whether the repeated group in the list g only wraps
// the elements, as the format prescribes; older writers repeat the elements
// themselves.
func isListWrapper(g, repeated *schema.GroupNode) bool {
	return repeated.NumFields() == 1 && repeated.Name() != "array" && repeated.Name() != g.Name()+"_tuple"
}

func (s *reader) addLeaf(n *schema.PrimitiveNode, path []string, at leaf, taken map[string]bool) {
	l := at
	l.name = strings.Join(path, ".")
	if len(path) > 1 {
		for taken[l.name] {
			l.name += " (nested)"
		}
		taken[l.name] = true
	}
	l.physical, l.length = pages.Physical(n.PhysicalType()), max(n.TypeLength(), 0)
	text := l.setKind(n)
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
	pages.Boolean:           {format.Bool, "bool"},
	pages.Int32:             {format.Int32, "int32"},
	pages.Int64:             {format.Int64, "int64"},
	pages.Int96:             {format.Timestamp, "timestamp[ns] (int96)"},
	pages.Float:             {format.Float32, "float32"},
	pages.Double:            {format.Float64, "float64"},
	pages.ByteArray:         {format.String, "binary"},
	pages.FixedLenByteArray: {format.String, "binary"},
}

// setKind finds the type of the values of a leaf, and its text.
func (l *leaf) setKind(n *schema.PrimitiveNode) (text string) {
	if l.physical < 0 || int(l.physical) >= len(plainKinds) {
		return fmt.Sprintf("physical type %d", l.physical)
	}
	k := plainKinds[l.physical]
	switch t := n.LogicalType().(type) {
	case *schema.IntLogicalType:
		kind := fmt.Sprintf("int%d", t.BitWidth())
		if !t.IsSigned() {
			kind = "u" + kind
		}
		for t := format.Int64; t <= format.Uint8; t++ {
			if t.String() == kind {
				l.kind = t
			}
		}
		return kind
	case *schema.DecimalLogicalType:
		l.kind, l.scale = format.Decimal, int(t.Scale())
		return fmt.Sprintf("decimal(%d,%d)", t.Precision(), t.Scale())
	case *schema.TimestampLogicalType:
		l.kind = format.Timestamp
		l.scale, text = timeUnit(t.TimeUnit())
		return "timestamp[" + text + "]"
	case schema.DateLogicalType, *schema.DateLogicalType:
		l.kind, l.layout = format.Timestamp, asDate
		return "date"
	case *schema.TimeLogicalType:
		_, text = timeUnit(t.TimeUnit())
		return "time[" + text + "]"
	case schema.IntervalLogicalType, *schema.IntervalLogicalType:
		return "interval"
	case schema.Float16LogicalType, *schema.Float16LogicalType:
		l.kind, l.layout = format.Float32, asFloat16
		return "float16"
	case schema.UUIDLogicalType, *schema.UUIDLogicalType:
		l.kind, l.layout = format.String, asUUID
		return "uuid"
	case schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
		l.kind = format.String
		return "string"
	}
	l.kind = k.kind
	return k.text
}

// timeUnit returns the decimal exponent of a unit of time, and its symbol.
func timeUnit(u schema.TimeUnitType) (scale int, symbol string) {
	switch u {
	case schema.TimeUnitMillis:
		return 3, "ms"
	case schema.TimeUnitMicros:
		return 6, "us"
	}
	return 9, "ns"
}
