package parquet

import (
	"bytes"
	"reflect"

	"skyjoin/internal/format"
)

// topColumns are the columns of a file: the elements of its schema, one for each
// column of the table with all it contains.
type topColumns struct {
	path string
	list []topColumn
}

type topColumn struct {
	name     string
	elements []schemaElement // depth first, its own first
	leaf     int             // number of its first leaf in the file
	leaves   int
}

// columnsOf cuts a schema, given depth first with its root, into columns.
func columnsOf(path string, elements []schemaElement) (topColumns, error) {
	all := topColumns{path: path}
	root, _, err := tree(elements, 0)
	at, leaf := 1, 0
	for _, n := range root.nodes {
		size, leaves := n.count()
		all.list = append(all.list, topColumn{n.Name, elements[at : at+size], leaf, leaves})
		at, leaf = at+size, leaf+leaves
	}
	return all, err
}

// count returns how many elements a node has, and how many of them are leaves.
func (n node) count() (elements, leaves int) {
	if n.isLeaf() {
		return 1, 1
	}
	elements = 1
	for _, c := range n.nodes {
		e, l := c.count()
		elements, leaves = elements+e, leaves+l
	}
	return elements, leaves
}

// match says where file b holds each leaf of file a. Their columns must be the
// same, in whatever order: chunks are copied as bytes, so a column cannot change
// from required to optional, or its type, on the way.
func (a topColumns) match(b topColumns) ([]int, error) {
	byName := make(map[string]topColumn, len(b.list))
	for _, c := range b.list {
		byName[c.name] = c
	}
	var leaves []int
	for _, want := range a.list {
		got, ok := byName[want.name]
		if !ok {
			return nil, format.Requestf("%s has no column %q, %s has; inputs of one Parquet output need the same columns",
				b.path, want.name, a.path)
		}
		delete(byName, want.name)
		if what := difference(want.elements, got.elements); what != "" {
			return nil, format.Requestf("column %q of %s and of %s differ in %s; write both with one schema, or write to .csv",
				want.name, b.path, a.path, what)
		}
		for i := range want.leaves {
			leaves = append(leaves, got.leaf+i)
		}
	}
	for _, c := range b.list {
		if _, left := byName[c.name]; left {
			return nil, format.Requestf("%s has a column %q, %s has not; inputs of one Parquet output need the same columns",
				b.path, c.name, a.path)
		}
	}
	return leaves, nil
}

// difference names what tells two columns apart, "" if nothing does.
func difference(a, b []schemaElement) string {
	if len(a) != len(b) {
		return "nesting"
	}
	for i := range a {
		for _, f := range []struct {
			a, b any
			what string
		}{
			{a[i].Physical, b[i].Physical, "type"}, {a[i].Length, b[i].Length, "type length"}, {a[i].Repetition, b[i].Repetition, "nullability"},
			{a[i].Name, b[i].Name, "the name of an inner field"}, {a[i].Children, b[i].Children, "nesting"},
			{a[i].Scale, b[i].Scale, "decimal scale"}, {a[i].Precision, b[i].Precision, "decimal precision"},
		} {
			if !reflect.DeepEqual(f.a, f.b) {
				return f.what
			}
		}
		// Files before 2018 say the meaning of a type (string, date, …) by
		// the converted type only.
		sameOld := reflect.DeepEqual(a[i].Converted, b[i].Converted)
		old := a[i].Converted != nil && (a[i].Logical.Kind == 0 || b[i].Logical.Kind == 0)
		if !sameOld || !old && !bytes.Equal(a[i].Logical.Bytes, b[i].Logical.Bytes) {
			return "type"
		}
	}
	return ""
}
