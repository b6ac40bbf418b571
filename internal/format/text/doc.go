// Package text reads and writes delimited text: CSV, ECSV and ARFF.
//
// Opening a file parses its header and surveys its rows once, in blocks of whole
// rows on several threads: it counts them, and finds the narrowest type that keeps
// every value as it is written, or checks the values against the types that the
// file declares. Reading parses the requested columns of each block anew.
package text
