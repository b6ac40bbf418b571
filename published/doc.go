// Package published makes tables and figures of the papers whose methods are built
// here again: it measures ours and our own implementation of the rivals on seeded data,
// and sets the published values beside what it measured. Nothing but
// "cluster reproduce" imports it.
package published

import "math"

// A Paper is what is made of one paper, by the numbers of docs/published.md.
type Paper struct {
	Number string // "003"
	Title  string
	Tables []*Table
	Not    []Lack // what is not made
}

// A Lack is a table or figure that is not made, and why.
type Lack struct{ What, Why string }

// A Table is a table of a paper, or the numbers of a figure.
type Table struct {
	Name    string // as in the paper: "Table 3"
	Title   string
	Differs string // from the conditions of the paper
	Columns []Column
	X       string // what rows of a figure differ in, along its axis: "ε"; "": no figure is drawn
	rows    []row
}

// A Column has a measured value in every row, and a published one where the paper has it.
type Column struct {
	Name   string
	Scales int  // with which power of the scale the value grows: 1 where it is a sum over rows of constant selectivity
	Card   bool // measured on a GPU only
}

// A row is the published values of a case, and what measures them here. Values that
// are not there are NaN.
type row struct {
	label     string
	published []float64 // of all columns, or nil
	series    string    // of a figure: the data, without what is along its axis
	x         float64
	measure   func(*bench) ([]float64, error)
}

// Papers are those of which something is made.
var Papers = []*Paper{&lbjoin, &gpusj, &twobody, &hegjoin, &hybridknn}

// none is a value that is not there.
var none = math.NaN()
