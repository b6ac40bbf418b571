package classify

import (
	"strconv"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
	"skyjoin/knnclass"
)

// column returns classes as values of the type of the label column.
func (l *labels) column(class []int32) catalog.Column {
	c := catalog.Column{Field: catalog.Field{Name: "label"}}
	if l.integers != nil {
		c.Field.Type, c.Int64 = catalog.Int64, each.At(l.integers, class)
		return c
	}
	c.Field.Type, c.String = catalog.String, each.At(l.classes, class)
	return c
}

// labels are the classes of some rows of a column.
type labels struct {
	classes  []string // as text, in the order of their values
	integers []int64  // the same, where the column has integers that fit
	index    []int32  // class of each row
}

// newLabels numbers the labels of the rows, none of which is null. Those in floats
// are integers by now.
func newLabels(c *catalog.Column, rows []int64) (*labels, error) {
	l := &labels{}
	switch t := c.Field.Type; {
	case t == catalog.String:
		l.classes, l.index = knnclass.Encode(each.At(c.String, rows))
	case t == catalog.Bool:
		l.classes, l.index = knnclass.Encode(each.Of(each.At(c.Bool, rows), strconv.FormatBool))
	case t.IsInteger() && c.Uint64 != nil:
		numbers, index := knnclass.Encode(each.At(c.Uint64, rows))
		l.index = index
		for _, v := range numbers {
			l.classes = append(l.classes, strconv.FormatUint(v, 10))
			if int64(v) >= 0 {
				l.integers = append(l.integers, int64(v))
			}
		}
		if len(l.integers) < len(numbers) {
			l.integers = nil // written as text, exactly
		}
	case t.IsInteger():
		l.integers, l.index = knnclass.Encode(each.At(c.Int64, rows))
		for _, v := range l.integers {
			l.classes = append(l.classes, strconv.FormatInt(v, 10))
		}
	default:
		return nil, exit.Usagef("column %s is %s; classes are text or whole numbers", c.Field.Name, c.Field.Text)
	}
	return l, nil
}
