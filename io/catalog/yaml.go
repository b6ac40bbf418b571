package catalog

import (
	"strconv"
	"strings"
)

// yamlNotes reads the YAML header of ECSV that astropy keeps in Parquet files:
// the mappings in the list under "datatype:", in flow style, such as
//
//	datatype:
//	- {name: ra, unit: deg, datatype: float64, description: 'Right ascension, ICRS',
//	  meta: !!omap [{ucd: pos.eq.ra}]}
//
// or with one key to a line. It understands as much of YAML as that takes.
func yamlNotes(text string) map[string]note {
	notes := map[string]note{}
	for _, item := range yamlItems(text) {
		var name string
		var n note
		yamlScalars(item, map[string]*string{"name": &name, "unit": &n.unit, "ucd": &n.ucd, "description": &n.description})
		if name != "" {
			notes[name] = n
		}
	}
	return notes
}

// yamlScalars gives the targets the scalars that have their keys in an item, at
// any depth, the first of each key.
func yamlScalars(item string, targets map[string]*string) {
	tokens := yamlTokens(item)
	for i := 0; i+2 < len(tokens); i++ {
		target := targets[tokens[i].text]
		if target == nil || *target != "" || tokens[i+1].text != ":" || !tokens[i+1].mark || tokens[i+2].mark {
			continue
		}
		*target = tokens[i+2].text
	}
}

// yamlItems returns the items of the list under "datatype:", each as one
// string.
func yamlItems(text string) []string { return yamlList(text, "datatype:") }

// yamlList returns the items of the list under a key, which a tag may follow.
func yamlList(text, key string) []string {
	var items []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(strings.TrimPrefix(line, "# "), "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case line == key, strings.HasPrefix(line, key+" !"):
			inside = true
		case !inside:
		case line == "-" || strings.HasPrefix(line, "- "):
			items = append(items, strings.TrimSpace(line[1:]))
		case line[0] == ' ' && items != nil:
			items[len(items)-1] += "\n" + trimmed
		default:
			return items
		}
	}
	return items
}

// yamlMeta returns the entries of the list under "meta:" that have a scalar
// for a value: of each item the first key.
func yamlMeta(text string) []KeyValue {
	var meta []KeyValue
	for _, item := range yamlList(text, "meta:") {
		t := yamlTokens(item)
		if len(t) > 0 && t[0].mark && t[0].text == "{" {
			t = t[1:]
		}
		if len(t) >= 3 && !t[0].mark && t[1].mark && t[1].text == ":" && !t[2].mark && !strings.HasPrefix(t[2].text, ">") && !strings.HasPrefix(t[2].text, "|") {
			meta = append(meta, KeyValue{t[0].text, t[2].text})
		}
	}
	return meta
}

// A yamlToken is a scalar or a punctuation mark.
type yamlToken struct {
	text string
	mark bool
}

// yamlTokens cuts an item into scalars and marks; line ends outside quotes are
// commas where the item is in block style, and blanks in flow style.
func yamlTokens(s string) []yamlToken {
	var out []yamlToken
	flow := strings.HasPrefix(s, "{")
	for s != "" {
		switch c := s[0]; {
		case c == ' ' || c == '\n':
			s = s[1:]
		case strings.IndexByte("{}[],", c) >= 0, c == ':':
			out, s = append(out, yamlToken{s[:1], true}), s[1:]
		case c == '\'' || c == '"':
			var text string
			text, s = yamlQuoted(s)
			out = append(out, yamlToken{text, false})
		default:
			n := yamlPlain(s, flow)
			text := strings.Join(strings.Fields(s[:n]), " ")
			if !strings.HasPrefix(text, "!") {
				out = append(out, yamlToken{text, false})
			}
			s = s[n:]
		}
	}
	return out
}

// yamlPlain returns the length of the plain scalar that s starts with.
func yamlPlain(s string, flow bool) int {
	if s[0] == '!' { // a tag is one word
		if n := strings.IndexAny(s, " \n"); n > 0 {
			return n
		}
		return len(s)
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case ':':
			if i+1 == len(s) || strings.IndexByte(" \n", s[i+1]) >= 0 || flow && strings.IndexByte(",[]{}", s[i+1]) >= 0 {
				return i
			}
		case ',', '[', ']', '{', '}':
			if flow {
				return i
			}
		case '\n':
			if !flow {
				return i
			}
		}
	}
	return len(s)
}

// yamlQuoted returns the text of the quoted scalar that s starts with, and
// what follows it.
func yamlQuoted(s string) (text, rest string) {
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote && quote == '\'' && i+1 < len(s) && s[i+1] == quote:
			b.WriteByte(quote)
			i++
		case s[i] == quote:
			return b.String(), s[i+1:]
		case s[i] == '\\' && quote == '"' && i+1 < len(s):
			c, _, rest, err := strconv.UnquoteChar(s[i:], '"')
			if err != nil { // an escape that Go does not have
				i++
				b.WriteByte(s[i])
				continue
			}
			b.WriteRune(c)
			i = len(s) - len(rest) - 1
		case s[i] == '\n':
			b.WriteByte(' ')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}
