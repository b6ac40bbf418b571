package format

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"skyjoin/internal/par"
)

// An Input opens the files of one format.
type Input struct {
	Name       string
	Also       []string // other names of it
	Extensions []string // with the dot, in lower case
	Named      bool     // columns without names can be given some: Options.Names
	Text       bool     // files are lines of text
	Tables     bool     // a file may have several tables, of which Options.Extension names one
	// Sniff reports whether a file is of the format, by its start; nil if only names
	// tell.
	Sniff func(*Start) bool
	// Open opens a file; [ErrAnywhere] asks for a copy that is not compressed.
	Open func(ctx context.Context, path string, opt Options) (Reader, error)
}

// IsNamed reports whether the format has the name.
func (in *Input) IsNamed(name string) bool { return in.Name == name || slices.Contains(in.Also, name) }

// HasExtension reports whether the path ends as files of the format do.
func (in *Input) HasExtension(path string) bool {
	path = strings.ToLower(Uncompressed(path))
	return slices.ContainsFunc(in.Extensions, func(e string) bool { return strings.HasSuffix(path, e) })
}

// Options says how a file is opened.
type Options struct {
	Null      []string // texts that are null, which formats of text have to know
	Threads   int      // at least 1
	Forced    bool     // the user says that the file has the format
	Extension string   // which table of a file with several, "" the first
	Names     []string // of the columns of text that has none; nil otherwise
	Folder    string   // that in which files beside it are, "" the current one
}

// Elsewhere is the error of an Open for a file that describes a table of which another
// file, of any format, has the rows.
type Elsewhere struct {
	Path      string                        // of that file; "" if it is part of this one
	Content   func() (io.ReadCloser, error) // opens what is part of this one
	Extension string                        // which of its tables, "" the first
	Fields    []Field                       // what this file says of the columns
	Meta      []KeyValue
	Notes     []string
}

// Error implements error.
func (e *Elsewhere) Error() string { return "the rows are in another file, " + e.Path }

// A Reader is one opened file of a catalog. Opening reads what the footer or
// the header says, and counts rows; reading decodes. A Reader holds no open file
// between calls, so that catalogs of many files do not run out of handles. Its
// errors do not name the file.
type Reader interface {
	Format() string       // "parquet", "csv", …
	Fields() []Field      // in file order, names as in the file
	Rows() int64          // rows of the file
	Metadata() []KeyValue // of the table, in file order

	// Check reports what can be known to be wrong with a column before memory
	// for its values is allocated.
	Check(r Ref) error

	// Read decodes columns of the file. It fills all rows of it, or those that
	// j.Skip does not exclude, and returns the first error.
	Read(ctx context.Context, j Job) error

	// Flow passes on the rows of the file in order, all of them in one of the
	// blocks, and returns the first error.
	Flow(ctx context.Context, w Flow) error
}

// A Head is what a Reader says of its file before it reads the rows. Readers that
// embed it have the methods for that.
type Head struct {
	Name    string // of the format
	Columns []Field
	Count   int64 // rows
	Meta    []KeyValue
}

// Format implements [Reader].
func (h *Head) Format() string { return h.Name }

// Fields implements [Reader].
func (h *Head) Fields() []Field { return h.Columns }

// Rows implements [Reader].
func (h *Head) Rows() int64 { return h.Count }

// Metadata implements [Reader].
func (h *Head) Metadata() []KeyValue { return h.Meta }

// Check implements [Reader]: columns of a type that is not read are refused.
func (h *Head) Check(r Ref) error {
	if f := h.Columns[r.Field]; f.Type == Unsupported {
		return Requestf("column %s is %s, which cannot be read", f.Name, cmp.Or(f.Text, "of no type"))
	}
	return nil
}

// A Ref names a value of each row: a field of the file and, in a list, the
// element.
type Ref struct {
	Field int // index into Fields
	Elem  int // 0-based element of a List, -1 for other types and for whole lists
}

// A Job is what a Reader is asked to read.
type Job struct {
	Refs []Ref     // what to read, one for each of Dst
	Dst  []*Column // allocated, with the final type, to the length of the catalog
	At   int64     // row of Dst that row 0 of the file goes to

	// Skip reports that the n rows from row first of the file need not be
	// decoded, so that they keep the zero values of Dst. nil skips none.
	Skip func(first, n int64) bool

	// Add reports decoded rows of the job, counted once for all columns. It is
	// safe for concurrent use and never nil.
	Add func(rows int64)

	// Pool runs work on the threads of the catalog, which are shared by all of
	// its files.
	Pool par.Pool
}

// A Partial is a Reader of a file of which some columns may be where they cannot be
// read, so that they are not copied either.
type Partial interface{ Partial() bool }

// A Divider is a Reader of a file whose rows are in groups that can be read
// without the others.
type Divider interface {
	// Groups returns the number of rows of each group.
	Groups() []int64
	// Cut returns a reader of the groups [lo, hi) only, with rows from 0.
	Cut(lo, hi int) Reader
}

// A Transcriber is a Reader that can give its values as text that is exact to the
// last digit, of types that cannot be read, too.
type Transcriber interface {
	// Transcribe calls visit for some rows after the others, in order. fields are
	// indices into Fields, -1 for a column of empty cells; cell appends the cell of
	// the next row of the i-th of them, as CSV with that delimiter has it, and is
	// called once for each row and field, nothing for a null.
	Transcribe(ctx context.Context, fields []int, comma byte, visit func(rows int64, cell func(dst []byte, i int) ([]byte, error)) error) error
}

// A Holder is a Reader that holds parts of its file for each column while it passes
// rows on in order.
type Holder interface {
	// Held returns how many bytes that takes for some columns.
	Held(refs []Ref) (int64, error)
	// Letters returns about how many bytes a text of a field has.
	Letters(field int) int64
}

// A Reserver is a Reader of a file in which names are taken that no field has.
type Reserver interface{ Reserved() []string }

// A Storer is a Reader of a file that stores columns in chunks.
type Storer interface {
	Stored(field int) (codecs, encodings []string, bytes int64)
}

// A Statistician is a Reader that knows bounds of the values of parts of its
// rows.
type Statistician interface {
	// Bounds calls visit for each part of the rows, from the first row on, with
	// a function that gives the bounds of a field in it.
	Bounds(visit func(first, n int64, of func(r Ref) (Bounds, bool)))
}

// An Explainer is a Reader that can say why a field that its user takes for
// numbers is none, and what a field of floats does not hold.
type Explainer interface {
	// NotNumeric returns a line such as "line 17 has 'n/a'", "" if there is
	// nothing to say.
	NotNumeric(field int) string
	// Inexact returns the first integer of a field that float64 does not hold, and
	// its row, "" if there is none.
	Inexact(field int) (row int64, value string)
}

// A Noter is a Reader that had to find out how its file is to be read.
type Noter interface {
	// Notes returns what it took, a line each.
	Notes() []string
}

// An Inferrer is a Reader that finds types from the values, which those of other
// files may widen.
type Inferrer interface {
	// Inferred returns how the type of a field was found, nil if it is declared.
	Inferred(field int) Inference
}

// An Inference is what the values are that a type was found from.
type Inference interface {
	// Join returns the inference from both files' values.
	Join(other Inference) Inference
	// Apply returns the field with the type of the inference.
	Apply(f Field) Field
	// Beside returns the field with a type that joins with one that another file
	// declares, if that changes no value.
	Beside(f Field, declared Type) Field
}
