// Package table writes results: the columns of an answer added to a copy of
// the catalog they belong to ([Append]), or a table of its own ([Write],
// [NewWriter]).
//
// A Parquet catalog is copied chunk by chunk as compressed bytes: nothing is
// decoded, so types, nulls, encodings and codecs survive whether or not this
// program could read them, and memory does not grow with the file. A CSV
// catalog written to CSV is copied line by line, digits as they were. Parquet
// becomes CSV exact to the last digit, a page of each column at a time. Other
// conversions decode the values and write them anew, a block of rows at a time.
//
// An output appears whole under its name or not at all: it is written to a
// hidden temporary file of the same directory, .NAME.XXXXXXXX.tmp, synced, and
// renamed. A run that is killed leaves that file behind, which no reader takes
// for a catalog; it can be removed. Bytes
// depend on the input only, never on threads, time or version.
package table
