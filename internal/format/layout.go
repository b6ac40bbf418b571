package format

import (
	"strconv"
	"strings"
)

// A Layout is what a file says of values beyond their type, for outputs that can say it,
// too. The zero Layout is a value, or a list of any length.
type Layout struct {
	// Complex says that each two elements are the real and the imaginary part of a
	// complex number.
	Complex bool
	// Bits says that logical values take a bit each.
	Bits bool
	// Axes are those of the lists, which all have as many elements: "3x2", the fastest
	// first, as VOTable has them. Complex numbers count once, "1" is one of them; of
	// texts the first axis is their width, 0 if it is not known.
	Axes string
}

// AxesOf returns the text of axes.
func AxesOf(axes ...int64) string {
	var texts []string
	for _, n := range axes {
		texts = append(texts, strconv.FormatInt(n, 10))
	}
	return strings.Join(texts, "x")
}

// Shape returns the axes, the fastest first, nil if there are none.
func (l Layout) Shape() (axes []int64) {
	for text := range strings.SplitSeq(l.Axes, "x") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return nil
		}
		axes = append(axes, n)
	}
	return axes
}

// Shape returns the axes of the lists of the field, without the width of texts, and how
// many elements each has: -1 if they differ.
func (f *Field) Shape() (axes []int64, count int) {
	axes = f.Layout.Shape()
	if f.Leaf() == String && len(axes) > 0 {
		axes = axes[1:]
	}
	if len(axes) == 0 || f.Type != List {
		return nil, -1
	}
	count = 1
	for _, n := range axes {
		count *= int(n)
	}
	if f.Layout.Complex {
		count *= 2
	}
	return axes, count
}

// Flat is [Output.Changes] of formats that have lists, but neither complex numbers nor
// arrays of several axes.
func Flat(f *Field) string {
	switch axes, _ := f.Shape(); {
	case f.Type != List:
	case f.Layout.Complex:
		return "pairs of numbers"
	case len(axes) > 1:
		return "lists without their axes"
	}
	return ""
}
