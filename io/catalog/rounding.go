package catalog

import (
	"strconv"

	"skyjoin/internal/format"
)

// A Rounding is an integer beyond 2⁵³ that lost digits in a column of floats: the
// column is not of integers because another of its values is none.
type Rounding struct {
	Column, Type string
	Path         string // of the file
	Row          int64  // of the file, from 0
	Value        string // as it is written in the file
	Becomes      float64
}

// Roundings returns the first such integer of each column whose type was inferred
// from its values. A type that the file declares is taken as intended.
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
