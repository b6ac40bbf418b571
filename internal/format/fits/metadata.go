package fits

import (
	"regexp"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// Keys longer than eight letters, and values that are more than printable
// ASCII, are in pairs of cards: MKEYn has the key, MVALn the value, each in the
// quotes of a Go string where it is not plain.
var pair = regexp.MustCompile(`^M(KEY|VAL)(\d{1,4})$`)

// structural are the keywords that are no metadata of a table: those of its
// form, and those of columns.
var structural = regexp.MustCompile(`^(XTENSION|BITPIX|NAXIS\d*|PCOUNT|GCOUNT|TFIELDS|THEAP|EXTNAME|EXTVER|EXTLEVEL|CHECKSUM|DATASUM|LONGSTRN|CONTINUE|(TTYPE|TFORM|TBCOL|TUNIT|TNULL|TSCAL|TZERO|TDISP|TDIM|TCOMM|TUCD|TUTYP|TMIN|TMAX|TDMIN|TDMAX|TLMIN|TLMAX|ZFORM|ZCTYP|ZNAXIS)\d+|ZTABLE|ZTILELEN|ZPCOUNT|ZHEAPPTR|ZTHEAP|ZHECKSUM|ZDATASUM)$`)

// Metadata returns the cards of a table as metadata, in order; COMMENT and
// HISTORY lines are joined to one value each.
func Metadata(cards []Card) []format.KeyValue {
	var out []format.KeyValue
	at := map[string]int{}
	for _, c := range cards {
		m := pair.FindStringSubmatch(c.Key)
		switch {
		case m != nil && m[1] == "KEY":
			at[m[2]] = len(out)
			out = append(out, format.KeyValue{Key: plain(c.Value)})
		case m != nil:
			if i, ok := at[m[2]]; ok {
				out[i].Value = plain(c.Value)
			}
		case c.Key == "COMMENT" || c.Key == "HISTORY":
			if i, ok := at[c.Key]; ok {
				out[i].Value += "\n" + c.Value
				continue
			}
			at[c.Key] = len(out)
			out = append(out, format.KeyValue{Key: c.Key, Value: c.Value})
		default:
			out = append(out, format.KeyValue{Key: c.Key, Value: c.Value})
		}
	}
	return out
}

// plain undoes escaped.
func plain(s string) string {
	if strings.HasPrefix(s, `"`) {
		if v, err := strconv.Unquote(s); err == nil {
			return v
		}
	}
	return s
}

// escaped returns a text in printable ASCII, in quotes unless it is such
// already and would be read as it is.
func escaped(s string) string {
	if isPlain(s) && strings.TrimSpace(s) == s && s != "" && s[0] != '"' && !strings.HasSuffix(s, "&") {
		return s
	}
	return strconv.QuoteToASCII(s)
}

// isPlain reports whether a header can have a text.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
