package catalog

import (
	"cmp"
	"fmt"
	"slices"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// Options says how files are opened and read. The zero value suits most catalogs.
type Options struct {
	Null    []string // sentinel values that are nulls, compared by value in numeric columns and as text in strings
	Threads int      // 0: GOMAXPROCS

	// Extension selects the table of FITS files by EXTNAME or number, where the
	// first extension is 1; "" selects the first table. A path can do the same:
	// events.fits[2], events.fits[GTI].
	Extension string

	// Format names the format of the files, such as "ascii" or "ipac"; "" finds it
	// from their content.
	Format string

	// Names are those of the columns of text files that have none.
	Names []string

	// Let defines columns: "name = expression", in the language of row filters.
	// They follow the columns of the files.
	Let []string

	// Renamed maps former names of columns to their present names. The error for a
	// column that is missing then names its successor.
	Renamed map[string]string

	// Define defines further columns after those of Let, usually the
	// [Catalog.Definitions] of another catalog.
	Define []Definition
}

// A KeyValue is one entry of the metadata of a table.
type KeyValue struct{ Key, Value string }

// A Catalog is one table in one or more files. It is safe for concurrent use.
type Catalog struct {
	opt     Options
	pool    par.Pool
	files   []File
	sources []format.Reader
	first   []int64 // row of the catalog of each file's row 0
	rows    int64
	fields  []Field
	stored  int // fields that are in files; the others are derived
	hidden  int // of those that follow: RA and Dec of columns that have them in parts, which are in no table
	derived []*expr.Program
	angles  *angles
	copies  []*scratch     // of files that cannot be read where they are
	index   map[string]int // of fields, by name
	refs    [][]int        // refs[file][field]: index into the file's own fields, -1 when it lacks the field
}

// Close releases the catalog.
func (c *Catalog) Close() error {
	c.sources = nil
	for _, s := range c.copies {
		if s != nil {
			s.close()
		}
	}
	c.copies = nil
	return nil
}

// Files returns the files in the order of their rows.
func (c *Catalog) Files() []File { return c.files }

// Fields returns the columns, in the order of the first file, then those that
// only later files have.
func (c *Catalog) Fields() []Field {
	if c.hidden == 0 {
		return c.fields
	}
	return slices.Concat(c.Stored(), c.Derived())
}

// Rows returns the number of rows of all files.
func (c *Catalog) Rows() int64 { return c.rows }

// Metadata returns the key-value metadata of the table: that of the first
// file, in its order.
func (c *Catalog) Metadata() []KeyValue { return c.MetadataOf(0) }

// MetadataOf returns the key-value metadata of a file, in its order.
func (c *Catalog) MetadataOf(file int) []KeyValue {
	var all []KeyValue
	for _, kv := range c.sources[file].Metadata() {
		all = append(all, KeyValue(kv))
	}
	return all
}

// reconcile merges the schemas of the files into one.
func (c *Catalog) reconcile() error {
	c.index = map[string]int{}
	c.refs = make([][]int, len(c.sources))
	var fields []format.Field
	origin := []int{}                  // file that first has each field
	inferences := []format.Inference{} // how its type was found
	for file, s := range c.sources {
		refs := slices.Repeat([]int{-1}, len(fields))
		for j, f := range s.Fields() {
			i, seen := c.index[f.Name]
			if !seen {
				c.index[f.Name] = len(fields)
				fields = append(fields, f)
				origin = append(origin, file)
				inferences = append(inferences, inferred(s, j))
				refs = append(refs, j)
				continue
			}
			if refs[i] >= 0 {
				return fmt.Errorf("%s: two columns are named %q", c.files[file].Path, f.Name)
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
