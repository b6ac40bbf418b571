package catalog

import (
	"cmp"
	"fmt"

	"skyjoin/internal/format"
)

// reconcile makes one schema of those of the files.
func (c *Catalog) reconcile() error {
	c.index = map[string]int{}
	c.refs = make([][]int, len(c.sources))
	var fields []format.Field
	origin := []int{}           // file that first has each field
	inferences := []inference{} // how its type was found
	for file, s := range c.sources {
		refs := make([]int, len(fields))
		for i := range refs {
			refs[i] = -1
		}
		for j, f := range s.Fields() {
			i, seen := c.index[f.Name]
			if !seen {
				c.index[f.Name] = len(fields)
				fields = append(fields, f)
				origin = append(origin, file)
				inferences = append(inferences, inferredOf(s, j))
				refs = append(refs, j)
				continue
			}
			if refs[i] >= 0 {
				return fmt.Errorf("%s: two columns are named %q", c.files[file].Path, f.Name)
			}
			inferences[i] = agree(&fields[i], inferences[i], &f, inferredOf(s, j))
			merged, ok := merge(fields[i], f)
			if !ok {
				return fmt.Errorf("%s: column %s is %s, in %s it is %s; one column must have one type",
					c.files[file].Path, f.Name, f.Text, c.files[origin[i]].Path, fields[i].Text)
			}
			fields[i], refs[i] = merged, j
		}
		c.refs[file] = refs
	}
	for _, f := range fields {
		c.fields = append(c.fields, publicField(f))
	}
	return nil
}

// merge returns the field that holds the values of both, which have one name.
// What one says about its meaning the other need not repeat.
func merge(a, b format.Field) (format.Field, bool) {
	t, ok := format.Widened(a.Type, b.Type)
	if !ok {
		return a, false
	}
	m := a
	if t != a.Type {
		m.Type, m.Text = t, t.String()
		if t == b.Type {
			m.Text = b.Text
		}
	}
	m.Nullable = a.Nullable || b.Nullable
	m.Unit = cmp.Or(a.Unit, b.Unit)
	m.UCD = cmp.Or(a.UCD, b.UCD)
	m.Description = cmp.Or(a.Description, b.Description)
	if a.Elem != nil && b.Elem != nil {
		elem, ok := merge(*a.Elem, *b.Elem)
		if !ok {
			return a, false
		}
		m.Elem = &elem
	}
	return m, true
}
