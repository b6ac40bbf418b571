package text

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"skyjoin/internal/format"
)

// A latex writes a table as AASTeX has them: a deluxetable. Numbers are in columns of
// mathematics (R), where a minus is one, and null is \nodata.
type latex struct {
	paper
	to    format.Sink
	buf   []byte
	joins []bool // columns of uncertainties that stand behind their values
	rows  bool   // some are written
}

// createLaTeX writes a table as a deluxetable. With --digits the uncertainty of a
// value stands behind it.
func createLaTeX(to format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	p, err := newPaper(fields, opt)
	if err != nil {
		return nil, err
	}
	l := &latex{paper: p, to: to, joins: make([]bool, len(fields))}
	for i, u := range opt.Uncertainty {
		l.joins[u.Column] = opt.Digits > 0 && u.Column != i && u.Per == 1
	}
	l.head()
	return l, nil
}

// head writes what is above the rows.
func (l *latex) head() {
	var align, plain, names, units string
	raw, some := true, false
	for i, f := range l.fields {
		if l.joins[i] {
			continue
		}
		a := "R"
		if isText(f.Type) {
			a = "l"
		}
		and := ""
		if align != "" {
			and = " & "
		}
		align += a
		unit := latexUnit(f.Unit)
		raw, some = raw && !strings.ContainsAny(f.Name, `\{}%#&~^$`), some || unit != ""
		plain += and + `\colhead{` + f.Name + "}"
		names += and + `\colhead{` + latexText(f.Name) + "}"
		units += and + `\colhead{` + unit + "}"
	}
	var b strings.Builder
	title, rest := l.metadata()
	for _, kv := range rest {
		fmt.Fprintf(&b, "%% %s = %s\n", oneLine(kv.Key), oneLine(kv.Value))
	}
	fmt.Fprintf(&b, "\\begin{deluxetable}{%s}\n", align)
	if title != "" {
		fmt.Fprintf(&b, "\\tablecaption{%s}\n", latexText(title))
	}
	if !raw {
		plain = names
	}
	if some || plain != names {
		// TeX takes the last; programs such as astropy know the names alone, in one line.
		fmt.Fprintf(&b, "\\tablehead{%s}\n", plain)
	}
	if some {
		names += ` \\ ` + units
	}
	fmt.Fprintf(&b, "\\tablehead{%s}\n\\startdata\n", names)
	l.buf = append(l.buf, b.String()...)
}

// Rows implements [format.Writer].
func (l *latex) Rows(ctx context.Context, cols []format.Column) error {
	for row := range cols[0].Len() {
		if l.rows { // the last row has no end, which would begin another
			l.buf = append(l.buf, ` \\`...)
			l.buf = append(l.buf, '\n')
		}
		l.rows = true
		and := false
		for i := range cols {
			if l.joins[i] {
				continue
			}
			if and {
				l.buf = append(l.buf, " & "...)
			}
			and = true
			l.cell(cols, i, row)
		}
		if len(l.buf) > 1<<16 {
			if err := l.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// cell writes a cell, and the uncertainty of its value if that joins it.
func (l *latex) cell(cols []format.Column, i, row int) {
	text := l.append(nil, cols, i, row)
	switch {
	case len(text) == 0 || string(text) == "nan":
		l.buf = append(l.buf, `\nodata`...)
		return
	case isText(l.fields[i].Type):
		l.buf = append(l.buf, latexText(string(text))...)
		return
	}
	l.buf = append(l.buf, latexNumber(text)...)
	if u, ok := l.opt.Uncertainty[i]; ok && l.joins[u.Column] {
		if of := l.append(nil, cols, u.Column, row); len(of) > 0 && string(of) != "nan" {
			l.buf = append(append(l.buf, ` \pm `...), latexNumber(of)...)
		}
	}
}

// latexNumber writes a number: a power of ten where it has an exponent.
func latexNumber(text []byte) []byte {
	mantissa, exponent, ok := bytes.Cut(text, []byte("e"))
	if !ok {
		return bytes.Replace(text, []byte("inf"), []byte(`\infty`), 1)
	}
	return fmt.Appendf(nil, `%s\times10^{%s}`, mantissa, bytes.TrimPrefix(exponent, []byte("+")))
}

// latexEscapes has what TeX takes for commands, and letters that it has in formulas
// only.
var latexEscapes = func() *strings.Replacer {
	pairs := []string{`\`, `\textbackslash{}`, "_", `\_`, "&", `\&`, "%", `\%`, "#", `\#`, "$", `\$`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
		"<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, "μ", `\textmu{}`, "☉", `$\odot$`}
	for name, letter := range greek {
		pairs = append(pairs, letter, `$\`+name+`$`)
	}
	return strings.NewReplacer(pairs...)
}()

// latexText writes text without what TeX takes for commands.
func latexText(s string) string { return latexEscapes.Replace(oneLine(s)) }

func (l *latex) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := l.to.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

// Close implements [format.Writer].
func (l *latex) Close(ctx context.Context) error {
	if l.rows {
		l.buf = append(l.buf, '\n')
	}
	l.buf = append(l.buf, "\\enddata\n\\end{deluxetable}\n"...)
	return l.flush(ctx)
}
