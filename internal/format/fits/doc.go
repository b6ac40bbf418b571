// Package fits reads FITS tables, binary ones and those of text, and writes binary
// ones (FITS Standard 4.0, sections 4 and 7).
//
// [Read] finds a table and describes its columns: the rows themselves have a fixed
// length, so that any of them can be read and decoded without the others.
// Variable-length arrays are in the heap behind the rows. Of tables that are
// compressed, or stored by columns, a column is read without the others. No size in a header is
// trusted that the size of the file contradicts. [Input] and [Output] are the
// format as the rest of the program sees it.
package fits

// BlockBytes divides the length of every header, and of the data after it.
const BlockBytes = 2880

// cardBytes is the length of a line of a header.
const cardBytes = 80
