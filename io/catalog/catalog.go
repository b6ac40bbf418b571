package catalog

import (
	"slices"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// Options says how files are opened and read. The zero value suits most catalogs.
type Options struct {
	Null    []string // sentinel values that are nulls, compared by value in numeric columns and as text in strings
	Threads int      // 0: GOMAXPROCS

	// Extension selects the table of FITS files by EXTNAME or number, where the
	// first extension is 1; "" selects the first table. A path can do the same:
	// events.fits[2], events.fits[GTI].
	Extension string

	// Format names the format of the files, such as "ascii" or "ipac"; "" finds it
	// from their content.
	Format string

	// Names are those of the columns of text files that have none.
	Names []string

	// Stdin is what the input "-" stands for; nil for a file of that name.
	Stdin *Stream

	// Let defines columns: "name = expression", in the language of row filters.
	// They follow the columns of the files.
	Let []string

	// Renamed maps former names of columns to their present names. The error for a
	// column that is missing then names its successor.
	Renamed map[string]string

	// Define defines further columns after those of Let, usually the
	// [Catalog.Definitions] of another catalog.
	Define []Definition
}

// A KeyValue is one entry of the metadata of a table.
type KeyValue struct{ Key, Value string }

// A Catalog is one table in one or more files. It is safe for concurrent use.
type Catalog struct {
	opt     Options
	pool    par.Pool
	files   []File
	sources []format.Reader
	first   []int64 // row of the catalog of each file's row 0
	rows    int64
	fields  []Field
	stored  int // fields that are in files; the others are derived
	hidden  int // of those that follow: RA and Dec of columns that have them in parts, which are in no table
	derived []*expr.Program
	angles  *angles
	copies  [][]*scratch   // of each file, where it cannot be read where it is
	index   map[string]int // of fields, by name
	refs    [][]int        // refs[file][field]: index into the file's own fields, -1 when it lacks the field
}

// Close releases the catalog.
func (c *Catalog) Close() error {
	c.sources = nil
	for _, s := range slices.Concat(c.copies...) {
		s.close()
	}
	c.copies = nil
	return nil
}

// Files returns the files in the order of their rows.
func (c *Catalog) Files() []File { return c.files }

// Fields returns the columns, in the order of the first file, then those that
// only later files have.
func (c *Catalog) Fields() []Field {
	if c.hidden == 0 {
		return c.fields
	}
	return slices.Concat(c.Stored(), c.Derived())
}

// Rows returns the number of rows of all files.
func (c *Catalog) Rows() int64 { return c.rows }

// Metadata returns the key-value metadata of the table: that of the first
// file, in its order.
func (c *Catalog) Metadata() []KeyValue { return c.MetadataOf(0) }

// MetadataOf returns the key-value metadata of a file, in its order.
func (c *Catalog) MetadataOf(file int) []KeyValue {
	var all []KeyValue
	for _, kv := range c.sources[file].Metadata() {
		all = append(all, KeyValue(kv))
	}
	return all
}
