package catalog

import (
	"skyjoin/internal/format"
	"skyjoin/internal/hook"
)

// The types of this package and those that formats speak in are the same but
// for their names, so that what is public does not depend on what is internal.
// Values are shared, never copied.

// Package io/table reaches the readers, which copy files, and the types of formats.
func init() {
	hook.Provide("catalog.Readers", func(c *Catalog) []format.Reader { return c.sources })
	hook.Provide("catalog.RawField", Field.raw)
	hook.Provide("catalog.RawColumn", (*Column).raw)
}

func publicField(f format.Field) Field {
	p := Field{f.Name, Type(f.Type), f.Text, f.Nullable, f.Unit, f.UCD, f.Description, nil}
	if f.Elem != nil {
		e := publicField(*f.Elem)
		p.Elem = &e
	}
	return p
}

func (f Field) raw() format.Field {
	r := format.Field{
		Name: f.Name, Type: format.Type(f.Type), Text: f.Text, Nullable: f.Nullable,
		Unit: f.Unit, UCD: f.UCD, Description: f.Description,
	}
	if f.Elem != nil {
		e := f.Elem.raw()
		r.Elem = &e
	}
	return r
}

func publicColumn(c format.Column) Column {
	p := Column{publicField(c.Field), c.Float64, c.Float32, c.Int64, c.Uint64, c.Bool, c.String, nil, c.Null, c.Sentinels}
	if c.List != nil {
		p.List = &Lists{c.List.Offset, publicColumn(c.List.Elem)}
	}
	return p
}

func publicColumns(cols []format.Column) []Column {
	all := make([]Column, len(cols))
	for i, c := range cols {
		all[i] = publicColumn(c)
	}
	return all
}

func (c *Column) raw() format.Column {
	r := format.Column{
		Field: c.Field.raw(), Float64: c.Float64, Float32: c.Float32, Int64: c.Int64, Uint64: c.Uint64,
		Bool: c.Bool, String: c.String, Null: c.Null, Sentinels: c.sentinels,
	}
	if c.List != nil {
		r.List = &format.Lists{Offset: c.List.Offset, Elem: c.List.Elem.raw()}
	}
	return r
}

// String names the type as info prints it.
func (t Type) String() string { return format.Type(t).String() }

// IsNumber reports whether the values are numbers: coordinates, weights.
func (t Type) IsNumber() bool { return format.Type(t).IsNumber() }

// IsInteger reports whether the values are integers.
func (t Type) IsInteger() bool { return format.Type(t).IsInteger() }

func (t Type) storage() format.Storage { return format.Type(t).Storage() }

// makeColumn returns a column of n rows with the values of f's type, and room
// for nulls where there may be any.
func makeColumn(f Field, n int64, nulls bool) Column {
	return publicColumn(format.MakeColumn(f.raw(), n, nulls))
}

// Len returns the number of rows.
func (c *Column) Len() int {
	if c.List != nil {
		return len(c.List.Offset) - 1
	}
	return max(len(c.Float64), len(c.Float32), len(c.Int64), len(c.Uint64), len(c.Bool), len(c.String))
}

// IsNull reports whether row i is null.
func (c *Column) IsNull(i int) bool { return c.Null != nil && c.Null[i] }

// setNull makes row i null.
func (c *Column) setNull(i int) {
	r := c.raw()
	r.SetNull(i)
}

// text returns the value of row i as info prints it, "" for null.
func (c *Column) text(i int) string {
	r := c.raw()
	return r.Text(i)
}

// Slice returns rows [lo, hi) of the column. It shares its memory.
func (c *Column) Slice(lo, hi int) Column {
	r := c.raw()
	return publicColumn(r.Slice(lo, hi))
}

// append adds the rows of another column of the same type.
func (c *Column) append(more *Column) {
	r, m := c.raw(), more.raw()
	r.Append(&m)
	*c = publicColumn(r)
}
