// Package text reads tables of text in every form that is in use, and writes CSV, ECSV
// and tables for papers.
//
// Each form is a file with what recognises it and what reads its header, and a line
// of the table of forms; the rest is shared: a scanner that divides lines into cells
// (by delimiters, by blanks, or by their places) and the survey of the values.
//
// Opening a file parses its header and surveys its rows once, in blocks of whole
// rows on several threads: it counts them, and finds the narrowest type that keeps
// every value as it is written, or checks the values against the types that the
// file declares. Reading parses the requested columns of each block anew.
package text
