package catalog

import (
	"skyjoin/internal/each"
	"skyjoin/internal/format"
	"skyjoin/internal/hook"
)

// Type is the type of the values of a column once read.
type Type uint8

// The types. Every integer column keeps its width and signedness in
// Field.Type; Column holds signed ones as int64 and unsigned ones as uint64.
const (
	Unsupported Type = iota // named by info, an error only when asked for
	Float64
	Float32
	Int64
	Int32
	Int16
	Int8
	Uint64
	Uint32
	Uint16
	Uint8
	Bool
	String
	Timestamp // read as Float64: Unix seconds
	Decimal   // read as Float64: the nearest to integer / 10^scale
	List      // addressed by element: pos[0]
)

// A Field describes one column of a catalog.
type Field struct {
	Name        string // exactly as in the file
	Type        Type
	Text        string // the file's own type, for people: "DECIMAL(7,2)", "list<float>"
	Nullable    bool
	Unit        string // "" if the file does not say
	UCD         string
	Description string
	Elem        *Field // of a List

	layout format.Layout // for outputs that keep it
}

// A Column is one column of a catalog in memory; exactly one of its value
// slices is set (all empty for no rows). The value of a null row is 0, or NaN
// for floats, and is not to be used.
type Column struct {
	Field   Field
	Float64 []float64
	Float32 []float32
	Int64   []int64
	Uint64  []uint64
	Bool    []bool
	String  []string
	List    *Lists // of [Catalog.ReadAll] only
	Null    []bool // nil when no row is null

	sentinels []bool // rows that a sentinel made null; nil if none
}

// Lists are the values of a column of lists: row i has the elements
// [Offset[i], Offset[i+1]) of Elem.
type Lists struct {
	Offset []int64 // one more than rows
	Elem   Column
}

// A File is one file of a catalog.
type File struct {
	Path   string
	Format string // "parquet", "fits", "votable", "csv", "ecsv", "ascii", "ipac", …
	Rows   int64
	Bytes  int64

	Extension string // of a FITS file, as Options.Extension; "" is the first table

	Notes []string // how it is read, where that had to be found out

	Beside string // the file that has the rows of a VOTable, where it names one
}

// Name is the argument of Open for the same table: the path, with the extension
// in brackets if there is one.
func (f File) Name() string {
	if f.Extension == "" {
		return f.Path
	}
	return f.Path + "[" + f.Extension + "]"
}

// Fields and columns have two sets of types with the same structure: the public
// ones of this package and those of internal/format. Conversions share the values.

// Package io/table reaches the readers, which copy files, and the types of formats.
func init() {
	hook.Provide("catalog.Readers", func(c *Catalog) []format.Reader { return c.sources })
	hook.Provide("catalog.RawField", Field.raw)
	hook.Provide("catalog.RawColumn", (*Column).raw)
}

func publicField(f format.Field) Field {
	p := Field{f.Name, Type(f.Type), f.Text, f.Nullable, f.Unit, f.UCD, f.Description, nil, f.Layout}
	if f.Elem != nil {
		e := publicField(*f.Elem)
		p.Elem = &e
	}
	return p
}

func (f Field) raw() format.Field {
	r := format.Field{
		Name: f.Name, Type: format.Type(f.Type), Text: f.Text, Nullable: f.Nullable,
		Unit: f.Unit, UCD: f.UCD, Description: f.Description, Layout: f.layout,
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
	return each.Of(cols, publicColumn)
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

// Len returns the number of rows.
func (c *Column) Len() int {
	if c.List != nil {
		return len(c.List.Offset) - 1
	}
	return max(len(c.Float64), len(c.Float32), len(c.Int64), len(c.Uint64), len(c.Bool), len(c.String))
}

// IsNull reports whether row i is null.
func (c *Column) IsNull(i int) bool { return c.Null != nil && c.Null[i] }

// Slice returns rows [lo, hi) of the column. It shares its memory.
func (c *Column) Slice(lo, hi int) Column {
	r := c.raw()
	return publicColumn(r.Slice(lo, hi))
}
