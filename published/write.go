package published

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// markdown writes tables with what has been measured.
func (p *Paper) markdown(w io.Writer, tables []*Table, k *kept) error {
	var s strings.Builder
	fmt.Fprintf(&s, "# %s: %s\n\nMeasured at scale %v on", p.Number, p.Title, k.Scale)
	for i, m := range k.Machines {
		fmt.Fprintf(&s, " %s: %s;", letter(i), m)
	}
	fmt.Fprintf(&s, " %s: not measured there.", dash)
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

// dash stands for a value that is not there.
const dash = "–"

// letter names a machine.
func letter(i int) string { return string(rune('A' + i)) }

func (t *Table) markdown(s *strings.Builder, k *kept) {
	fmt.Fprintf(s, "\n## %s: %s\n\n%s\n\n| data |", t.Name, t.Title, t.Differs)
	rule := "|---|"
	for i, c := range t.Columns {
		name := c.Name
		if c.Card {
			name += " (GPU)"
		}
		if t.published(i) {
			fmt.Fprintf(s, " %s, published | here | ratio |", name)
			rule += "---|---|---|"
		} else {
			fmt.Fprintf(s, " %s |", name)
			rule += "---|"
		}
	}
	s.WriteString(" on |\n" + rule + "---|\n")
	for _, r := range t.rows {
		fmt.Fprintf(s, "| %s |", r.label)
		m, there := k.Rows[t.key(r)]
		for i, c := range t.Columns {
			published, here, ratio := c.values(r, i, m)
			if t.published(i) {
				fmt.Fprintf(s, " %s | %s | %s |", number(published), number(here), number(ratio))
			} else {
				fmt.Fprintf(s, " %s |", number(here))
			}
		}
		on := dash
		if there {
			on = letter(m.On)
			if m.Scale != k.Scale {
				on += fmt.Sprintf(" at %v", m.Scale)
			}
		}
		fmt.Fprintf(s, " %s |\n", on)
	}
}

// published reports whether the paper has a value in the column.
func (t *Table) published(column int) bool {
	return slices.ContainsFunc(t.rows, func(r row) bool { return column < len(r.published) && !math.IsNaN(r.published[column]) })
}

// values returns the published value of a row in the column, that measured, and their
// ratio at its scale.
func (c *Column) values(r row, i int, m measured) (published, here, ratio float64) {
	published, here = none, none
	if i < len(r.published) {
		published = r.published[i]
	}
	if i < len(m.Values) {
		here = float64(m.Values[i])
	}
	if published == 0 && here == 0 {
		return 0, 0, 1
	}
	return published, here, here / (published * math.Pow(m.Scale, float64(c.Scales)))
}

// number writes four digits, and a dash for none.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return dash
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// csv writes a line for each value of all tables.
func (p *Paper) csv(w io.Writer, k *kept) error {
	c := csv.NewWriter(w)
	text := func(v float64) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	_ = c.Write([]string{"paper", "table", "row", "column", "scale", "published", "measured", "ratio", "machine"}) // Error tells
	for v := range valuesOf(p.Tables, k) {
		_ = c.Write([]string{p.Number, v.Table, v.Row, v.Column, text(k.Scale), text(v.Published), text(v.Measured), text(v.Ratio), v.Machine})
	}
	c.Flush()
	return c.Error()
}

// A Value is one of a table, beside the published one; NaN is none.
type Value struct {
	Table, Row, Column         string
	Published, Measured, Ratio float64 // the ratio is for the same number of rows
	Machine                    string  // that measured it, "" if it was not measured
}

// valuesOf goes through the values of tables.
func valuesOf(tables []*Table, k *kept) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for _, t := range tables {
			for _, r := range t.rows {
				m, there := k.Rows[t.key(r)]
				machine := ""
				if there {
					machine = k.Machines[m.On]
				}
				for i, col := range t.Columns {
					published, here, ratio := col.values(r, i, m)
					if !yield(Value{t.Name, r.label, col.Name, published, here, ratio, machine}) {
						return
					}
				}
			}
		}
	}
}
