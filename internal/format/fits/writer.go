package fits

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// WriteHeaders writes the headers of a file with one binary table: the primary
// header without data, and that of the table. Rows, heap and the rest of the
// last block, by [Padding], are for the caller to write after it. Of a Column
// the fields Name, Form, Dim, Unit, Comment, UCD, Null and Zero count; heap is the
// length of the heap in bytes.
func WriteHeaders(w io.Writer, cols []Column, rows, rowBytes, heap int64, meta []format.KeyValue) error {
	if len(cols) > maxColumns {
		return fmt.Errorf("%d columns, FITS has at most %d", len(cols), maxColumns)
	}
	var h headerWriter
	h.plain("SIMPLE", "T")
	h.plain("BITPIX", "8")
	h.plain("NAXIS", "0")
	h.plain("EXTEND", "T")
	h.end()
	h.text("XTENSION", "BINTABLE")
	for _, c := range []struct {
		key   string
		value int64
	}{
		{"BITPIX", 8}, {"NAXIS", 2}, {"NAXIS1", rowBytes}, {"NAXIS2", rows}, {"PCOUNT", heap}, {"GCOUNT", 1}, {"TFIELDS", int64(len(cols))},
	} {
		h.plain(c.key, fmt.Sprint(c.value))
	}
	for i := range cols {
		h.column(&cols[i], i+1)
	}
	h.metadata(meta)
	h.end()
	_, err := w.Write(h.b)
	return err
}

// Padding returns the bytes that fill up the last block after n bytes of data.
func Padding(n int64) []byte { return make([]byte, (BlockBytes-n%BlockBytes)%BlockBytes) }

// A headerWriter makes the cards of headers.
type headerWriter struct{ b []byte }

func (h *headerWriter) card(s string) { h.b = append(h.b, fmt.Sprintf("%-*s", cardBytes, s)...) }

// plain writes a number or a logical value, which end in column 30.
func (h *headerWriter) plain(key, value string) { h.card(fmt.Sprintf("%-8s= %20s", key, value)) }

// end ends a header.
func (h *headerWriter) end() {
	h.card("END")
	for len(h.b)%BlockBytes != 0 {
		h.b = append(h.b, ' ')
	}
}

// text writes a string, on as many cards as it takes.
func (h *headerWriter) text(key, value string) {
	const most = cardBytes - len("CONTINUE  ''")
	head := fmt.Sprintf("%-8s= ", key)
	for {
		n, length := 0, 0
		for n < len(value) {
			size := 1
			if value[n] == '\'' {
				size = 2
			}
			if length+size > most-1 { // room for &
				break
			}
			length += size
			n++
		}
		part, rest := value[:n], value[n:]
		if rest != "" {
			part += "&"
		}
		h.card(head + fmt.Sprintf("'%-8s'", strings.ReplaceAll(part, "'", "''")))
		if rest == "" {
			return
		}
		head, value = "CONTINUE  ", rest
	}
}

// column writes the cards of a column.
func (h *headerWriter) column(c *Column, n int) {
	for _, t := range []struct{ key, value string }{
		{"TTYPE", c.Name}, {"TFORM", c.Form}, {"TDIM", c.Dim}, {"TUNIT", unitASCII.Replace(c.Unit)}, {"TCOMM", strings.Join(strings.Fields(c.Comment), " ")}, {"TUCD", c.UCD},
	} {
		if t.value != "" {
			h.text(fmt.Sprintf("%s%d", t.key, n), ascii(t.value))
		}
	}
	if c.HasNull {
		h.plain(fmt.Sprintf("TNULL%d", n), fmt.Sprint(c.Null))
	}
	if c.Zero != 0 {
		h.plain(fmt.Sprintf("TZERO%d", n), fmt.Sprintf("%.0f", c.Zero))
	}
}

// unitASCII has the letters of units that FITS spells otherwise.
var unitASCII = strings.NewReplacer("µ", "u", "μ", "u", "Å", "Angstrom", "°", "deg")

// ascii replaces characters that a header cannot contain by their Go escapes.
func ascii(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r >= ' ' && r <= '~' {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// escape is a character that [ascii] has replaced.
var escape = regexp.MustCompile(`\\(?:u[0-9a-f]{4}|U[0-9a-f]{8})`)

// unescaped is a text of a header with the characters that [ascii] has replaced.
func unescaped(s string) string {
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		if r, _, _, err := strconv.UnquoteChar(e, 0); err == nil && r > 0x9f {
			return string(r)
		}
		return e
	})
}

// keyword matches keys of metadata that can be keywords.
var keyword = regexp.MustCompile(`^[A-Z0-9_-]{1,8}$`)

// reserved are keywords that a table must not have in its metadata.
var reserved = regexp.MustCompile(`^(SIMPLE|EXTEND|END|GROUPS|BLOCKED|INHERIT|ZTABLE|ZIMAGE|T[A-Z]+\d+)$`)

func (h *headerWriter) metadata(meta []format.KeyValue) {
	pairs := 0
	for _, kv := range meta {
		switch {
		case kv.Key == "COMMENT" || kv.Key == "HISTORY":
			h.lines(kv.Key, kv.Value)
		case kv.Key == ecsv.MetaKey && isPlain(strings.ReplaceAll(kv.Value, "\n", "")):
			h.lines("COMMENT", astropyComments(ecsv.WithMixins(kv.Value)))
		case keyword.MatchString(kv.Key) && !structural.MatchString(kv.Key) && !reserved.MatchString(kv.Key) && !pair.MatchString(kv.Key) && escaped(kv.Value) == kv.Value:
			h.text(kv.Key, kv.Value)
		default:
			if pairs++; pairs > 9999 {
				return
			}
			h.text(fmt.Sprintf("MKEY%d", pairs), escaped(kv.Key))
			h.text(fmt.Sprintf("MVAL%d", pairs), escaped(kv.Value))
		}
	}
}

// astropyComments returns a header of ECSV as comments: astropy marks them, and
// breaks lines after 70 characters by a backslash.
func astropyComments(text string) string {
	const most = 70
	b := []byte(astropyBegin)
	for line := range strings.Lines(text) {
		for len(line) > most+1 { // with its end
			b = append(b, line[:most]+"\\\n"...)
			line = line[most:]
		}
		b = append(b, line...)
	}
	return string(b) + astropyEnd
}

// lines writes commentary, a card for each line or part of one.
func (h *headerWriter) lines(key, text string) {
	const most = cardBytes - 8
	for line := range strings.SplitSeq(text, "\n") {
		line = ascii(line)
		for {
			n := min(len(line), most)
			h.card(fmt.Sprintf("%-8s%s", key, line[:n]))
			if line = line[n:]; line == "" {
				break
			}
		}
	}
}
