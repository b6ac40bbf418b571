package job

import "skyjoin/io/catalog"

// warnOfDigits names the integers that lose digits, as their column holds other
// numbers, too.
func (j *Job) warnOfDigits(cat *catalog.Catalog) {
	for _, r := range cat.Roundings() {
		j.Sum.Warn("column %s is read as %s, as not all of its numbers are whole: %s in row %d of %s becomes %.0f", r.Column, r.Type, r.Value, r.Row, r.Path, r.Becomes)
	}
}
