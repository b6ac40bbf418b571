package text

import (
	"cmp"
	"encoding/csv"
	"errors"
	"regexp"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
)

// Tables of LaTeX, a tabular or the deluxetable of AASTeX, are translated to CSV when
// they are opened, as the tables of papers are small: rows stay in their lines. Of
// TeX's commands what they stand for is kept, or what is in their braces.

// isLaTeX recognises the beginning of a table.
func isLaTeX(start *format.Start) bool {
	for _, line := range start.Lines() {
		if latexBegin.MatchString(line) {
			return true
		}
	}
	return false
}

var (
	latexBegin   = regexp.MustCompile(`\\begin\{(tabular[*xy]?|longtable|deluxetable\*?)\}`)
	latexComment = regexp.MustCompile(`(^|[^\\])%.*`)
	// latexRule are commands between rows that are no cells.
	latexRule = regexp.MustCompile(`\\(hline|toprule|midrule|bottomrule|tableline|endhead|endfirsthead|endfoot|endlastfoot|noalign\{[^{}]*\}|c(mid)?(line|rule)(\([^()]*\))?\{[^{}]*\}|addlinespace(\[[^\]]*\])?|[vh]space\*?\{[^{}]*\}|sidehead\{[^{}]*\}|cutinhead\{[^{}]*\})`)
	// latexHead is how a column is named in a deluxetable.
	latexHead = regexp.MustCompile(`\\(twocol|multicol|no)?(colhead|head)\s*`)
	latexNote = regexp.MustCompile(`\\(tablenotemark|footnotemark|tablefootmark|label|cite[pt]?|ref)(\[[^\]]*\])?\{[^{}]*\}|\\tablebreak|\\phn|\\phd|\\phs|\\phm(\{[^{}]*\})?|\\[hv]?phantom\{[^{}]*\}`)
	latexTen  = regexp.MustCompile(`\s*\\(?:times|cdot)\s*10\^\{?\s*([+-]?\d+)\s*\}?`)
	latexMany = regexp.MustCompile(`^\\multi(?:column|row)\{(\d+)\}\{[^{}]*\}`)
	latexWord = regexp.MustCompile(`\\([a-zA-Z]+)\*?\s*`)
	// latexPoint is a command, and what it may be set above: the point of a number.
	latexPoint = regexp.MustCompile(`\\([a-zA-Z]+)[\s{}$]*(\d*)`)
	// latexInNumber is a command between digits.
	latexInNumber = regexp.MustCompile(`\d[\s$]*\\([a-zA-Z]+)\*?[\s$]*\.?\d`)
)

// latexWords are commands that stand for text; of others the braces are kept.
var latexWords = map[string]string{
	"textbackslash": "\x00b", "textasciitilde": "\x00t", "textasciicircum": "\x00c", "textless": "<", "textgreater": ">", "textbar": "|", "pm": "±", "infty": "inf",
	"nodata": "", "ldots": "…", "dots": "…", "cdots": "…", "degr": "°", "deg": "°", "arcdeg": "°", "quad": " ", "qquad": " ", "enspace": " ", "thinspace": " ", "arcmin": "'", "arcsec": `"`, "mu": "µ", "textmu": "μ", "AA": "Å", "odot": "☉", "oplus": "⊕", "circ": "°", "prime": "′", "lt": "<", "gt": ">", "sim": "\x00t",
	"le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "lesssim": "≲", "gtrsim": "≳", "la": "≲", "ga": "≳", "ll": "≪", "gg": "≫", "approx": "≈", "simeq": "≃", "mp": "∓", "times": "×", "cdot": "·",
}

// latexUnits has the names of units that are signs.
var latexUnits = strings.NewReplacer("°", "deg", "′′", "arcsec", "″", "arcsec", "′", "arcmin", "_☉", "sun", "☉", "sun", "_⊕", "earth", "⊕", "earth", "Å", "Angstrom", "Ω", "Ohm", "M_J", "Mjup", "R_inf", "Ry", "µ ", "u", "μ ", "u", "µ", "u", "μ", "u")

