package expr

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"skyjoin/internal/each"
)

// A unit is the size of a unit of measure in base units.
type unit struct {
	kind string // what it measures; only units of one kind can be converted
	size float64
}

// Sizes that several units have. A Julian year has 365.25 days.
const (
	arcsec = math.Pi / 648000 // rad
	parsec = 3.0856775814913673e13
	year   = 365.25 * 86400
)

// units are the units that constants and columns can have, by their usual names in
// lower case: those of VOUnits, the CDS and astropy.
var units = map[string]unit{
	"rad": {"an angle", 1}, "deg": {"an angle", math.Pi / 180}, "hourangle": {"an angle", math.Pi / 12},
	"arcmin": {"an angle", 60 * arcsec}, "arcsec": {"an angle", arcsec}, "mas": {"an angle", 1e-3 * arcsec}, "uas": {"an angle", 1e-6 * arcsec},
	"mas/yr": {"a proper motion", 1e-3}, "arcsec/yr": {"a proper motion", 1}, "deg/yr": {"a proper motion", 3600},
	"m": {"a length", 1e-3}, "km": {"a length", 1}, "au": {"a length", 149597870.7}, "ly": {"a length", 299792.458 * year},
	"pc": {"a length", parsec}, "kpc": {"a length", 1e3 * parsec}, "mpc": {"a length", 1e6 * parsec}, "gpc": {"a length", 1e9 * parsec},
	"m/s": {"a velocity", 1e-3}, "km/s": {"a velocity", 1},
	"s": {"a time", 1}, "min": {"a time", 60}, "h": {"a time", 3600}, "d": {"a time", 86400}, "day": {"a time", 86400},
	"yr": {"a time", year}, "kyr": {"a time", 1e3 * year}, "myr": {"a time", 1e6 * year}, "gyr": {"a time", 1e9 * year},
	"mag": {"a magnitude", 1}, "mmag": {"a magnitude", 1e-3},
	"jy": {"a flux density", 1}, "mjy": {"a flux density", 1e-3}, "ujy": {"a flux density", 1e-6},
}

// sameUnit has other names of units.
var sameUnit = map[string]string{
	"radian": "rad", "radians": "rad", "degree": "deg", "degrees": "deg", "arcminute": "arcmin", "arcsecond": "arcsec", "marcsec": "mas", "milliarcsec": "mas",
	"masyr-1": "mas/yr", "mas.yr-1": "mas/yr", "mas.yr**-1": "mas/yr", "mas*yr-1": "mas/yr", "mas*yr**-1": "mas/yr", "masyr^-1": "mas/yr", "mas/year": "mas/yr", "mas/a": "mas/yr",
	"arcsecyr-1": "arcsec/yr", "arcsec.yr-1": "arcsec/yr", "arcsec.yr**-1": "arcsec/yr",
	"kms-1": "km/s", "km.s-1": "km/s", "km.s**-1": "km/s", "km*s-1": "km/s", "km*s**-1": "km/s", "kms^-1": "km/s", "ms-1": "m/s", "m.s-1": "m/s", "m.s**-1": "m/s",
	"year": "yr", "years": "yr", "days": "d", "a": "yr",
}

// cleanUnit returns the name of a unit as a file writes it.
func cleanUnit(text string) string {
	text = strings.ToLower(strings.Trim(text, "'\"()[]"))
	text = strings.ReplaceAll(text, " ", "")
	if same, ok := sameUnit[text]; ok {
		return same
	}
	return text
}

func isUnit(text string) bool {
	_, ok := units[cleanUnit(text)]
	return ok
}

// WithUnits returns the expression with every constant that has a unit turned
// into a number in the unit of the columns that it is compared with, added to
// or subtracted from. of returns the unit of a column, "" if it has none.
func (e *Expr) WithUnits(of func(column string) string) (resolved *Expr, err error) {
	defer Recover(&err)
	r := &unitResolver{e.Source, of}
	return &Expr{e.Source, r.resolve(e.root, ""), e.columns}, nil
}

type unitResolver struct {
	Source
	of func(column string) string
}

// alike are the operators and functions whose operands have one unit, which is
// also that of the result of some.
var alike = map[string]bool{"+": true, "-": true, "=": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true, "min": true, "max": true, "abs": true}

func (n *Node) alike() bool {
	return n.Kind == Between || (n.Kind == Operator || n.Kind == Call) && alike[n.Text]
}

// unit returns the unit of a column in n, and of a constant in n; "" for none.
func (r *unitResolver) unit(n *Node) (column, constant string) {
	switch {
	case n.Kind == Column:
		return cleanUnit(r.of(n.Text)), ""
	case n.Kind == Literal:
		return "", cleanUnit(n.Text)
	case !n.alike():
		return "", ""
	}
	for _, a := range n.Args {
		c, k := r.unit(a)
		column, constant = cmp.Or(column, c), cmp.Or(constant, k)
	}
	return column, constant
}

// resolve returns n with its constants in the unit of what n is an operand of,
// "" for none.
func (r *unitResolver) resolve(n *Node, unit string) *Node {
	if n.Kind == Literal {
		return r.convert(n, unit)
	}
	want := ""
	if n.alike() {
		column, constant := r.unit(n)
		want = cmp.Or(column, unit, constant)
		if column == "" && unit == "" && n.hasColumn() {
			want = "" // nothing is known about columns without a unit
		}
	}
	if n.Kind == Call && (n.Text == "sin" || n.Text == "cos" || n.Text == "tan") {
		want = "rad"
	}
	out := *n
	out.Args = each.Of(n.Args, func(a *Node) *Node { return r.resolve(a, want) })
	return &out
}

func (n *Node) hasColumn() bool {
	return n.Kind == Column || slices.ContainsFunc(n.Args, (*Node).hasColumn)
}

// convert turns a constant into a number.
func (r *unitResolver) convert(n *Node, to string) *Node {
	if n.Text == "" {
		return n
	}
	from, text := cleanUnit(n.Text), r.text(n)
	if to == "" {
		r.Fail(n.Pos, "%s: there is no unit to convert it to; a constant with a unit is compared with, or added to, a column that has one", text)
	}
	a, b := units[from], units[to]
	if a.kind != b.kind {
		r.Fail(n.Pos, "%s: it is %s, the column is in %s", text, a.kind, to)
	}
	out := *n
	out.Text = ""
	if from != to {
		out.Value = FloatValue(n.Value.Float() * (a.size / b.size))
	}
	return &out
}
