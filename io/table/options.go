package table

import (
	"io"
	"slices"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/io/catalog"
)

// Options says how a table is written.
type Options struct {
	Force    bool               // replace an existing file
	Stdout   string             // format of [Stdout], as the extension of a file: "fits"; "" is CSV
	Writer   io.Writer          // receives what is written to [Stdout]; nil: os.Stdout
	Metadata []catalog.KeyValue // added to the metadata of the table, replacing values of the same key
	Replaced string             // prefix of the keys that are dropped from the table's metadata, those of an earlier run; "" for none
	Threads  int                // threads that encode; 0: GOMAXPROCS. The bytes do not depend on it
	Memory   int64              // bytes that the rows which wait to be written may take; 0: about 64 MiB. Row groups of Parquet are smaller where it is less
	Progress func(rows int64)   // if not nil, receives the number of rows written since the last call
	// Decode makes Append decode all values and encode them again, with the nulls
	// that the catalog was told of, where it would otherwise copy files as they are.
	Decode bool

	// Where (a row filter) and Columns (names) select the rows and columns that
	// Append writes, in a copy that is encoded again; "" and nil select all.
	Where   string
	Columns []string
	Rows    *int64 // if not nil, receives the number of rows that Append has written

	// KeepAll makes Append write columns that the format of the output cannot hold as
	// text. It leaves them out otherwise, unless Columns names them, and adds their
	// names to Dropped, if that is not nil. Columns that cannot be read are left out
	// all the same.
	KeepAll bool
	Dropped *[]string
	Changed *[]Change // if not nil, receives the columns that the format of the output holds otherwise

	// Digits is how many significant digits uncertainties have in tables for papers
	// (.mrt, .tbl, .tex); the values that they are of end where they do. 0: all.
	Digits int
}

// A Change says what becomes of a column whose values the format of an output cannot hold
// as they are.
type Change struct {
	Column string
	As     string // in words: "text", "pairs of numbers"
}

// anew reports whether a catalog cannot be copied as it is.
func (o Options) anew() bool { return o.Decode || o.Where != "" || len(o.Columns) > 0 }

// replaced reports whether a key of the table's metadata describes an earlier run.
func (o Options) replaced(key string) bool {
	return o.Replaced != "" && strings.HasPrefix(key, o.Replaced)
}

// given reports whether Metadata has the key.
func (o Options) given(key string) bool {
	return slices.ContainsFunc(o.Metadata, func(kv catalog.KeyValue) bool { return kv.Key == key })
}

func (o Options) progress(rows int64) {
	if o.Progress != nil {
		o.Progress(rows)
	}
}

// writeOptions returns the options in the types of package format.
func (o Options) writeOptions() format.WriteOptions {
	w := format.WriteOptions{Replaced: o.replaced, Threads: o.Threads, Memory: o.Memory, Progress: o.progress, Digits: o.Digits}
	for _, kv := range o.Metadata {
		w.Metadata = append(w.Metadata, format.KeyValue(kv))
	}
	return w
}