// greek are the letters that TeX has as commands, in formulas.
var greek = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "nu": "ν",
	"xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}

// latexCSV returns a table as CSV, a line of names and rows, and the units where they
// are told from rows.
func latexCSV(text string) (table string, units []string, err error) {
	begin := latexBegin.FindStringSubmatchIndex(text)
	if begin == nil {
		return "", nil, errors.New("there is no \\begin{tabular} and no \\begin{deluxetable}")
	}
	kind := text[begin[2]:begin[3]]
	var t latexTable
	t.lines = strings.Count(text[:begin[1]], "\n")
	body := latexComment.ReplaceAllString(text[begin[1]:], "$1")
	body = strings.ReplaceAll(body, `\tabularnewline`, `\\`)
	if end := strings.Index(body, `\end{`+kind+`}`); end >= 0 {
		body = body[:end]
	}
	if strings.HasPrefix(kind, "deluxe") {
		if at := strings.LastIndex(body, `\tablehead`); at >= 0 {
			t.skip(body[:at])
			inside, after := braced(body[at+len(`\tablehead`):])
			names, below, _ := strings.Cut(latexHead.ReplaceAllString(inside, ""), `\\`)
			t.rows(names)
			t.skip(below)
			below, _, _ = strings.Cut(below, `\\`)
			if units = each.Of(latexCells(below), latexUnits.Replace); !mayBeUnits(units) {
				units = nil
			}
			for i, u := range units {
				units[i] = latexUnits.Replace(strings.Trim(u, "()[]"))
			}
			t.lines += strings.Count(body[at:len(body)-len(after)], "\n") - strings.Count(inside, "\n")
			body = after
		}
		start, data, ok := strings.Cut(body, `\startdata`)
		if !ok {
			return "", nil, errors.New("the deluxetable has no \\startdata")
		}
		t.skip(start)
		body, _, _ = strings.Cut(data, `\enddata`)
	} else {
		for strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") { // width, columns
			if _, after, ok := strings.Cut(body, "]"); ok && body[0] == '[' {
				body = after
				continue
			}
			_, after := braced(body)
			if after == body {
				return "", nil, errors.New("the columns of the tabular are not in braces")
			}
			t.skip(body[:len(body)-len(after)])
			body = after
		}
	}
	t.rows(body)
	units = t.settleMarks(units, strings.HasPrefix(kind, "deluxe"))
	return t.csv(), units, t.err
}

// A latexTable is a table that is being translated.
type latexTable struct {
	lines int // of the file that have been read
	read  []latexRow
	err   error // the first row that cannot be read
}

// A latexRow is a row, and the lines before it.
type latexRow struct {
	cells []string
	line  int
}

// csv is the table as CSV, each row in its line, as far as rows do not share one.
func (t *latexTable) csv() string {
	var out strings.Builder
	at := 0 // lines of out
	w := csv.NewWriter(&out)
	for _, row := range t.read {
		for ; at < row.line; at++ {
			out.WriteByte('\n')
		}
		if w.Write(row.cells) == nil {
			w.Flush()
			at++
		}
	}
	return out.String()
}

// skip goes over text without rows.
func (t *latexTable) skip(text string) { t.lines += strings.Count(text, "\n") }

// rows writes the rows in a text, each in the line in which it starts, as far as
// rows do not share one.
func (t *latexTable) rows(text string) {
	for text != "" {
		row, rest := text, ""
		if at := strings.Index(text, `\\`); at >= 0 {
			row, rest = text[:at], text[at+2:]
			if strings.HasPrefix(rest, "[") { // space below the row
				if _, after, ok := strings.Cut(rest, "]"); ok {
					rest = after
				}
			}
		}
		text = rest
		content := strings.TrimLeft(latexRule.ReplaceAllString(row, ""), " \t\r\n")
		line := t.lines + strings.Count(row, "\n") - strings.Count(content, "\n")
		t.skip(row)
		if content = strings.TrimSpace(content); content == "" {
			continue
		}
		plain := latexTen.ReplaceAllString(latexNote.ReplaceAllString(content, ""), "")
		for _, m := range latexInNumber.FindAllStringSubmatch(plain, -1) {
			if _, mark := latexPoints[m[1]]; t.err == nil && !mark && cmp.Or(latexWords[m[1]], greek[m[1]]) == "" {
				t.err = lineError(line+1, "\\%s is in %s, between digits, and is not known: write the number without it", m[1], format.Clip(m[0]))
			}
		}
		if cells := latexCells(content); len(cells) > 0 {
			t.read = append(t.read, latexRow{cells, line})
		}
	}
}

