// Package fits reads and writes the headers and the cells of FITS binary
// tables (FITS Standard 4.0, sections 4 and 7.3).
//
// [Read] finds the first binary table of a file and says where each value of
// a row is; the rows themselves are fixed-length bytes, which callers read as
// they like and decode with the methods of [Column]. Nothing is believed that
// the size of the file contradicts. [Writer] writes a table of one extension.
package fits

// BlockBytes is what the length of a header, and of the data after it, is a
// multiple of.
const BlockBytes = 2880

// cardBytes is the length of a line of a header.
const cardBytes = 80
