package catalog

import (
	"context"
	"runtime"
)

// Options says how files are opened and read. The zero value is the usual.
type Options struct {
	Null    []string // sentinel values that are nulls, compared by value in numeric columns and as text in strings
	Threads int      // 0: GOMAXPROCS
}

func (o Options) threads() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// A KeyValue is one entry of the metadata of a table.
type KeyValue struct{ Key, Value string }

// A Catalog is one table in one or more files. It is safe for concurrent use.
type Catalog struct {
	opt     Options
	files   []File
	sources []source
	first   []int64 // catalog row of each file's row 0
	rows    int64
	fields  []Field
	refs    [][]int // refs[file][field]: index into the file's fields, -1 when it lacks the field
}

// Open finds the files that paths name, reads their footers or headers, and
// makes one catalog of them. See [Expand] for how directories and patterns are
// read. Columns of the same name are one column; their types must agree or
// widen exactly.
func Open(ctx context.Context, paths []string, opt Options) (*Catalog, error) {
	return nil, nil
}

// Close releases the catalog.
func (c *Catalog) Close() error { return nil }

// Files returns the files in the order of their rows.
func (c *Catalog) Files() []File { return c.files }

// Fields returns the columns, in the order of the first file, then those that
// only later files have.
func (c *Catalog) Fields() []Field { return c.fields }

// Rows returns the number of rows of all files.
func (c *Catalog) Rows() int64 { return c.rows }
