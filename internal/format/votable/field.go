package votable

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A Kind is the datatype of the elements of a field.
type Kind uint8

// The kinds, each with its datatype.
const (
	Boolean Kind = iota // boolean
	Bit                 // bit
	Byte                // unsignedByte
	Int16               // short
	Int32               // int
	Int64               // long
	Char                // char
	Unicode             // unicodeChar
	Float32             // float
	Float64             // double
)

// kinds are the datatypes and the bytes of an element; eight bits share a byte.
var kinds = [...]struct {
	datatype string
	bytes    int
}{
	Boolean: {"boolean", 1}, Bit: {"bit", 1}, Byte: {"unsignedByte", 1}, Int16: {"short", 2}, Int32: {"int", 4}, Int64: {"long", 8},
	Char: {"char", 1}, Unicode: {"unicodeChar", 2}, Float32: {"float", 4}, Float64: {"double", 8},
}

// IsText reports whether the elements are characters.
func (k Kind) IsText() bool { return k == Char || k == Unicode }

// IsInt reports whether the elements are integers.
func (k Kind) IsInt() bool { return k == Byte || k == Int16 || k == Int32 || k == Int64 }

// IsFloat reports whether the elements are real numbers.
func (k Kind) IsFloat() bool { return k == Float32 || k == Float64 }

// String returns the datatype.
func (k Kind) String() string { return kinds[k].datatype }

// A Field describes a column.
type Field struct {
	Name, ID, Unit, UCD, Xtype, Description string

	Kind      Kind
	Complex   bool   // pairs of real and imaginary parts, each of which counts
	Datatype  string // as it is written
	Arraysize string // as it is written; "" for one element
	// Count is the number of elements, characters included, if it is fixed;
	// of a Variable field it is not.
	Count    int
	Variable bool
	// List says that a cell has several values; of characters, strings of
	// Width each.
	List  bool
	Width int

	null     int64 // the integer that is null
	hasNull  bool
	realNull *float64 // the real number that is null, besides NaN; nil if there is none
}

// maxCount bounds a fixed array.
const maxCount = 1 << 30

// setType reads the attributes datatype, arraysize and the null value.
func (f *Field) setType(datatype, arraysize, null string) error {
	f.Datatype = datatype
	switch datatype {
	case "floatComplex":
		f.Complex, datatype = true, "float"
	case "doubleComplex":
		f.Complex, datatype = true, "double"
	case "string", "unicodeString": // of some services; UTF-8 of any length
		datatype, arraysize = "char", cmp.Or(arraysize, "*")
	}
	found := false
	for k := range kinds {
		if kinds[k].datatype == datatype {
			f.Kind, found = Kind(k), true
		}
	}
	if !found {
		return fmt.Errorf("field %q has the datatype %.40q, which VOTable does not have", f.Name, datatype)
	}
	f.Arraysize, f.Count = strings.TrimSpace(arraysize), 1
	if f.Arraysize != "" {
		if err := f.setShape(); err != nil {
			return err
		}
	}
	if f.Complex {
		f.Count, f.List = 2*f.Count, true
	}
	if null = strings.TrimSpace(null); null != "" && f.Kind.IsInt() {
		v, err := parseInt([]byte(null))
		if err != nil {
			return fmt.Errorf("field %q has the null value %.40q, which is no integer", f.Name, null)
		}
		f.null, f.hasNull = v, true
	}
	if null != "" && f.Kind.IsFloat() && !f.Complex && !noValue([]byte(null)) {
		v, err := f.parseReal([]byte(null))
		if err != nil {
			return fmt.Errorf("field %q has the null value %.40q, which is no number", f.Name, null)
		}
		f.realNull = &v
	}
	return nil
}

// setShape reads arraysize, such as 3, *, 10*, 3x4 or 16x*. Only the last axis
// may vary.
func (f *Field) setShape() error {
	axes := strings.Split(f.Arraysize, "x")
	for i, axis := range axes {
		if i == len(axes)-1 && strings.HasSuffix(axis, "*") {
			f.Variable = true
			axis = "1"
		}
		n, err := strconv.Atoi(strings.TrimSpace(axis))
		if err != nil || n < 0 || f.Count*n > maxCount {
			return fmt.Errorf("field %q has the arraysize %.40q, which is none", f.Name, f.Arraysize)
		}
		f.Count *= n
		if i == 0 {
			f.Width = n
		}
	}
	if f.Kind.IsText() {
		f.List = len(axes) > 1 && f.Width > 0
		if len(axes) == 1 {
			f.Width = 0
		}
		return nil
	}
	f.List, f.Width = f.Variable || f.Count != 1 || len(axes) > 1, 0
	return nil
}

// parseInt reads an integer in decimal, or in hexadecimal after 0x.
func parseInt(word []byte) (int64, error) {
	if len(word) > 2 && word[0] == '0' && word[1]|0x20 == 'x' {
		return strconv.ParseInt(string(word[2:]), 16, 64)
	}
	return strconv.ParseInt(string(word), 10, 64)
}
