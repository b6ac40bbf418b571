package parquet

import (
	"bytes"
	"errors"
	"slices"

	"skyjoin/internal/format"
)

var errSchema = errors.New("the schema in the footer is damaged")

// A topColumn is one column of a table: an element of the schema's root with
// all it contains.
type topColumn struct {
	name     string
	elements []record // depth first, its own first
	leaf     int      // number of its first leaf in the file
	leaves   int
}

// topColumns cuts a schema, given depth first with its root, into columns.
func topColumns(elements []record) ([]topColumn, error) {
	if len(elements) == 0 {
		return nil, errSchema
	}
	children, _, err := elements[0].integer(elemChildren)
	if err != nil {
		return nil, err
	}
	var cols []topColumn
	at, leaf := 1, 0
	for range children {
		c := topColumn{leaf: leaf}
		start := at
		for open := int64(1); open > 0; open-- {
			if at >= len(elements) {
				return nil, errSchema
			}
			e := elements[at]
			at++
			n, _, err := e.integer(elemChildren)
			if err != nil || n < 0 || n > int64(len(elements)) {
				return nil, errSchema
			}
			if n == 0 {
				c.leaves++
			}
			open += n
		}
		c.elements = elements[start:at]
		leaf += c.leaves
		if c.name, err = c.elements[0].text(elemName); err != nil {
			return nil, err
		}
		cols = append(cols, c)
	}
	if at != len(elements) {
		return nil, errSchema
	}
	return cols, nil
}

// matchColumns says where file b holds each leaf of file a. Their columns
// must be the same, in whatever order: chunks are copied as bytes, so a
// column cannot change from required to optional, or its type, on the way.
func matchColumns(a, b *parquetFile) ([]int, error) {
	byName := make(map[string]topColumn, len(b.columns))
	for _, c := range b.columns {
		byName[c.name] = c
	}
	var leaves []int
	for _, want := range a.columns {
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
	for _, c := range b.columns {
		if _, left := byName[c.name]; left {
			return nil, format.Requestf("%s has a column %q, %s has not; inputs of one Parquet output need the same columns",
				b.path, c.name, a.path)
		}
	}
	return leaves, nil
}

// difference names what tells two columns apart, "" if nothing does.
func difference(a, b []record) string {
	if len(a) != len(b) {
		return "nesting"
	}
	for i := range a {
		for _, f := range []struct {
			id   int16
			what string
		}{
			{elemType, "type"}, {elemTypeLength, "type length"}, {elemRepetition, "nullability"}, {elemName, "the name of an inner field"},
			{elemChildren, "nesting"}, {elemScale, "decimal scale"}, {elemPrecision, "decimal precision"},
		} {
			if !bytes.Equal(rawOf(a[i], f.id), rawOf(b[i], f.id)) {
				return f.what
			}
		}
		// Files before 2018 say the meaning of a type (string, date, …) by
		// the converted type only.
		ca, cb, la, lb := rawOf(a[i], elemConverted), rawOf(b[i], elemConverted), rawOf(a[i], elemLogical), rawOf(b[i], elemLogical)
		same := bytes.Equal(ca, cb) && (bytes.Equal(la, lb) || ca != nil && (la == nil || lb == nil))
		if !same {
			return "type"
		}
	}
	return ""
}

func rawOf(r record, id int16) []byte {
	for _, f := range r {
		if f.id == id {
			return f.raw
		}
	}
	return nil
}

// extendSchema returns the encoded elements of a schema with columns, each of
// one or more elements, added at the end of the root.
func extendSchema(elements []record, added [][]record) ([][]byte, error) {
	root := slices.Clone(elements[0])
	n, _, err := root.integer(elemChildren)
	if err != nil {
		return nil, err
	}
	root.setInteger(elemChildren, kindI32, n+int64(len(added)))
	out := [][]byte{root.encode()}
	for _, e := range append(elements[1:len(elements):len(elements)], slices.Concat(added...)...) {
		out = append(out, e.encode())
	}
	return out, nil
}