// latexCells returns the plain text of the cells of a row.
func latexCells(row string) (cells []string) {
	lo, depth := 0, 0
	for i := 0; i <= len(row); i++ {
		switch {
		case i == len(row) || row[i] == '&' && depth == 0:
			cell := strings.TrimSpace(row[lo:i])
			more := 1
			if m := latexMany.FindStringSubmatch(cell); m != nil && len(m[1]) < 4 {
				cell = cell[len(m[0]):]
				more = 0
				for _, c := range m[1] {
					more = 10*more + int(c-'0')
				}
			}
			cells = append(cells, latexPlain(cell))
			for ; more > 1; more-- {
				cells = append(cells, "")
			}
			lo = i + 1
		case row[i] == '\\':
			i++
		case row[i] == '{':
			depth++
		case row[i] == '}':
			depth--
		}
	}
	return cells
}

// latexPlain returns what a cell says.
func latexPlain(cell string) string {
	cell = latexNote.ReplaceAllString(cell, "")
	cell = latexTen.ReplaceAllString(strings.ReplaceAll(cell, `\mathring{A}`, "Å"), "e$1")
	for {
		before, rest, found := strings.Cut(cell, `\frac{`)
		if !found {
			break
		}
		above, rest := braced("{" + rest)
		below, rest := braced(rest)
		if strings.ContainsAny(below, ` \,`) {
			below = "(" + below + ")"
		}
		cell = before + above + "/" + below + rest
	}
	cell = latexPoint.ReplaceAllStringFunc(cell, markBehind)
	cell = strings.NewReplacer(`\_`, "\x00_", `\&`, "&", `\%`, "%", `\#`, "#", `\$`, "\x00d", `\{`, "\x00l", `\}`, "\x00r", `\,`, " ", `\;`, " ", `\:`, " ", `\ `, " ", `\!`, "", `\/`, "").Replace(cell)
	cell = latexWord.ReplaceAllStringFunc(cell, func(word string) string {
		name := strings.TrimRight(word, "* \t\r\n")[1:]
		return cmp.Or(latexWords[name], greek[name])
	})
	cell = strings.NewReplacer("$^{", "", "$", "", "{", "", "}", "", "~", " ", "\\", "", "^", "", "\r", " ", "\n", " ").Replace(cell)
	cell = strings.NewReplacer("\x00_", "_", "\x00d", "$", "\x00l", "{", "\x00r", "}", "\x00b", `\`, "\x00t", "~", "\x00c", "^").Replace(cell)
	switch cell = strings.TrimSpace(cell); cell {
	case "...", "--", "---", "…", "–", "—":
		return ""
	}
	return cell
}

// braced returns what is in the braces that a text starts with, and what follows.
func braced(text string) (inside, after string) {
	lo := strings.IndexByte(text, '{')
	if lo < 0 {
		return "", text
	}
	depth := 0
	for i := lo; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[lo+1 : i], text[i+1:]
			}
		}
	}
	return text[lo+1:], ""
}

// readLaTeX reads the names and units of the translation.
func (s *reader) readLaTeX(in *head) error {
	if err := s.readNamed(in, func(string) *dialect { return newDialect(',', `"`, 0, false) }); err != nil {
		return err
	}
	if s.notes = nil; s.source.units != nil {
		s.units = headerRow{}
		if len(s.source.units) == len(s.Columns) {
			s.setUnits(s.source.units)
		}
	}
	for i, u := range s.units.cells {
		s.units.cells[i] = latexUnits.Replace(u)
	}
	return nil
}
