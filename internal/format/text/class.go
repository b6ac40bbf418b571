package text

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// A class is a set of bits that describes a cell, or all cells of a column.
type class uint32

const (
	classNull  class = 1 << iota
	classInt         // fits int64
	classMinus       // a negative integer
	classWide        // an integer that float64 need not hold
	classUint        // beyond int64, fits uint64
	classHuge        // an integer beyond uint64 or int64
	classNaN         // nan
	classFloat       // any other number
	classBool        // true or false
	classText        // anything else
	classEmpty       // "", which is null but in a column of strings
	classList        // two numbers or more, in brackets or parentheses
)

// elementShift is where a class has the classes of the elements of lists.
const elementShift = 16

const (
	classNumber  = classInt | classUint | classHuge | classNaN | classFloat
	valueClasses = (1<<elementShift - 1) &^ (classNull | classEmpty)
)

// classify returns the class of a cell that is not null.
func classify(b []byte) class {
	i := 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i = 1
	}
	start := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == len(b) && i > start {
		return classifyInteger(b, start)
	}
	digits := i - start
	if i < len(b) && b[i] == '.' {
		i++
		mark := i
		for i < len(b) && isDigit(b[i]) {
			i++
		}
		digits += i - mark
	}
	if digits == 0 {
		return classifyWord(b, start)
	}
	if i == len(b) {
		return classFloat
	}
	if b[i] == 'e' || b[i] == 'E' {
		i++
		if i < len(b) && (b[i] == '-' || b[i] == '+') {
			i++
		}
		mark := i
		for i < len(b) && isDigit(b[i]) {
			i++
		}
		if i == len(b) && i > mark {
			if i-mark < 3 && digits < 200 {
				return classFloat // cannot leave the range
			}
			if _, err := strconv.ParseFloat(str(b), 64); err == nil {
				return classFloat
			}
		}
	}
	return classText
}

// classifyInteger classifies digits from start on after an optional sign. An
// integer with leading zeros is a code, such as 007, and stays text.
func classifyInteger(b []byte, start int) class {
	n := len(b) - start
	if n > 1 && b[start] == '0' {
		return classText
	}
	if n == 1 && b[start] == '0' && b[0] == '-' {
		return classFloat // of degrees without minutes, which integers lose
	}
	c := classInt
	if b[0] == '-' {
		c |= classMinus
	}
	if n <= exactDigits {
		return c
	}
	s := str(b[start:])
	u, err := strconv.ParseUint(s, 10, 64)
	switch {
	case err != nil || c&classMinus != 0 && u > 1<<63:
		return classHuge | c&classMinus
	case c&classMinus == 0 && u > math.MaxInt64:
		return classUint | classWide
	case u > 1<<53:
		return c | classWide
	}
	return c
}

// inexact reports whether a cell, an integer, has digits that float64 does not hold.
func inexact(b []byte) bool {
	v, err := strconv.ParseFloat(str(b), 64)
	return err == nil && strconv.FormatFloat(v, 'f', 0, 64) != strings.TrimPrefix(str(b), "+")
}

// classifyWord classifies text that does not start with a digit. start is the
// length of its sign.
func classifyWord(b []byte, start int) class {
	switch w := b[start:]; len(w) {
	case 3:
		if fold(w, "nan") {
			return classNaN
		}
		if fold(w, "inf") {
			return classFloat
		}
	case 8:
		if fold(w, "infinity") {
			return classFloat
		}
	case 4:
		if start == 0 && fold(w, "true") {
			return classBool
		}
	case 5:
		if start == 0 && fold(w, "false") {
			return classBool
		}
	}
	return classText
}

// columnType returns the type of a column whose cells together have the class:
// the narrowest that keeps every value as it is written. Integers that
// no type holds, and mixtures, stay text.
func (seen class) columnType() format.Type {
	switch values := seen & valueClasses; {
	case values == classList:
		return format.List
	case values&(classText|classList) != 0:
		return format.String
	case values&classBool != 0:
		if values == classBool {
			return format.Bool
		}
		return format.String
	case values == 0 || values&classFloat != 0:
		return format.Float64
	case values&classNaN != 0 && values&classWide == 0:
		// Beside integers that float64 may not hold, nan is a null.
		return format.Float64
	case values&classHuge != 0 || values&classUint != 0 && values&classMinus != 0:
		return format.String
	case values&classUint != 0:
		return format.Uint64
	}
	return format.Int64
}

// nullable reports whether a column of type t has nulls among cells of the class.
func (seen class) nullable(t format.Type) bool {
	return seen&classNull != 0 || seen&classNaN != 0 && !t.IsFloat() && t != format.String || seen&classEmpty != 0 && t != format.String
}

// Apply implements [format.Inference].
func (seen class) Apply(f format.Field) format.Field {
	f.Type = seen.columnType()
	f.Text, f.Elem = f.Type.String(), nil
	if seen&valueClasses == 0 {
		f.Text = "no values"
	}
	if f.Type == format.List {
		f.Elem = &format.Field{Name: f.Name, Type: (seen >> elementShift).columnType(), Nullable: true}
		f.Elem.Text = f.Elem.Type.String()
		f.Text = "list of " + f.Elem.Text
	}
	f.Nullable = seen.nullable(f.Type)
	return f
}

// Join implements [format.Inference].
func (seen class) Join(other format.Inference) format.Inference { return seen | other.(class) }

// Beside implements [format.Inference]: columns without values take any type,
// integers that float64 holds take float64 beside floats.
func (seen class) Beside(f format.Field, declared format.Type) format.Field {
	switch values := seen & valueClasses; {
	case values == 0 && declared.Storage() != format.NoStorage:
		f.Type = declared
	case declared.IsFloat() && values&^(classInt|classMinus|classNaN|classFloat) == 0:
		f.Type = format.Float64
	default:
		return f
	}
	f.Text, f.Nullable = f.Type.String(), seen.nullable(f.Type)
	return f
}

// A column describes the cells of a column, in a block or in the whole file.
type column struct {
	seen    class
	text    int64 // cells of classText
	badLine int   // line of the first of them, counted from the start of the block
	bad     string
	longRow int64 // row of the first integer that float64 does not hold
	long    string
}

// add appends the survey of a block whose first line and row have these numbers.
func (c *column) add(b *column, line int, row int64) {
	if c.text == 0 && b.text > 0 {
		c.badLine, c.bad = line+b.badLine, b.bad
	}
	if c.long == "" && b.long != "" {
		c.longRow, c.long = row+b.longRow, b.long
	}
	c.seen |= b.seen
	c.text += b.text
}

// notNumeric names the first cell that is not a number, and what makes it one, "" if
// there is none.
func (c *column) notNumeric() string {
	if c.text == 0 {
		return ""
	}
	why := fmt.Sprintf("line %d has %q", c.badLine, format.Clip(c.bad))
	switch {
	case decimalComma.MatchString(c.bad):
		why += ": write decimal points"
	case isFortran([]byte(c.bad)):
		why += ": write its exponent with E"
	case c.seen&classNumber != 0 && isNumber(c.bad):
		why += ", other rows plain numbers: write all in one way"
	}
	return why
}

var decimalComma = regexp.MustCompile(`^[+-]?\d+,\d+$`)
