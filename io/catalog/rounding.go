package catalog

import (
	"strconv"

	"skyjoin/internal/format"
)

// A Rounding is an integer of a text in a column of floats, which does not hold all of
// its digits: it is beyond 2⁵³, and another value of the column is no integer, or the
// file says no more of it than that it has numbers.
type Rounding struct {
	Column, Type string
	Path         string // of the file
	Row          int64  // of the file, from 0
	Value        string // as it is written
	Becomes      float64
}

// Roundings returns the first such integer of each column.
func (c *Catalog) Roundings() (all []Rounding) {
	for i, f := range c.fields[:c.stored] {
		for file, s := range c.sources {
			e, ok := s.(format.Explainer)
			at := c.inFile(file, format.Ref{Field: i, Elem: -1})
			if !ok || at.Field < 0 || f.Type != Float64 {
				continue
			}
			if row, value := e.Inexact(at.Field); value != "" {
				becomes, _ := strconv.ParseFloat(value, 64) // it is an integer
				all = append(all, Rounding{f.Name, f.Text, c.files[file].Path, row, value, becomes})
				break
			}
		}
	}
	return all
}
