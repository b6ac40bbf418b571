// Package human writes counts, times and tables as people read them.
package human

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"skyjoin/internal/each"
)

// Commas writes a count with a comma every three digits.
func Commas(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Plural writes a count of things: "1 row", "2,000 rows".
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Commas(n) + " " + many
}

// SecondsText writes a duration in seconds for people: "0.42 s", "3 m 05 s".
func SecondsText(s float64) string {
	switch {
	case s < 10:
		return fmt.Sprintf("%.2f s", s)
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	case s < 6000:
		t := int64(math.Round(s))
		return fmt.Sprintf("%d m %02d s", t/60, t%60)
	}
	t := int64(math.Round(s / 60))
	return fmt.Sprintf("%d h %02d m", t/60, t%60)
}

// RowList writes the first row numbers of a longer list.
func RowList(first []int64, all int64) string {
	items := each.Of(first, func(r int64) string { return strconv.FormatInt(r, 10) })
	if int64(len(first)) < all {
		items = append(items, "…")
	}
	return strings.Join(items, ", ")
}

// FloatText writes a float so that it reads back the same.
func FloatText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Printable escapes characters that a terminal would obey instead of showing, as
// in a string of Go: names in files may hold anything.
func Printable(text string) string {
	if strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case !isControl(r):
			b.WriteRune(r)
		case r == utf8.RuneError:
			_, size := utf8.DecodeRuneInString(text[i:])
			b.WriteString(strings.Trim(strconv.Quote(text[i:i+size]), `"`))
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

func isControl(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }

// A Grid is text in columns, written with two blanks between them.
type Grid struct {
	Rows  [][]string
	Right map[int]bool // columns set flush right
}

func (g *Grid) Add(cells ...string) {
	for i := range cells {
		cells[i] = Printable(cells[i])
	}
	g.Rows = append(g.Rows, cells)
}

// Write writes the table.
func (g *Grid) Write(w io.Writer) error {
	_, err := io.WriteString(w, g.String())
	return err
}

// String returns the table, without blanks at the ends of lines.
func (g *Grid) String() string {
	var width []int
	for _, row := range g.Rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range g.Rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if g.Right[i] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Short cuts a text to n letters and keeps it on one line.
func Short(text string, n int) string {
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > n {
		return string(letters[:n-1]) + "…"
	}
	return string(letters)
}
