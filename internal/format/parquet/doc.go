// Package pages decodes the column chunks of Parquet files into slices of
// their physical values, page by page, with levels for what is null or
// repeated.
//
// It reads every encoding of the format that writers use (PLAIN, dictionaries,
// RLE, the three DELTA encodings, BYTE_STREAM_SPLIT, in any mix), both versions
// of data pages and every codec but LZO. It trusts nothing: each size is
// checked against the bytes that are there before it is used, checksums are
// verified where there are any, a chunk that ends early is an error, and no
// input makes it panic or loop. Footers and schemas are not its concern.
//
// The format is specified at https://parquet.apache.org/docs/file-format/.
package parquet
