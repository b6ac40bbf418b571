package catalog

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
	"skyjoin/internal/sexagesimal"
)

// Coordinates may be text in degrees or hours, minutes and seconds. It stays text in
// tables that are written; where numbers are needed, as coordinates and in
// expressions, it is converted to degrees.

// angles knows which columns of text hold angles. It is safe for concurrent use.
type angles struct {
	mu   sync.Mutex
	hold map[string]bool // of columns that have been looked at
}

// isAngle reports whether a column is text that holds angles, by its first values:
// at least half of those of the first block that has any.
func (c *Catalog) isAngle(f Field) bool {
	if f.Type != String || c.program(f.Name) != nil {
		return false
	}
	c.angles.mu.Lock()
	defer c.angles.mu.Unlock()
	is, known := c.angles.hold[f.Name]
	if !known {
		is = c.holdsAngles(f.Name)
		c.angles.hold[f.Name] = is
	}
	return is
}

func (c *Catalog) holdsAngles(name string) bool {
	for b, err := range c.scan(context.Background(), Scan{Columns: []string{name}}) {
		if err != nil {
			return false // whoever reads it says why
		}
		values, angles := 0, 0
		for i, text := range b.cols[0].String {
			if b.cols[0].IsNull(i) || text == "" {
				continue
			}
			values++
			if _, ok := sexagesimal.Degrees(text, false); ok {
				angles++
			}
		}
		if values > 0 {
			return 2*angles >= values
		}
	}
	return false
}

// isCoordinate reports whether text of a column stands for degrees in expressions: it
// is RA or Dec by UCD, unit or name, and holds angles.
func (c *Catalog) isCoordinate(f Field) bool {
	return f.Type == String && (axisOf(f) != "" || sexagesimalUnit(f.Unit) != "") && c.isAngle(f)
}

// inHours reports whether text of a column is in hours where it does not say so
// itself. first reports that the column is the first coordinate on the sky.
func inHours(f Field, first bool) bool {
	if axis := sexagesimalUnit(f.Unit); axis != "" {
		return axis == "h"
	}
	return axisOf(f) == "ra" || first && axisOf(f) == ""
}

// sexagesimalUnit returns h or d for units of text in hours or degrees, minutes and
// seconds, as VizieR has them, "" for others.
func sexagesimalUnit(unit string) string {
	switch unit = strings.ToLower(strings.Trim(unit, " '\"()")); {
	case slices.Contains([]string{"h:m:s", "hms", "hh:mm:ss", "h", "hour", "hours", "hourangle", "hr", "h m s"}, unit):
		return "h"
	case slices.Contains([]string{"d:m:s", "dms", "dd:mm:ss", "d m s", "deg", "degree", "degrees"}, unit):
		return "d"
	}
	return ""
}

// axisOf returns ra or dec for columns that are so by UCD or name, "" for others.
func axisOf(f Field) string {
	for _, axis := range []string{"ra", "dec"} {
		if is, _ := position(f.UCD, axis); is {
			return axis
		}
	}
	return axisOfName[plainName(f.Name)]
}

// toDegreesOfText makes a column of text one of degrees. What is no angle is NaN.
func toDegreesOfText(c *format.Column, hours bool) {
	v := make([]float64, len(c.String))
	for i, text := range c.String {
		degrees, ok := sexagesimal.Degrees(text, hours)
		if !ok || c.IsNull(i) {
			degrees = math.NaN()
		}
		v[i] = degrees
	}
	c.Float64, c.String = v, nil
	c.Field.Type, c.Field.Unit = format.Float64, "deg"
}

// vector returns rows [lo, hi) as expressions take them, text of coordinates in
// degrees.
func (c *Catalog) vector(col *format.Column, lo, hi int64) expr.Vector {
	if col.Field.Type != format.String || !c.isCoordinate(publicField(col.Field)) {
		return vector(col, lo, hi)
	}
	part := col.Slice(int(lo), int(hi))
	toDegreesOfText(&part, inHours(publicField(col.Field), false))
	return vector(&part, 0, hi-lo)
}

// exprType is the type of a column in expressions.
func (c *Catalog) exprType(name string) (expr.Type, error) {
	f, _, err := c.column(name)
	if err == nil && c.isCoordinate(f) {
		return expr.Float64, nil
	}
	return exprTypes[f.Type.storage()], err
}

