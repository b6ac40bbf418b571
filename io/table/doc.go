// Package table writes results: columns added to a copy of the catalog that they
// belong to, or tables of their own. [Append] does the former, [Write] and
// [NewWriter] the latter.
//
// A Parquet catalog is copied chunk by chunk as compressed bytes: nothing is
// decoded, so types, nulls, encodings and codecs survive whether or not this
// program could read them, and memory does not grow with the file. A CSV
// catalog written to CSV is copied line by line, digits as they were. Parquet
// becomes CSV exact to the last digit, a page of each column at a time. Other
// conversions decode the values and write them anew, a block of rows at a time.
//
// An output appears whole under its name or not at all: it is written to a
// hidden temporary file of the same directory, synced, and renamed. A file that
// is replaced passes on its mode and owner. What a killed run leaves is no
// catalog to any reader, and the next run of the same output removes it. Bytes
// depend on the input only, never on threads, time or version.
package table
