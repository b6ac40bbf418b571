package format

import (
	"context"
	"io"
	"os"
)

// An Output writes files of one format.
type Output struct {
	Extension string // of names, with the dot, in lower case
	Also      string // another name of the format than that of the extension; "" for none
	// Create starts a table with the given fields.
	Create func(to Sink, fields []Field, opt WriteOptions) (Writer, error)
	// Changes says what becomes of the values of a column that the format cannot hold
	// as they are, as "text"; "" if it can. Changes nil: of all others [Flat].
	Changes func(f *Field) string
	// Plain says that cells have one value: lists have no place in the format.
	Plain bool
	// ASCII says that the writer wants to know which strings are ASCII.
	ASCII bool
	// Copies returns how files are copied as they are, with columns added; nil
	// if they cannot be. Copies nil copies none.
	Copies func(files []Reader) Copy
	// Group returns how many rows wait to be written together, see
	// WriteOptions.Memory. Group nil: a few.
	Group func(fields []Field, memory int64) int
}

// WriteOptions says how a table is written.
type WriteOptions struct {
	Metadata []KeyValue            // of the table, or added to what a copy has
	Replaced func(key string) bool // metadata that a copy leaves out; never nil
	Threads  int                   // that encode; 0: GOMAXPROCS. The bytes do not depend on it
	Progress func(rows int64)      // told the rows that a copy has written since the last call; never nil
	ASCII    map[string]bool       // columns of strings that are known to be ASCII
	Memory   int64                 // bytes that the rows which wait may take, about; 0 for what is convenient

	// Digits is how many significant digits the uncertainty of a value has in tables
	// for papers, and where the value ends, too; 0: all that there are. Uncertainty
	// says by field which column is that of its values.
	Digits      int
	Uncertainty map[int]Uncertainty
}

// An Uncertainty is the column of the uncertainties of another.
type Uncertainty struct {
	Column int     // index
	Per    float64 // its unit in that of the values
}

// IsUncertainty reports whether a column is that of the uncertainties of another.
func (o *WriteOptions) IsUncertainty(column int) bool {
	for _, u := range o.Uncertainty {
		if u.Column == column {
			return true
		}
	}
	return false
}

// A Writer writes rows.
type Writer interface {
	// Rows writes the next rows: one column for each field, at least one row.
	Rows(ctx context.Context, cols []Column) error
	// Close writes what is left.
	Close(ctx context.Context) error
}

// A Sink is a file in the making. Its errors name the output.
type Sink interface {
	io.Writer
	// CopyFrom appends n bytes of src from an offset on.
	CopyFrom(ctx context.Context, src *os.File, offset, n int64) error
	// Scratch returns an empty file on the file system of the output, which is
	// gone once the output is finished or given up.
	Scratch() (*os.File, error)
	// Failed names the output in an error of the scratch file.
	Failed(err error) error
}

// A Copy copies a table of one or more files, with columns added, which have as
// many rows.
type Copy func(ctx context.Context, to Sink, from Table, added Added, opt WriteOptions) error

// A Table is what is copied.
type Table struct {
	Fields []Field // of all files, in order
	Files  []File
}

// A File is a file of a table.
type File struct {
	Path string
	Reader
}

// Added are the columns that a copy has beside those of the files.
type Added interface {
	Fields() []Field
	// Advance makes the rows [lo, hi) available; lo must not be less than before.
	Advance(ctx context.Context, lo, hi int64) error
	// Block returns rows of field i that are available.
	Block(i int, lo, hi int64) Column
}
