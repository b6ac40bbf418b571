package votable

import (
	"bufio"
	"bytes"
)

// plainRow reads a row as nearly all programs write it: TR and TD without attributes,
// one TD for each field, and text of ASCII without references. That takes a fraction
// of the time of the XML decoder. It returns false, having read nothing, for any
// other row, which is left to the decoder.
func (d *tableData) plainRow(want []bool) (bool, error) {
	in, ok := d.in.ByteReader.(*bufio.Reader)
	if !ok {
		return false, nil
	}
	row, _ := in.Peek(in.Buffered())
	end, whole := d.split(row)
	if !whole { // the rest may not have been read from the file yet
		row, _ = in.Peek(in.Size())
		end, _ = d.split(row)
	}
	if end == 0 {
		return false, nil
	}
	for i, text := range d.texts {
		if want != nil && !want[i] {
			continue
		}
		if err := d.fields[i].parse(text, &d.cells[i]); err != nil {
			return false, err
		}
	}
	d.lines += bytes.Count(row[:end], []byte{'\n'})
	_, err := in.Discard(end)
	return true, err
}

// split sets texts to those of a plain row at the start of b and returns where it
// ends, 0 if there is none; whole is false if b ends before that is known.
func (d *tableData) split(b []byte) (end int, whole bool) {
	d.texts = d.texts[:0]
	at := 0
	tag := func(name string) bool {
		for at < len(b) && (b[at] == ' ' || b[at] == '\n' || b[at] == '\r' || b[at] == '\t') {
			at++
		}
		n := min(len(name), len(b)-at)
		if whole = n == len(name); string(b[at:at+n]) != name[:n] {
			whole = true // it is another tag
			return false
		}
		at += n
		return whole
	}
	if !tag("<TR>") {
		return 0, whole
	}
	for range d.fields {
		if !tag("<TD>") {
			return 0, whole
		}
		from := at
		for at < len(b) && plainText[b[at]] {
			at++
		}
		d.texts = append(d.texts, b[from:at])
		if !bytes.HasPrefix(b[at:], []byte("</TD>")) {
			return 0, len(b)-at >= len("</TD>")
		}
		at += len("</TD>")
	}
	if !tag("</TR>") {
		return 0, whole
	}
	return at, true
}

// plainText has the bytes that stand for themselves in the text of XML.
var plainText = func() (plain [256]bool) {
	for c := ' '; c <= '~'; c++ {
		plain[c] = c != '<' && c != '&' && c != '>'
	}
	plain['\t'], plain['\n'] = true, true
	return plain
}()
