package catalog

import (
	"slices"
	"strings"

	"skyjoin/internal/format"
)

// skyNames are the usual names of right ascension and declination, in lower
// case, a pair to a line.
var skyNames = [][2]string{
	{"ra", "dec"},
	{"ra", "de"},
	{"raj2000", "dej2000"},
	{"raj2000", "decj2000"},
	{"_raj2000", "_dej2000"},
	{"ra_icrs", "de_icrs"},
	{"ra_icrs", "dec_icrs"},
	{"_ra_icrs", "_de_icrs"},
	{"_ra", "_de"},
	{"ra_deg", "dec_deg"},
	{"radeg", "dedeg"},
	{"radeg", "decdeg"},
	{"ra_j2000", "dec_j2000"},
	{"ra2000", "dec2000"},
	{"ra2000", "de2000"},
	{"s_ra", "s_dec"},
	{"ramean", "decmean"},
	{"alpha_j2000", "delta_j2000"},
	{"alphawin_j2000", "deltawin_j2000"},
	{"right_ascension", "declination"},
	{"alpha", "delta"},
}

// Detect returns the columns of right ascension and declination: the columns
// that UCDs mark as the main position, else the only columns with the UCD of a
// position, else the only columns with a usual pair of names. If there are no
// such columns, or several candidates, the error wraps ErrRequest; with several,
// the first candidates are returned too, as an example for the message.
func (c *Catalog) Detect() (ra, dec string, err error) {
	for _, main := range []bool{true, false} {
		ras, decs := c.byUCD("ra", main), c.byUCD("dec", main)
		if len(ras) == 1 && len(decs) == 1 {
			return ras[0], decs[0], nil
		}
		if len(ras) > 0 && len(decs) > 0 {
			return ambiguous(ras, decs)
		}
	}
	var ras, decs []string // of all complete pairs
	for _, pair := range skyNames {
		r, d := c.byName(pair[0]), c.byName(pair[1])
		if len(r) > 0 && len(d) > 0 {
			ras, decs = appendNew(ras, r), appendNew(decs, d)
		}
	}
	switch {
	case len(ras) == 1 && len(decs) == 1:
		return ras[0], decs[0], nil
	case len(ras) > 0:
		return ambiguous(ras, decs)
	}
	for _, pair := range skyNames {
		ras, decs = appendNew(ras, c.byName(pair[0])), appendNew(decs, c.byName(pair[1]))
	}
	if len(ras) > 1 || len(decs) > 1 {
		return ambiguous(ras, decs)
	}
	return "", "", format.Requestf("no columns are recognised as right ascension and declination; name the coordinate columns")
}

// ambiguous returns the first candidates and the error that names all.
func ambiguous(ras, decs []string) (ra, dec string, err error) {
	either := func(names []string) (first, all string) {
		if len(names) == 0 {
			return "", "no column"
		}
		return names[0], strings.Join(names, " or ")
	}
	ra, anyRA := either(ras)
	dec, anyDec := either(decs)
	return ra, dec, format.Requestf("the position is ambiguous: right ascension is %s, declination %s; name the coordinate columns", anyRA, anyDec)
}

func appendNew(to, names []string) []string {
	for _, n := range names {
		if !slices.Contains(to, n) {
			to = append(to, n)
		}
	}
	return to
}

// numeric reports whether the values of a column are numbers. In a text file
// without rows every column may be one.
func (c *Catalog) numeric(f Field) bool {
	return f.Type.IsNumber() || c.rows == 0 && f.Type != List
}

// byName returns the numeric columns of the name, in any case of letters.
func (c *Catalog) byName(lower string) []string {
	return c.numericWhere(func(f Field) bool { return strings.ToLower(f.Name) == lower })
}

// byUCD returns the numeric columns with the UCD of a position.
func (c *Catalog) byUCD(axis string, main bool) []string {
	return c.numericWhere(func(f Field) bool {
		is, isMain := position(f.UCD, axis)
		return is && (isMain || !main)
	})
}

func (c *Catalog) numericWhere(match func(Field) bool) (names []string) {
	for _, f := range c.fields {
		if c.numeric(f) && match(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// position reports whether a UCD, of version 1+ or 1, says that a column is an
// equatorial coordinate, and the main one: pos.eq.ra;meta.main, POS_EQ_RA_MAIN.
func position(ucd, axis string) (is, main bool) {
	words := strings.Split(strings.ToLower(strings.ReplaceAll(ucd, " ", "")), ";")
	switch words[0] {
	case "pos.eq." + axis:
		return true, slices.Contains(words[1:], "meta.main")
	case "pos_eq_" + axis + "_main":
		return true, true
	case "pos_eq_" + axis:
		return true, false
	}
	return false, false
}

// IsSky reports whether the first two of the named columns are right ascension
// and declination, by their UCDs or by a usual pair of names.
func (c *Catalog) IsSky(names []string) bool {
	if len(names) < 2 {
		return false
	}
	ra, err1 := c.Field(names[0])
	dec, err2 := c.Field(names[1])
	if err1 != nil || err2 != nil || !c.numeric(ra) || !c.numeric(dec) {
		return false
	}
	isRA, _ := position(ra.UCD, "ra")
	isDec, _ := position(dec.UCD, "dec")
	if isRA && isDec {
		return true
	}
	pair := [2]string{strings.ToLower(ra.Name), strings.ToLower(dec.Name)}
	return slices.Contains(skyNames, pair)
}
