package expr

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenName             // a plain name, which may be a word of the language
	tokenQuoted           // a quoted column name
	tokenNumber
	tokenText
	tokenSymbol
)

// A token is a word of the source. text is what it means: without quotes, and
// in lower case for nothing but the comparison with words of the language.
type token struct {
	kind     tokenKind
	text     string
	pos, end int // bytes of the source
}

// is reports whether t is the symbol or, in any case, the word s.
func (t token) is(s string) bool {
	switch t.kind {
	case tokenSymbol:
		return t.text == s
	case tokenName:
		return strings.EqualFold(t.text, s)
	default:
		return false
	}
}

// symbols lists the operators, longer ones before their prefixes, with the
// spelling the parser uses.
var symbols = [...]struct{ written, means string }{
	{"==", "="}, {"!=", "!="}, {"<>", "!="}, {"<=", "<="}, {">=", ">="}, {"&&", "and"}, {"||", "or"}, {"**", "^"}, {"//", "//"},
	{"=", "="}, {"<", "<"}, {">", ">"}, {"!", "not"}, {"+", "+"}, {"-", "-"}, {"*", "*"}, {"/", "/"}, {"%", "%"}, {"^", "^"},
	{"(", "("}, {")", ")"}, {",", ","},
}

// What numbers and plain names look like: a name has letters, digits, _ . and $,
// and may end in an element such as [0].
var (
	numberStart = regexp.MustCompile(`^\.?[0-9]`)
	wholeNumber = regexp.MustCompile(`^[0-9]*(\.[0-9]*)?([eE][+-]?[0-9]+)?`)
	wholeName   = regexp.MustCompile(`^[\pL_\p{Nd}.$]*(\[[0-9]+\])?`)
	element     = regexp.MustCompile(`^\[[0-9]+\]`)
)

// next returns the token at or after byte pos.
func (s Source) next(pos int) token {
	src := string(s)
	rest := strings.TrimLeftFunc(src[pos:], unicode.IsSpace)
	pos = len(src) - len(rest)
	if rest == "" {
		return token{kind: tokenEnd, pos: pos, end: pos}
	}
	c, _ := utf8.DecodeRuneInString(rest)
	switch {
	case c == '\'' || c == '"' || c == '`':
		return s.quoted(pos)
	case numberStart.MatchString(rest):
		text := wholeNumber.FindString(rest)
		return token{tokenNumber, text, pos, pos + len(text)}
	case c == '_' || unicode.IsLetter(c):
		text := wholeName.FindString(rest)
		return token{tokenName, text, pos, pos + len(text)}
	}
	for _, symbol := range symbols {
		if strings.HasPrefix(rest, symbol.written) {
			return token{tokenSymbol, symbol.means, pos, pos + len(symbol.written)}
		}
	}
	switch c {
	case '&', '|':
		s.Fail(pos, "%c is not an operator; write %c%c or %s", c, c, c, map[rune]string{'&': "and", '|': "or"}[c])
	case ';':
		s.Fail(pos, "; has no meaning here; combine conditions with and, or")
	}
	panic(s.ErrorAt(pos, "unexpected character %q", c))
}

// quoted reads text in single quotes or a name in double quotes or
// backquotes, in which a doubled quote stands for itself.
func (s Source) quoted(pos int) token {
	src, q := string(s), s[pos]
	var text strings.Builder
	for i := pos + 1; i < len(src); i++ {
		if src[i] != q {
			text.WriteByte(src[i])
			continue
		}
		if i+1 < len(src) && src[i+1] == q {
			text.WriteByte(q)
			i++
			continue
		}
		t := token{kind: tokenText, text: text.String(), pos: pos, end: i + 1}
		if q != '\'' {
			t.kind = tokenQuoted
			part := element.FindString(src[t.end:])
			t.text += part
			t.end += len(part)
			if t.text == "" {
				s.Fail(pos, "a column name cannot be empty")
			}
		}
		return t
	}
	panic(s.ErrorAt(pos, "the quote %c is never closed", q))
}
