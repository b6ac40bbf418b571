package fits

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Kind is the letter of a TFORM: how values are stored.
type Kind byte

// The kinds.
const (
	Logical    Kind = 'L'
	Bit        Kind = 'X'
	Byte       Kind = 'B' // unsigned
	Int16      Kind = 'I'
	Int32      Kind = 'J'
	Int64      Kind = 'K'
	Character  Kind = 'A'
	Float32    Kind = 'E'
	Float64    Kind = 'D'
	Complex64  Kind = 'C'
	Complex128 Kind = 'M'
)

// kinds says how many bytes a value takes; eight bits share one.
var kinds = map[Kind]int64{
	Logical: 1, Byte: 1, Int16: 2, Int32: 4, Int64: 8, Character: 1, Float32: 4, Float64: 8, Complex64: 8, Complex128: 16,
}

// A Column describes a column: where its values are in a row, and what they mean.
type Column struct {
	Name    string // TTYPE; empty if there is none
	Form    string // TFORM
	Unit    string // TUNIT
	Comment string // TCOMM
	UCD     string // TUCD
	Kind    Kind
	Offset  int64 // in a row
	Count   int64 // values in a row; strings, not characters
	Width   int64 // characters of a string

	Complex bool   // pairs of real and imaginary parts, each of which counts
	Dim     string // TDIM

	// Variable says that the row has a descriptor of an array in the heap: the
	// number of its values and its offset, of DescriptorBytes/2 bytes each.
	Variable        bool
	DescriptorBytes int64

	Null    int64 // TNULL: the stored integer that is null
	HasNull bool

	// Text says that values are text of Width characters, in an ASCII table, and
	// NullText which text is null (TNULL).
	Text     bool
	NullText string

	Scale float64 // TSCAL, 1 if there is none
	Zero  float64 // TZERO
	// Unsigned and Signed8 are how integers are stored that FITS has no kind
	// for: value = stored + 2^(bits-1), and value = stored - 128 for bytes.
	Unsigned bool
	Signed8  bool
	// Shift is a TZERO of 64-bit integers that is an integer, too: value = stored +
	// Shift. Float64 would not hold them.
	Shift int64
}

// maxColumns is the largest TFIELDS of the standard.
const maxColumns = 999

// columns reads the cards of the columns, of an ASCII table or of a binary one whose
// formats have the keyword form with a number.
func columns(h header, form string, ascii bool, rowBytes int64) ([]Column, error) {
	n, err := h.count("TFIELDS")
	if err != nil {
		return nil, err
	}
	if n > maxColumns {
		return nil, fmt.Errorf("the header has TFIELDS = %d, at most %d are possible", n, maxColumns)
	}
	cols := make([]Column, n)
	at := int64(0)
	for i := range cols {
		number := strconv.Itoa(i + 1)
		c := &cols[i]
		var size int64
		if ascii {
			err = c.asciiForm(h, number, rowBytes)
		} else {
			c.Offset = at
			size, err = c.form(h.text(form + number))
		}
		if err == nil {
			err = c.notes(h, number)
		}
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", i+1, err)
		}
		if size > rowBytes-at {
			return nil, fmt.Errorf("column %d ends at byte %d of rows of %d (NAXIS1)", i+1, at+size, rowBytes)
		}
		at += size
	}
	if at != rowBytes && !ascii {
		return nil, fmt.Errorf("the columns take %d bytes, rows have %d (NAXIS1)", at, rowBytes)
	}
	return cols, nil
}

// maxCount bounds the repeat count of a TFORM, so that products of it with the
// size of a value do not overflow.
const maxCount = 1 << 40

// form reads TFORM, such as 3E, 20A, 1PD(55), and returns the bytes that the
// column takes in a row.
func (c *Column) form(form string) (size int64, err error) {
	c.Form = strings.TrimSpace(form)
	digits := len(c.Form) - len(strings.TrimLeft(c.Form, "0123456789"))
	c.Count = 1
	if digits > 0 {
		if c.Count, err = strconv.ParseInt(c.Form[:digits], 10, 64); err != nil || c.Count > maxCount {
			return 0, fmt.Errorf("TFORM = %.40q has an impossible count", form)
		}
	}
	rest := c.Form[digits:]
	if rest == "" {
		return 0, fmt.Errorf("TFORM = %.40q is no format, such as 1E or 20A", form)
	}
	c.Kind = Kind(rest[0])
	if c.Kind == 'P' || c.Kind == 'Q' {
		return c.variable(form, rest)
	}
	if c.Kind == Bit {
		return (c.Count + 7) / 8, nil
	}
	bytes, ok := kinds[c.Kind]
	if !ok {
		return 0, fmt.Errorf("TFORM = %.40q has the unknown type %c", form, rest[0])
	}
	size = c.Count * bytes
	switch c.Kind {
	case Complex64:
		c.Kind, c.Count, c.Complex = Float32, 2*c.Count, true
	case Complex128:
		c.Kind, c.Count, c.Complex = Float64, 2*c.Count, true
	}
	if c.Kind == Character {
		c.Width, c.Count = c.Count, 1
		// rAw, an old convention for arrays of strings: r characters in all.
		if w, err := strconv.ParseInt(rest[1:], 10, 64); err == nil && w > 0 && w < c.Width && c.Width%w == 0 {
			c.Width, c.Count = w, c.Width/w
		}
	}
	return size, nil
}

