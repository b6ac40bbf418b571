package pairfunc

import "slices"

// A Function is a function of two rows. It is immutable and safe for
// concurrent use.
type Function struct {
	src      string
	nodes    []*node // operands first; those that the value needs
	root     *node
	columnsA []string
	columnsB []string
	named    []namedColumn
	vectors  bool // whether the expression has a coordinate
	commutes bool
}

// A namedColumn is a column that the expression names, as a.NAME or b.NAME.
type namedColumn struct {
	ofB  bool
	name string
	at   func(err error) error // the error, with the place
}

// String returns the source of the expression.
func (f *Function) String() string { return f.src }

// Truth reports whether the value is true or false, not a number.
func (f *Function) Truth() bool { return f.root.truth }

// Columns returns the names of the columns of either row that the function
// reads, in the order in which it takes them.
func (f *Function) Columns() (a, b []string) {
	return slices.Clone(f.columnsA), slices.Clone(f.columnsB)
}

// CheckColumns calls has for each column of either row that the expression names and
// the function reads, and returns its first error with the place.
func (f *Function) CheckColumns(has func(ofB bool, column string) error) error {
	for _, c := range f.named {
		read := f.columnsA
		if c.ofB {
			read = f.columnsB
		}
		if !slices.Contains(read, c.name) {
			continue
		}
		if err := has(c.ofB, c.name); err != nil {
			return c.at(err)
		}
	}
	return nil
}

// UsesCoordinates reports whether the expression has one of the coordinates,
// vectors or differences that Schema names.
func (f *Function) UsesCoordinates() bool { return f.vectors }

// Commutes reports whether f(a, b) = f(b, a) for all rows of one table, as real
// numbers, as far as the form of the expression shows. The last bits may differ:
// f(a, b), a the lower row, is the value of a pair.
func (f *Function) Commutes() bool { return f.commutes }
