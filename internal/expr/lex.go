package expr

import (
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
	case isDigit(rest[0]) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		end := pos + numberLength(rest)
		return token{kind: tokenNumber, text: src[pos:end], pos: pos, end: end}
	case isNameStart(c):
		end := pos + nameLength(rest)
		return token{kind: tokenName, text: src[pos:end], pos: pos, end: end}
	}
	for _, symbol := range symbols {
		if strings.HasPrefix(rest, symbol.written) {
			return token{kind: tokenSymbol, text: symbol.means, pos: pos, end: pos + len(symbol.written)}
		}
	}
	switch c {
	case '&', '|':
		s.Fail(pos, "%c is no operator; write %c%c or %s", c, c, c, map[rune]string{'&': "and", '|': "or"}[c])
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
			n := elementLength(src[t.end:])
			t.text += src[t.end : t.end+n]
			t.end += n
			if t.text == "" {
				s.Fail(pos, "a column name cannot be empty")
			}
		}
		return t
	}
	panic(s.ErrorAt(pos, "the quote %c is never closed", q))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(c rune) bool { return c == '_' || c != utf8.RuneError && unicode.IsLetter(c) }

// nameLength is the length of the plain name that s starts with: letters,
// digits, _ . and $, and an element such as [0].
func nameLength(s string) int {
	for i, c := range s {
		if !isNameStart(c) && !unicode.IsDigit(c) && c != '.' && c != '$' {
			return i + elementLength(s[i:])
		}
	}
	return len(s)
}

// elementLength is the length of the element, such as [12], that s starts
// with; 0 if it starts with none.
func elementLength(s string) int {
	if s == "" || s[0] != '[' {
		return 0
	}
	n := 1
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == 1 || n == len(s) || s[n] != ']' {
		return 0
	}
	return n + 1
}

// numberLength is the length of the number that s starts with.
func numberLength(s string) int {
	n := 0
	digits := func() {
		for n < len(s) && isDigit(s[n]) {
			n++
		}
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		mark := n
		n++
		if n < len(s) && (s[n] == '+' || s[n] == '-') {
			n++
		}
		if n == len(s) || !isDigit(s[n]) {
			return mark
		}
		digits()
	}
	return n
}
