// Package votable reads a table of a VOTable document (IVOA Recommendation 1.4), the
// first unless another is named, in the serializations TABLEDATA, BINARY and BINARY2,
// and writes documents of one table in BINARY2.
//
// Rows are streamed. XML entities other than the five of XML itself are an
// error, so that there is nothing to expand, and no count in the data makes
// memory be allocated before as many bytes have been read.
package votable
