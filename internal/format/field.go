package format

import (
	"cmp"
	"fmt"
	"strings"
)

// A Field describes one column.
type Field struct {
	Name        string // exactly as in the file
	Type        Type
	Text        string // the file's own type, for people: "DECIMAL(7,2)", "list<float>"
	Nullable    bool
	Unit        string // "" if the file does not say
	UCD         string
	Description string
	Elem        *Field // of a List
	Layout      Layout
}

// Leaf returns the type of the values of the field, of a list those of its
// elements.
func (f *Field) Leaf() Type {
	if f.Type == List {
		return f.Elem.Type
	}
	return f.Type
}

// A KeyValue is one entry of the metadata of a table.
type KeyValue struct{ Key, Value string }

// A Note is what metadata say about the meaning of a column.
type Note struct{ Unit, UCD, Description string }

// Annotate fills in what the field does not say yet.
func (f *Field) Annotate(n Note) {
	f.Unit = cmp.Or(f.Unit, strings.TrimSpace(n.Unit))
	f.UCD = cmp.Or(f.UCD, strings.TrimSpace(n.UCD))
	f.Description = cmp.Or(f.Description, strings.TrimSpace(n.Description))
}

// ColumnName names a column; one without a name is called by its position, col1
// for the first.
func ColumnName(name string, i int) string { return cmp.Or(name, fmt.Sprintf("col%d", i+1)) }
