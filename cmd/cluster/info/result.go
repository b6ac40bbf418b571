package info

import "skyjoin/cmd/cluster/internal/report"

// Result is that of the command.
type Result struct {
	Rows     int64         `json:"rows" jsonschema:"rows of all files"`
	Groups   int64         `json:"row_groups" jsonschema:"row groups of Parquet files"`
	Codecs   []string      `json:"codecs" jsonschema:"compression of the columns of Parquet files"`
	Files    []File        `json:"files" jsonschema:"the files"`
	Columns  []Column      `json:"columns" jsonschema:"the columns"`
	Metadata report.Object `json:"metadata" jsonschema:"keys and values of the first file"`
}

// Several is the result of several catalogs.
type Several struct {
	Rows     int64    `json:"rows" jsonschema:"rows of all"`
	Catalogs []Result `json:"catalogs" jsonschema:"each of them, in the order of the command line"`
}

// A File is one file of a catalog.
type File struct {
	Path   string   `json:"path" jsonschema:"as it was named, or found"`
	Format string   `json:"format" jsonschema:"of the file"`
	Rows   int64    `json:"rows" jsonschema:"rows of it"`
	Bytes  int64    `json:"bytes" jsonschema:"size of it"`
	Notes  []string `json:"notes,omitempty" jsonschema:"what is unusual about it"`
}

// A Column is one column of a catalog.
type Column struct {
	Name        string   `json:"name" jsonschema:"of the column"`
	Type        string   `json:"type" jsonschema:"in the words of the file, if it has any"`
	Unit        string   `json:"unit" jsonschema:"as the file has it, or none"`
	UCD         string   `json:"ucd" jsonschema:"unified content descriptor, or none"`
	Description string   `json:"description" jsonschema:"as the file has it, or none"`
	Nulls       *int64   `json:"nulls" jsonschema:"rows without a value; null where they were not counted"`
	Min         any      `json:"min" jsonschema:"smallest value: a number with all its digits, or text; null without one"`
	Max         any      `json:"max" jsonschema:"largest value"`
	Codecs      []string `json:"codecs" jsonschema:"compression in Parquet files"`
	Encodings   []string `json:"encodings" jsonschema:"encodings in Parquet files"`
	Bytes       int64    `json:"bytes" jsonschema:"compressed size in Parquet files"`
}
