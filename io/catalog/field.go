package catalog

// Type is what the values of a column are once read.
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
	Format string // "parquet", "fits", "votable", "csv", "ecsv", "arff"
	Rows   int64
	Bytes  int64

	Extension string // of a FITS file, as Options.Extension; "" is the first table
}

// Name is what Open is told to open the same table: the path, with the
// extension in brackets.
func (f File) Name() string {
	if f.Extension == "" {
		return f.Path
	}
	return f.Path + "[" + f.Extension + "]"
}
