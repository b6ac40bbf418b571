package catalog

import (
	"context"
	"strings"
)

// A source is one opened file of a catalog. Opening reads what the footer or
// the header says, and counts rows; read decodes. A source holds no open file
// between calls, so that catalogs of many files do not run out of handles.
type source interface {
	format() string       // "parquet", "csv", …
	fields() []Field      // in file order, names as in the file
	rows() int64          // rows of the file
	metadata() []KeyValue // of the table, in file order

	// check reports what can be known to be wrong with a column before memory
	// for its values is allocated.
	check(r ref) error

	// read decodes columns of the file. It fills all rows of it, or those that
	// j.skip does not exclude, and returns the first error, which need not name
	// the file.
	read(ctx context.Context, j job) error

	// flow passes on the rows of the file in order, all of them in one of the
	// blocks, and returns the first error, which need not name the file.
	flow(ctx context.Context, w flow) error
}

// A job is what a source is asked to read.
type job struct {
	refs []ref     // what to read, one for each of dst
	dst  []*Column // allocated, with the final type, to the length of the catalog
	at   int64     // row of the catalog that row 0 of the file goes to

	// skip reports that the n rows from row first of the file need not be
	// decoded, so that they keep the zero values of dst. nil skips none.
	skip func(first, n int64) bool

	// add reports decoded rows of the job, counted once for all columns. It is
	// safe for concurrent use and never nil.
	add func(rows int64)

	// pool runs work on the threads of the catalog, which are shared by all of
	// its files.
	pool pool
}

// A ref names a value of each row: a field of the source and, in a list, the
// element.
type ref struct {
	field int // index into fields()
	elem  int // 0-based element of a List, -1 for other types
}

// A statistician is a source that knows bounds of the values of parts of its
// rows.
type statistician interface {
	// bounds calls visit for each part of the rows, from the first row on, with
	// a function that gives the bounds of a field in it.
	bounds(visit func(first, n int64, of func(r ref) (bounds, bool)))
}

// An explainer is a source that can say why a field that its user takes for
// numbers is none.
type explainer interface {
	// notNumeric returns a line such as "line 17 has 'n/a'", "" if there is
	// nothing to say.
	notNumeric(field int) string
}

// An opener makes sources of the files of one format.
type opener struct {
	format     string
	extensions []string // with the dot, in lower case
	// match reports whether a file is of the format, from its path and its
	// first bytes (all of them, or headBytes).
	match func(path string, head []byte) bool
	open  func(ctx context.Context, path string, opt Options) (source, error)
}

// hasExtension reports whether the path ends as files of the format do.
func (o *opener) hasExtension(path string) bool {
	path = strings.ToLower(path)
	for _, e := range o.extensions {
		if strings.HasSuffix(path, e) {
			return true
		}
	}
	return false
}

// headBytes is how much of a file the openers see to recognise it.
const headBytes = 4096

// openers are tried in order; the first that matches opens the file. In a
// directory the first that has files by extension stands for it.
var openers = []opener{
	{"parquet", []string{".parquet", ".parq", ".pq"}, isParquet, openParquet},
	{"fits", fitsExtensions, isFITS, openFITS},
	{"votable", votableExtensions, isVOTable, openVOTable},
	{"csv", csvExtensions, isCSV, openCSV},
	{"arff", arffExtensions, isARFF, openARFF},
}
