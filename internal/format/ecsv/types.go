package ecsv

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// types are the datatypes that can be read; others are named by info. Python's own
// names and object stand in files of other programs, and in old ones.
var types = map[string]format.Type{
	"float64": format.Float64, "float32": format.Float32, "float16": format.Float32,
	"int64": format.Int64, "int32": format.Int32, "int16": format.Int16, "int8": format.Int8,
	"uint64": format.Uint64, "uint32": format.Uint32, "uint16": format.Uint16, "uint8": format.Uint8,
	"bool": format.Bool, "string": format.String,
	"float128": format.Float64, "float": format.Float64, "int": format.Int64, "str": format.String, "object": format.String,
}

// complexParts are the types of the real and the imaginary part of complex numbers.
var complexParts = map[string]format.Type{
	"complex64": format.Float32, "complex128": format.Float64, "complex256": format.Float64,
}

// datatypes are those that values are written as; lists are strings in the
// notation of JSON, and times are strings.
var datatypes = map[format.Type]string{
	format.Float64: "float64", format.Decimal: "float64", format.Float32: "float32",
	format.Int64: "int64", format.Int32: "int32", format.Int16: "int16", format.Int8: "int8",
	format.Uint64: "uint64", format.Uint32: "uint32", format.Uint16: "uint16", format.Uint8: "uint8",
	format.Bool: "bool", format.String: "string", format.Timestamp: "string", format.List: "string",
}

// A Notation is how the values of a column are written in cells.
type Notation uint8

const (
	Plain   Notation = iota
	JSON             // texts, which are JSON each
	Complex          // complex numbers, as (1+2j)
	Array            // lists, nested as Shape says
)

// Notation returns how the values of a column are written.
func (c Column) Notation() Notation {
	switch {
	case complexParts[c.Datatype] != format.Unsupported:
		return Complex
	case c.Datatype == "string" && c.Subtype == "json":
		return JSON
	case c.elem() != format.Unsupported:
		return Array
	}
	return Plain
}

// elem returns the type of the elements of arrays, which are strings with a subtype:
// float64[null] has any length, int16[3,2] six elements.
func (c Column) elem() format.Type {
	name, _, shaped := strings.Cut(c.Subtype, "[")
	if !shaped || types[c.Datatype] != format.String {
		return format.Unsupported
	}
	return types[strings.TrimSpace(name)]
}

// Shape returns the dimensions of an array, -1 for one of any length.
func (c Column) Shape() (dims []int) {
	_, shape, _ := strings.Cut(c.Subtype, "[")
	for d := range strings.SplitSeq(strings.TrimRight(shape, "] "), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(d))
		if err != nil {
			n = -1
		}
		dims = append(dims, n)
	}
	return dims
}

// Field returns the column as it is read, the i-th of its table: arrays and complex
// numbers, whose elements are the real and the imaginary part, as lists.
func (c Column) Field(i int) format.Field {
	f := format.Field{
		Name: format.ColumnName(c.Name, i), Type: types[c.Datatype], Text: c.Datatype,
		Unit: c.Unit, UCD: c.UCD, Description: c.Description,
	}
	if c.Subtype != "" {
		f.Text += " of " + c.Subtype
	}
	elem := c.elem()
	if part, ok := complexParts[c.Datatype]; ok {
		elem, f.Text = part, c.Datatype+" (complex: real, imaginary)"
	}
	if elem != format.Unsupported {
		e := f
		e.Type, e.Text, e.Nullable = elem, elem.String(), true
		f.Type, f.Elem = format.List, &e
		f.Layout = c.layout()
	}
	return f
}

// layout returns how the elements of lists are arranged.
func (c Column) layout() format.Layout {
	if complexParts[c.Datatype] != format.Unsupported {
		return format.Layout{Complex: true, Axes: "1"}
	}
	var axes []int64
	for _, d := range c.Shape() {
		if d < 0 {
			return format.Layout{}
		}
		axes = append([]int64{int64(d)}, axes...)
	}
	if c.elem() == format.String { // of any width
		axes = append([]int64{0}, axes...)
	}
	return format.Layout{Axes: format.AxesOf(axes...)}
}

// columnOf declares a field.
func columnOf(f format.Field) Column {
	c := Column{Name: f.Name, Datatype: datatypes[f.Type], Unit: f.Unit, UCD: f.UCD, Description: f.Description}
	if f.Type != format.List {
		return c
	}
	axes, count := f.Shape()
	switch name := cmp.Or(datatypes[f.Elem.Type], "string"); {
	case f.Layout.Complex && count == 2 && f.Elem.Type.IsFloat():
		c.Datatype = map[format.Type]string{format.Float32: "complex64", format.Float64: "complex128"}[f.Elem.Type]
	case count > 0 && !f.Layout.Complex:
		slices.Reverse(axes)
		c.Subtype = name + "[" + strings.ReplaceAll(format.AxesOf(axes...), "x", ",") + "]"
	default:
		c.Subtype = name + "[null]"
	}
	return c
}

// Changes implements [format.Output]: of complex numbers only one by one.
func Changes(f *format.Field) string {
	if _, count := f.Shape(); f.Layout.Complex && count != 2 {
		return "pairs of numbers"
	}
	return ""
}

// holds reports whether a column declared so has the values of a field.
func (c Column) holds(f format.Field) bool {
	own := c.Field(0)
	return own.Type == f.Type && (f.Type != format.List || own.Elem.Type == f.Elem.Type)
}
