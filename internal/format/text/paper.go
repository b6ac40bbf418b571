package text

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
)

// A paper is what the forms of tables in papers have in common (MRT, IPAC, LaTeX):
// a row is a line, and numbers may end where their uncertainty makes them end.
type paper struct {
	fields []format.Field
	cell   []cell.Func
	opt    format.WriteOptions
}

// newPaper returns the cells of columns, none of which may have lists.
func newPaper(fields []format.Field, opt format.WriteOptions) (paper, error) {
	p := paper{fields: fields, opt: opt}
	for _, f := range fields {
		text, err := cell.Of(f, 0)
		switch {
		case f.Type == format.List:
			err = format.Requestf("column %q (%s) has no place in a table of a paper, whose cells are one value", f.Name, f.Text)
		case f.Type == format.String:
			text = func(dst []byte, c *format.Column, row int) []byte { return append(dst, oneLine(c.String[row])...) }
		}
		if err != nil {
			return p, err
		}
		p.cell = append(p.cell, text)
	}
	return p, nil
}

// oneLine is a text without what ends lines and columns of characters.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, s))
}

// append appends the cell of a row of the i-th column, nothing for null.
func (p *paper) append(dst []byte, cols []format.Column, i, row int) []byte {
	if cols[i].IsNull(row) {
		return dst
	}
	if p.opt.Digits > 0 && p.fields[i].Type.IsFloat() {
		if digits, ok := p.decimals(cols, i, row); ok {
			return appendRounded(dst, floatAt(&cols[i], row), digits)
		}
	}
	return p.cell[i](dst, &cols[i], row)
}

// decimals returns after how many digits behind the point a value ends, before it
// if the number is negative: where the last of the digits of the uncertainty is, its
// own or that which it is of. There is none without an uncertainty.
func (p *paper) decimals(cols []format.Column, i, row int) (int, bool) {
	of, per := i, 1.
	if u, ok := p.opt.Uncertainty[i]; ok {
		of, per = u.Column, u.Per
	} else if !p.opt.IsUncertainty(i) {
		return 0, false
	}
	if cols[of].IsNull(row) {
		return 0, false
	}
	u := floatAt(&cols[of], row) * per
	if !(u > 0) || math.IsInf(u, 0) {
		return 0, false
	}
	text := strconv.AppendFloat(nil, u, 'e', p.opt.Digits-1, 64)
	exponent, err := strconv.Atoi(string(text[bytes.IndexByte(text, 'e')+1:]))
	return p.opt.Digits - 1 - exponent, err == nil
}

// floatAt returns the value of a column of floats.
func floatAt(c *format.Column, row int) float64 {
	if c.Float32 != nil {
		return float64(c.Float32[row])
	}
	return c.Float64[row]
}

// appendRounded writes a number that ends so many digits behind its point.
func appendRounded(dst []byte, v float64, digits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return cell.AppendFloat(dst, v, 64)
	}
	if digits < 0 {
		unit := math.Pow10(-digits)
		v, digits = math.Round(v/unit)*unit, 0
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', digits, 64)
	if dst[start] == '-' && len(bytes.Trim(dst[start+1:], "0.")) == 0 {
		dst = append(dst[:start], dst[start+1:]...)
	}
	return dst
}

// plainNames returns the names of columns without characters that a form does not
// have in names, each once.
func plainNames(fields []format.Field, unfit func(rune) bool) (names []string) {
	taken := map[string]bool{}
	for _, f := range fields {
		name := strings.Map(func(c rune) rune {
			if unfit(c) {
				return '_'
			}
			return c
		}, f.Name)
		for plain, n := name, 1; taken[name]; n++ {
			name = plain + "_" + strconv.Itoa(n)
		}
		taken[name] = true
		names = append(names, name)
	}
	return names
}

// metadata returns the title of a table, "" if it has none, and what else is known
// of it, without what programs tell each other.
func (p *paper) metadata() (title string, rest []format.KeyValue) {
	for _, kv := range p.opt.Metadata {
		switch {
		case strings.EqualFold(kv.Key, "title"):
			title = oneLine(kv.Value)
		case !strings.Contains(kv.Value, "\n"):
			rest = append(rest, kv)
		}
	}
	return title, rest
}
