package catalog

import (
	"cmp"
	"fmt"
	"slices"

	"skyjoin/internal/format"
)

// reconcile merges the schemas of the files into one.
func (c *Catalog) reconcile() error {
	c.index = map[string]int{}
	c.refs = make([][]int, len(c.sources))
	var fields []format.Field
	origin := []int{}                  // file that first has each field
	inferences := []format.Inference{} // how its type was found
	for file, s := range c.sources {
		refs := slices.Repeat([]int{-1}, len(fields))
		names := uniqueNames(s.Fields())
		for j, f := range s.Fields() {
			if names[j] != f.Name {
				c.files[file].Notes = append(c.files[file].Notes, fmt.Sprintf("column %d is called %s, as another column is named %s", j+1, names[j], f.Name))
				f.Name = names[j]
			}
			i, seen := c.index[f.Name]
			if !seen {
				c.index[f.Name] = len(fields)
				fields = append(fields, f)
				origin = append(origin, file)
				inferences = append(inferences, inferred(s, j))
				refs = append(refs, j)
				continue
			}
			inferences[i] = agree(&fields[i], inferences[i], &f, inferred(s, j))
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

// uniqueNames returns the names of fields; of those that are there more than once the
// later ones get the first free suffix _1, _2, ….
func uniqueNames(fields []format.Field) (names []string) {
	taken := map[string]bool{}
	for _, f := range fields {
		taken[f.Name] = true
	}
	suffix := map[string]int{} // the last of each name that is seen
	for _, f := range fields {
		name := f.Name
		if i, again := suffix[f.Name]; again {
			for taken[name] {
				i++
				name = fmt.Sprintf("%s_%d", f.Name, i)
			}
			suffix[f.Name] = i
		} else {
			suffix[f.Name] = 0
		}
		taken[name] = true
		names = append(names, name)
	}
	return names
}

// inferred returns how the type of a field of a file was found, nil if it is
// declared.
func inferred(s format.Reader, field int) format.Inference {
	if i, ok := s.(format.Inferrer); ok {
		return i.Inferred(field)
	}
	return nil
}

// agree adjusts the inferred types of two fields of the same column to each
// other and returns the joint inference, nil unless both types are inferred.
func agree(a *format.Field, ia format.Inference, b *format.Field, ib format.Inference) format.Inference {
	switch {
	case ia != nil && ib != nil:
		both := ia.Join(ib)
		*a, *b = both.Apply(*a), both.Apply(*b)
		return both
	case ia != nil:
		*a = ia.Beside(*a, b.Type)
	case ib != nil:
		*b = ib.Beside(*b, a.Type)
	}
	return nil
}

// merge returns a field that can hold the values of both fields, which have the
// same name. Unit, UCD and description come from whichever field has them.
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
	if a.Layout != b.Layout {
		m.Layout = format.Layout{}
	}
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
