package fits

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// The columns of an ASCII table (XTENSION = 'TABLE', FITS Standard 4.0, section
// 7.2) are text at fixed places of each row. A field that is blank, or has the
// TNULL of its column, is null. A number without a decimal point is what it says,
// as it is to astropy; the standard's implied point is deprecated there.

// maxDigits is how many characters an integer of 32 bits may have at most.
const maxDigits = 9

// asciiForm reads TFORM and TBCOL of a column of an ASCII table.
func (c *Column) asciiForm(h header, number string, rowBytes int64) error {
	form := h.text("TFORM" + number)
	c.Form, c.Count, c.Text = strings.TrimSpace(form), 1, true
	if c.Form == "" {
		return fmt.Errorf("TFORM = %.40q is no format, such as F8.3 or A20", form)
	}
	width, _, _ := strings.Cut(c.Form[1:], ".")
	var err error
	if c.Width, err = strconv.ParseInt(width, 10, 64); c.Form == "A" {
		c.Width, err = 1, nil
	}
	if err != nil || c.Width < 1 {
		return fmt.Errorf("TFORM = %.40q has no width, as F8.3 and A20 have", form)
	}
	switch Kind(c.Form[0]) {
	case Character:
		c.Kind = Character
	case 'I':
		if c.Kind = Int64; c.Width <= maxDigits {
			c.Kind = Int32
		}
	case 'F', 'E', 'D':
		c.Kind = Float64
	default:
		return fmt.Errorf("TFORM = %.40q has the unknown type %c", form, c.Form[0])
	}
	at, err := h.count("TBCOL" + number)
	if err != nil {
		return err
	}
	if c.Offset = at - 1; at < 1 || c.Offset > rowBytes || c.Width > rowBytes-c.Offset {
		return fmt.Errorf("it has the characters %d to %d of rows of %d", at, c.Offset+c.Width, rowBytes)
	}
	return nil
}

// decodeText puts the values of n rows, of which block has the bytes, into a column.
func (c *cells) decodeText(block []byte, dst *format.Column, n int) error {
	null := []byte(c.col.NullText)
	var text format.Texts
	for row := range n {
		field := block[row*int(c.table.RowBytes)+int(c.col.Offset):][:c.col.Width]
		field = bytes.TrimRight(field, " \x00")
		value := field // of texts, whose blanks before them count
		field = bytes.TrimLeft(field, " \x00")
		if len(field) == 0 || len(null) > 0 && bytes.Equal(field, null) {
			if err := format.PutNull(dst, row); err != nil {
				return err
			}
			continue
		}
		var err error
		switch {
		case dst.String != nil:
			text.Add(value, row)
		case dst.Int64 != nil:
			dst.Int64[row], err = strconv.ParseInt(string(field), 10, 64)
		default:
			dst.Float64[row], err = c.col.realText(field)
			if v := dst.Float64[row]; err == nil && v != v {
				err = format.PutNull(dst, row)
			}
		}
		if err != nil {
			return fmt.Errorf("%.40q is no number as its TFORM %s has them", field, c.col.Form)
		}
	}
	if dst.String != nil {
		text.Flush(dst)
	}
	return nil
}

// realText reads a number, scaled if the column is.
func (c *Column) realText(field []byte) (float64, error) {
	v, err := format.ParseFortran(string(field))
	return c.scaled(v), err
}
