package table

import (
	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
	"skyjoin/io/catalog"
)

// A heldSet is the columns of a catalog that an output can hold.
type heldSet struct {
	names  []string
	fields []format.Field    // as they are written
	texts  map[int]cell.Func // of those that are written as text
}

// held finds the columns that are written, in the order of the catalog or of those
// that the options name, which must be ones that can be held.
func held(to *format.Output, cat *catalog.Catalog, opt Options) (h heldSet, err error) {
	h.texts = map[int]cell.Func{}
	changes := to.Changes
	if changes == nil {
		changes = format.Flat
	}
	names := opt.Columns
	if len(names) == 0 {
		for _, f := range cat.Fields() {
			names = append(names, f.Name)
		}
	}
	for _, name := range names {
		f, err := cat.Field(name)
		if err != nil {
			return h, err
		}
		field := rawField(f)
		list := to.Plain && f.Type == catalog.List && f.Elem != nil
		switch {
		case list && opt.KeepAll:
			item, err := cell.Item(*field.Elem, 0)
			if err != nil {
				return h, err
			}
			h.texts[len(h.fields)] = func(dst []byte, c *format.Column, row int) []byte { return cell.AppendList(dst, c, row, item) }
			field.Type, field.Elem, field.Text = format.String, nil, "string"
		case list && len(opt.Columns) > 0:
			return h, format.Requestf("column %q (%s) has no place in %s, whose cells have one value; --keep-all writes it as text, and its elements have columns of their own, as %s[0]", name, f.Text, to.Extension, name)
		case list || f.Type == catalog.Unsupported && f.Text != noValues && len(opt.Columns) == 0:
			if opt.Dropped != nil {
				*opt.Dropped = append(*opt.Dropped, name)
			}
			continue
		}
		if change := changes(&field); change != "" && opt.Changed != nil {
			*opt.Changed = append(*opt.Changed, Change{name, change})
		}
		h.names, h.fields = append(h.names, name), append(h.fields, field)
	}
	return h, nil
}

// noValues is the type of columns of text without a value.
const noValues = "no values"

// write makes texts of the columns of a block that are written as such.
func (h *heldSet) write(cols []format.Column) {
	for i, text := range h.texts {
		c := &cols[i]
		out := format.Column{Field: h.fields[i], String: make([]string, c.Len()), Null: c.Null}
		var buf []byte
		for row := range out.String {
			if !c.IsNull(row) {
				buf = text(buf[:0], c, row)
				out.String[row] = string(buf)
			}
		}
		cols[i] = out
	}
}
