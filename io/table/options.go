package table

import (
	"slices"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/io/catalog"
)

// Options says how a table is written.
type Options struct {
	Force    bool               // replace an existing file
	Metadata []catalog.KeyValue // added to the table's own, replacing values of the same key
	Replaced string             // prefix of the keys of the table's own that are dropped: those of a run before; "" is none
	Threads  int                // that encode; 0: GOMAXPROCS. The bytes do not depend on it
	Progress func(rows int64)   // if not nil, told the number of rows written since the last call
	// Decode says that Append reads all values and writes them anew, with nulls
	// as the catalog was told, where it would copy files as they are.
	Decode bool

	// Where, a row filter, and Columns, names, say which rows and columns Append
	// writes, in a copy that is written anew; "" and nil are all.
	Where   string
	Columns []string
	Rows    *int64 // if not nil, receives how many rows Append has written
}

// anew reports whether a catalog cannot be copied as it is.
func (o Options) anew() bool { return o.Decode || o.Where != "" || len(o.Columns) > 0 }

// replaced reports whether a key of a table's own metadata tells of a run
// before the one that Metadata tell of.
func (o Options) replaced(key string) bool {
	return o.Replaced != "" && strings.HasPrefix(key, o.Replaced)
}

// given reports whether Metadata have the key.
func (o Options) given(key string) bool {
	return slices.ContainsFunc(o.Metadata, func(kv catalog.KeyValue) bool { return kv.Key == key })
}

func (o Options) progress(rows int64) {
	if o.Progress != nil {
		o.Progress(rows)
	}
}

// writeOptions returns the options in the terms of package format.
func (o Options) writeOptions() format.WriteOptions {
	w := format.WriteOptions{Replaced: o.replaced, Threads: o.Threads, Progress: o.progress}
	for _, kv := range o.Metadata {
		w.Metadata = append(w.Metadata, format.KeyValue(kv))
	}
	return w
}
