// Package table writes results: columns added to a copy of the catalog that they
// belong to, or tables of their own. [Append] does the former, [Write] and
// [NewWriter] the latter.
//
// A Parquet catalog is copied chunk by chunk as compressed bytes: nothing is
// decoded, so types, nulls, encodings and codecs survive whether or not this program
// could read them, and memory does not grow with the file. A CSV catalog written to
// CSV is copied line by line, with its digits unchanged. Parquet becomes CSV exact
// to the last digit, one page of each column at a time. Other conversions decode the
// values and encode them again, one block of rows at a time.
//
// An output appears whole under its name or not at all: it is written to a hidden
// temporary file in the same directory, synced, and renamed. The mode and owner of a
// replaced file are kept. No reader takes what a killed run leaves behind for a
// catalog, and the next run with the same output removes it. The bytes depend on the
// input only, never on threads, time or version.
package table
