package catalog

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/expr"
	"skyjoin/internal/format"
	"skyjoin/internal/suggest"
)

// Field returns the column with exactly this name, or the element that a name such
// as pos[0] addresses, which is nullable and has the whole name. The error wraps
// ErrRequest and suggests similar names.
func (c *Catalog) Field(name string) (Field, error) {
	f, _, err := c.lookup(name)
	return f, err
}

// lookup finds the column that a name refers to: its index and the element of a
// list, -1 for other columns.
func (c *Catalog) lookup(name string) (Field, format.Ref, error) {
	if i, ok := c.index[name]; ok {
		return c.fields[i], format.Ref{Field: i, Elem: -1}, nil
	}
	base, elem, ok := cutElement(name)
	if !ok {
		return Field{}, format.Ref{}, c.noColumn(name)
	}
	i, ok := c.index[base]
	if !ok {
		return Field{}, format.Ref{}, c.noColumn(base)
	}
	f := c.fields[i]
	if f.Type != List {
		return Field{}, format.Ref{}, format.Requestf("column %s is %s, not a list; say %s for it", base, f.Text, base)
	}
	e := *f.Elem
	e.Name, e.Nullable = name, true
	e.Unit, e.UCD, e.Description = cmp.Or(e.Unit, f.Unit), cmp.Or(e.UCD, f.UCD), cmp.Or(e.Description, f.Description)
	return e, format.Ref{Field: i, Elem: elem}, nil
}

// cutElement splits pos[3] into pos and 3.
func cutElement(name string) (base string, elem int, ok bool) {
	rest, found := strings.CutSuffix(name, "]")
	at := strings.LastIndexByte(rest, '[')
	if !found || at < 0 {
		return "", 0, false
	}
	digits := rest[at+1:]
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || digits[0] == '+' {
		return "", 0, false
	}
	return rest[:at], int(n), true
}

// column is lookup for columns whose values are single values that can be read.
func (c *Catalog) column(name string) (Field, format.Ref, error) {
	f, r, err := c.lookup(name)
	switch {
	case err != nil:
	case f.Type == List:
		err = format.Requestf("column %s is a list (%s); name an element, such as %s[0]", name, f.Text, name)
	case f.Type == Unsupported:
		err = format.Requestf("column %s is %s, which cannot be read", name, cmp.Or(f.Text, "of no type"))
	}
	return f, r, err
}

// noColumn returns the error for an unknown column: it gives the name that the
// column has now, or similar names.
func (c *Catalog) noColumn(name string) error {
	if now, ok := c.opt.Renamed[name]; ok {
		if _, there := c.index[now]; there {
			return format.Requestf("there is no column %q; it is %q now", name, now)
		}
	}
	names := each.Of(c.fields, func(f Field) string { return f.Name })
	const most = 8
	if near := suggest.Near(name, names); len(near) > 0 {
		return format.Requestf("there is no column %q; did you mean %s?", name, strings.Join(near[:min(len(near), 3)], ", "))
	}
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("… (%d more; cluster info lists them)", len(names)-most))
	}
	return format.Requestf("there is no column %q; there are %s", name, strings.Join(names, ", "))
}

// check reports whether every file has the column and can read it.
func (c *Catalog) check(name string, r format.Ref) error {
	for file, s := range c.sources {
		at := c.inFile(file, r)
		if at.Field < 0 {
			return format.Requestf("%s: there is no column %q, which other files of the catalog have", c.files[file].Path, name)
		}
		if err := s.Check(at); err != nil {
			return fmt.Errorf("%s: %w", c.files[file].Path, err)
		}
	}
	return nil
}

// inFile translates a reference to a field of the catalog into one to a field
// of the file, -1 where the file lacks it.
func (c *Catalog) inFile(file int, r format.Ref) format.Ref {
	if r.Field >= len(c.refs[file]) {
		return format.Ref{Field: -1, Elem: r.Elem}
	}
	return format.Ref{Field: c.refs[file][r.Field], Elem: r.Elem}
}

// inFileAll is inFile of all.
func (c *Catalog) inFileAll(file int, refs []format.Ref) []format.Ref {
	return each.Of(refs, func(r format.Ref) format.Ref { return c.inFile(file, r) })
}

// program returns the definition of a column, nil of one that is in the files.
func (c *Catalog) program(name string) *expr.Program {
	if i, ok := c.index[name]; ok && i >= c.stored {
		return c.derived[i-c.stored]
	}
	return nil
}