func (c *Column) variable(form, rest string) (size int64, err error) {
	c.Variable = true
	c.DescriptorBytes = 8
	if c.Kind == 'Q' {
		c.DescriptorBytes = 16
	}
	if len(rest) < 2 || c.Count > 1 {
		return 0, fmt.Errorf("TFORM = %.40q is no variable-length array, such as 1PE(100)", form)
	}
	size = c.Count * c.DescriptorBytes
	c.Kind = Kind(rest[1])
	if _, ok := kinds[c.Kind]; !ok && c.Kind != Bit {
		return 0, fmt.Errorf("TFORM = %.40q has the unknown type %c", form, rest[1])
	}
	switch c.Kind {
	case Character:
		c.Width = 1
	case Complex64:
		c.Kind, c.Complex = Float32, true
	case Complex128:
		c.Kind, c.Complex = Float64, true
	}
	return size, nil
}

// notes reads the keywords of the column other than TFORM.
func (c *Column) notes(h header, number string) (err error) {
	c.Name, c.Unit = unescaped(h.text("TTYPE"+number)), unescaped(h.text("TUNIT"+number))
	c.Comment, c.UCD = unescaped(h.text("TCOMM"+number)), h.text("TUCD"+number)
	if c.Scale, err = h.real("TSCAL"+number, 1); err != nil {
		return err
	}
	if c.Zero, err = h.real("TZERO"+number, 0); err != nil {
		return err
	}
	if c.Text {
		c.NullText = strings.TrimSpace(h.text("TNULL" + number))
		c.NullText = c.NullText[:min(int64(len(c.NullText)), c.Width)]
		return nil
	}
	if c.IsInteger() {
		if _, c.HasNull = h["TNULL"+number]; c.HasNull {
			if c.Null, err = h.integer("TNULL"+number, 0); err != nil {
				return err
			}
		}
		c.Unsigned = c.Scale == 1 && c.Zero == unsignedZero[c.Kind]
		c.Signed8 = c.Kind == Byte && c.Scale == 1 && c.Zero == -128
		if c.Kind == Int64 && c.Scale == 1 && !c.Unsigned && c.Zero == math.Trunc(c.Zero) && math.Abs(c.Zero) < 1<<62 {
			if c.Shift, err = h.integer("TZERO"+number, 0); err != nil { // as 1E3
				c.Shift, err = int64(c.Zero), nil
			}
		}
	}
	if c.Dim = h.text("TDIM" + number); c.Kind == Character && !c.Variable {
		c.dimensions(c.Dim)
	}
	return nil
}

// unsignedZero are the TZERO of unsigned integers.
var unsignedZero = map[Kind]float64{Int16: 1 << 15, Int32: 1 << 31, Int64: 1 << 63, Byte: 0}

// dimensions divides the characters of a column into strings, as TDIM such as
// (10,3) says: the first axis is the width. Other TDIMs change nothing, as
// elements are numbered in the order they are stored.
func (c *Column) dimensions(dim string) {
	axes := strings.Split(strings.Trim(strings.TrimSpace(dim), "()"), ",")
	if len(axes) < 2 || c.Count != 1 {
		return
	}
	w, err := strconv.ParseInt(strings.TrimSpace(axes[0]), 10, 64)
	if err == nil && w > 0 && w <= c.Width && c.Width%w == 0 {
		c.Width, c.Count = w, c.Width/w
	}
}

// IsInteger reports whether integers are stored.
func (c *Column) IsInteger() bool {
	return c.Kind == Byte || c.Kind == Int16 || c.Kind == Int32 || c.Kind == Int64
}

// Scaled reports whether the values are Scale · stored + Zero, as float64, and
// not the numbers that are stored or unsigned integers.
func (c *Column) Scaled() bool {
	return (c.Scale != 1 || c.Zero != 0) && !c.Unsigned && !c.Signed8 && c.Shift == 0
}

// rowBytes returns the bytes that the column takes in a row.
func (c *Column) rowBytes() int64 {
	if c.Variable {
		return c.Count * c.DescriptorBytes
	}
	return c.ValueBytes(c.Count)
}

// ValueBytes returns the bytes that n values take.
func (c *Column) ValueBytes(n int64) int64 {
	switch c.Kind {
	case Bit:
		return (n + 7) / 8
	case Character:
		return n * c.Width
	}
	return n * kinds[c.Kind]
}