// parts are the names of columns that have an angle in parts, without regard to
// case: those of the CDS, and others in use.
var parts = [2][4][]string{
	{nil, {"rah", "ra_h", "rahr", "rahour", "ra_hour", "ra_hours"}, {"ram", "ra_m", "ramin", "ra_min"}, {"ras", "ra_s", "rasec", "ra_sec"}},
	{{"de-", "dec-", "design", "decsign", "de_sign", "dec_sign"}, {"ded", "de_d", "decd", "dec_d"}, {"dem", "de_m", "decm", "dec_m", "demin", "decmin"}, {"des", "de_s", "decs", "dec_s", "desec", "decsec"}},
}

// defineSplit defines RA and Dec of columns that have them in parts, under names such
// as RAh:RAm:RAs. They are in no table that is written.
func (c *Catalog) defineSplit() error {
	var names [2][]string // with quotes
	for axis, all := range parts {
		for part, known := range all {
			at := slices.IndexFunc(c.fields, func(f Field) bool { return slices.Contains(known, strings.ToLower(f.Name)) })
			if at >= 0 && (c.fields[at].Type.IsNumber() || c.fields[at].Type == String) {
				names[axis] = append(names[axis], c.fields[at].Name)
			} else if part == 1 || part == 2 {
				return nil // hours or degrees, and minutes, must be there
			}
		}
	}
	for axis, of := range names {
		var quoted []string
		for _, n := range of {
			quoted = append(quoted, `"`+strings.ReplaceAll(n, `"`, `""`)+`"`)
		}
		function := []string{"hms", "dms"}[axis]
		if err := c.define(Definition{strings.Join(of, ":"), function + "(" + strings.Join(quoted, ", ") + ")", "deg"}); err != nil {
			return err
		}
	}
	c.hidden = len(c.fields) - c.stored
	return nil
}

// split returns the names of RA and Dec that are in parts, if they are.
func (c *Catalog) split() (ra, dec string, ok bool) {
	if c.hidden != 2 {
		return "", "", false
	}
	return c.fields[c.stored].Name, c.fields[c.stored+1].Name, true
}

// Units returns the units of RA and Dec that are numbers without one in the files,
// "" for what they say themselves or for degrees, and what is to be noted. hours says
// that RA is in hours.
func (c *Catalog) Units(ra, dec string, hours bool) (units []string, notes []string, err error) {
	a, _, errA := c.column(ra)
	d, _, errD := c.column(dec)
	if errA != nil || errD != nil {
		return nil, nil, nil // whoever reads them says why
	}
	for i, f := range []Field{a, d} {
		if f.Type == String && c.isAngle(f) {
			notes = append(notes, fmt.Sprintf("%s is text, read as %s, minutes and seconds", f.Name, map[bool]string{true: "hours", false: "degrees"}[inHours(f, i == 0)]))
		}
	}
	switch {
	case hours && a.Type.IsNumber() && a.Unit != "" && degreesPer[angleUnit(a.Unit)] != 15:
		return nil, nil, format.Requestf("--ra-hours: column %s is in %s", ra, a.Unit)
	case hours && a.Type.IsNumber():
		return []string{"h", ""}, nil, nil
	case a.Type.IsNumber() && a.Unit == "" && slices.Contains([]string{hoursName, "ra_h", "rah"}, plainName(ra)):
		return []string{"h", ""}, append(notes, ra+" is taken for hours, by its name"), nil
	case !a.Type.IsNumber() || a.Unit != "" || d.Unit != "":
	case plainName(ra) == "ra_rad" && plainName(dec) == "dec_rad":
		return []string{"rad", "rad"}, append(notes, fmt.Sprintf("%s and %s are taken for radians, by their names", ra, dec)), nil
	case plainName(ra) == "coord_ra" && c.within(a, 2*math.Pi) && c.within(d, math.Pi/2):
		return []string{"rad", "rad"}, append(notes, fmt.Sprintf("%s and %s are taken for radians: no unit is given, and all values are small enough", ra, dec)), nil
	}
	return nil, notes, nil
}

// within reports whether all values of a column are within ±most, as far as they are
// numbers.
func (c *Catalog) within(f Field, most float64) bool {
	i := c.index[f.Name]
	col := make([]ColumnSummary, len(c.fields))
	col[i].Field = f
	if !c.fromStatistics(&col[i], i) && c.fromValues(context.Background(), col, []int{i}) != nil {
		return false
	}
	lo, errLo := strconv.ParseFloat(col[i].Min, 64)
	hi, errHi := strconv.ParseFloat(col[i].Max, 64)
	return errLo == nil && errHi == nil && lo >= -most && hi <= most
}

// newAngles returns angles that know no column.
func newAngles() *angles { return &angles{hold: map[string]bool{}} }

// clone returns angles of the same columns, for a catalog of some of the rows.
func (a *angles) clone() *angles {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &angles{hold: maps.Clone(a.hold)}
}
