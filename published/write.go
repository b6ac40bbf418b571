package published

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// markdown writes tables with what has been measured.
func (p *Paper) markdown(w io.Writer, tables []*Table, k *kept) error {
	var s strings.Builder
	fmt.Fprintf(&s, "# %s: %s\n\nMeasured at scale %v on %s.", p.Number, p.Title, k.Scale, k.Machine)
	if k.Scale != 1 {
		s.WriteString(" Radii keep the neighbours of a row; sums over all rows are compared with that part of the published ones.")
	}
	s.WriteString("\n")
	for _, t := range tables {
		t.markdown(&s, k)
	}
	if len(p.Not) > 0 {
		s.WriteString("\nNot made:\n\n")
		for _, n := range p.Not {
			fmt.Fprintf(&s, "- %s: %s.\n", n.What, n.Why)
		}
	}
	_, err := io.WriteString(w, s.String())
	return err
}

func (t *Table) markdown(s *strings.Builder, k *kept) {
	fmt.Fprintf(s, "\n## %s: %s\n\n%s\n\n| data, ε |", t.Name, t.Title, t.Differs)
	for _, c := range t.Columns {
		fmt.Fprintf(s, " %s, published | here | ratio |", c.Name)
	}
	s.WriteString("\n|---|" + strings.Repeat("---|---|---|", len(t.Columns)) + "\n")
	for _, r := range t.rows {
		fmt.Fprintf(s, "| %s |", r.label)
		for i, c := range t.Columns {
			published, here, ratio := c.values(r, i, k.Rows[t.key(r)], k.Scale)
			fmt.Fprintf(s, " %s | %s | %s |", number(published), number(here), number(ratio))
		}
		s.WriteString("\n")
	}
}

// values returns the published value of a row in the column, that measured, and their
// ratio at the scale.
func (c *Column) values(r row, i int, measured []value, scale float64) (published, here, ratio float64) {
	published, here = none, none
	if i < len(r.published) {
		published = r.published[i]
	}
	if i < len(measured) {
		here = float64(measured[i])
	}
	return published, here, here / (published * math.Pow(scale, float64(c.Scales)))
}

// number writes four digits, and a dash for none.
func number(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// csv writes a line for each value of all tables.
func (p *Paper) csv(w io.Writer, k *kept) error {
	c := csv.NewWriter(w)
	text := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	_ = c.Write([]string{"paper", "table", "row", "column", "scale", "published", "measured", "ratio"}) // Error tells
	for _, t := range p.Tables {
		for _, r := range t.rows {
			for i, col := range t.Columns {
				published, here, ratio := col.values(r, i, k.Rows[t.key(r)], k.Scale)
				_ = c.Write([]string{p.Number, t.Name, r.label, col.Name, text(k.Scale), text(published), text(here), text(ratio)})
			}
		}
	}
	c.Flush()
	return c.Error()
}
