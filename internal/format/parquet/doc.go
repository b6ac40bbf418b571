// Package parquet reads, copies and writes Parquet files.
//
// A file is a sequence of row groups, each with a chunk of pages for every
// column, and a footer that describes them. From the ground up:
//
//   - package thrift decodes and encodes the structures of footers (meta.go) and of
//     page headers (header.go);
//   - schema.go and meaning.go make leaves, with levels and types, of a schema;
//     layout.go says how the types of columns are stored;
//   - hybrid.go, delta.go, plain.go and the other encodings are written once, what
//     decodes beside what encodes; codec.go decompresses;
//   - pager.go and pages.go make values and levels of a chunk, slots.go rows;
//   - values.go makes columns of rows, cells.go exact text;
//   - encode.go makes chunks of columns, and assembly.go files of chunks, its own
//     (writer.go) or those of other files, copied as bytes (copy.go).
//
// It reads every encoding that writers use (PLAIN, dictionaries, RLE, the three
// DELTA encodings, BYTE_STREAM_SPLIT, in any mix), both versions of data pages and
// every codec but LZO. It trusts nothing: each size is checked against the bytes
// that are there before it is used, checksums are verified where there are any, a
// chunk that ends early is an error, and no input makes it panic or loop.
//
// The format is specified at https://parquet.apache.org/docs/file-format/.
package parquet
