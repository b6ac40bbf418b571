package expr

import (
	"fmt"
	"math"
	"strings"
)

// A unit is how many base units one is.
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

// units are those of constants, and of columns, by their usual names in lower
// case: of VOUnits, of CDS, and of astropy.
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

// sameUnit are other names of units.
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

// quantity makes a literal of a number, with the unit that may follow it.
func (p *parser) quantity(pos int, v Value) (*node, error) {
	n, err := p.literal(pos, v)
	if err != nil || p.tok.kind != tokenName {
		return n, err
	}
	if _, ok := units[cleanUnit(p.tok.text)]; !ok {
		return n, nil // an error of what follows
	}
	n.text = p.tok.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.is("/") { // of a quantity there are no quotients
		per, err := next(p.src, p.tok.end)
		if err != nil {
			return nil, err
		}
		if _, ok := units[cleanUnit(n.text+"/"+per.text)]; ok && per.kind == tokenName {
			n.text += "/" + per.text
			p.tok = per
			if err := p.advance(); err != nil {
				return nil, err
			}
		}
	}
	n.end = p.last
	return n, nil
}

// WithUnits returns the expression with every constant that has a unit turned
// into a number in the unit of the columns that it is compared with, added to
// or subtracted from. of returns the unit of a column, "" if it has none.
func (e *Expr) WithUnits(of func(column string) string) (*Expr, error) {
	r := &unitResolver{src: e.src, of: of}
	root, err := r.resolve(e.root, "")
	if err != nil {
		return nil, err
	}
	return &Expr{src: e.src, root: root, columns: e.columns}, nil
}

type unitResolver struct {
	src string
	of  func(column string) string
}

// alike are the operators and functions whose operands have one unit, which is
// also that of the result of some.
var alike = map[string]bool{"+": true, "-": true, "=": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true, "min": true, "max": true, "abs": true}

func (n *node) alike() bool {
	return n.kind == nodeBetween || (n.kind == nodeBinary || n.kind == nodeUnary || n.kind == nodeCall) && alike[n.text]
}

// unit returns the unit of a column in n, or of a constant if there is none.
func (r *unitResolver) unit(n *node) (column, constant string) {
	switch {
	case n.kind == nodeColumn:
		return cleanUnit(r.of(n.text)), ""
	case n.kind == nodeLiteral:
		return "", cleanUnit(n.text)
	case !n.alike():
		return "", ""
	}
	for _, a := range n.args {
		c, k := r.unit(a)
		if column == "" {
			column = c
		}
		if constant == "" {
			constant = k
		}
	}
	return column, constant
}

// resolve returns n with its constants in the unit that what it belongs to
// has, "" for none.
func (r *unitResolver) resolve(n *node, unit string) (*node, error) {
	if n.kind == nodeLiteral {
		return r.convert(n, unit)
	}
	want := ""
	if n.alike() {
		column, constant := r.unit(n)
		for _, u := range []string{column, unit, constant} {
			if want == "" {
				want = u
			}
		}
		if column == "" && unit == "" && r.hasColumn(n) {
			want = "" // of columns without a unit nothing is known
		}
	}
	if n.kind == nodeCall && (n.text == "sin" || n.text == "cos" || n.text == "tan") {
		want = "rad"
	}
	out := *n
	out.args = make([]*node, len(n.args))
	for i, a := range n.args {
		var err error
		if out.args[i], err = r.resolve(a, want); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

func (r *unitResolver) hasColumn(n *node) bool {
	if n.kind == nodeColumn {
		return true
	}
	for _, a := range n.args {
		if r.hasColumn(a) {
			return true
		}
	}
	return false
}

// convert turns a constant into a number.
func (r *unitResolver) convert(n *node, to string) (*node, error) {
	if n.text == "" {
		return n, nil
	}
	from := cleanUnit(n.text)
	text := r.src[n.pos:n.end]
	if to == "" {
		return nil, errorAt(r.src, n.pos, "%s: there is no unit to turn it into; a constant with a unit is compared with, or added to, a column with one", text)
	}
	a, b := units[from], units[to]
	if a.kind != b.kind {
		what := fmt.Sprintf("it is %s", a.kind)
		return nil, errorAt(r.src, n.pos, "%s: %s, the column is in %s", text, what, to)
	}
	out := *n
	out.text = ""
	if from != to {
		out.value = FloatValue(n.value.float() * (a.size / b.size))
	}
	return &out, nil
}
