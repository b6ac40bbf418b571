package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"skyjoin/internal/format"
)

// openElsewhere opens the file that has the rows of a table, which another file
// describes.
func openElsewhere(ctx context.Context, f File, away *format.Elsewhere, opt Options, keep func(*scratch) string) (File, format.Reader, error) {
	path := away.Path
	if away.Content != nil {
		r, err := away.Content()
		if err != nil {
			return File{}, nil, err
		}
		copied, err := newScratch(ctx, r)
		r.Close()
		if err != nil {
			return File{}, nil, err
		}
		path = keep(copied)
	}
	if in, _, err := inputOf(path, ""); err == nil && in.Name == "votable" {
		return File{}, nil, fmt.Errorf("the rows are in %s, which is a VOTable, too", cmp.Or(away.Path, "the document"))
	}
	opt.Extension, opt.Format, opt.Names = away.Extension, "", nil
	opened, rows, err := openFile(ctx, path, opt, keep)
	if err != nil {
		return File{}, nil, fmt.Errorf("the rows are in %s: %w", cmp.Or(away.Path, "the document"), err)
	}
	where := cmp.Or(away.Path, "the document")
	d := &described{Reader: rows, fields: slices.Clone(rows.Fields()), meta: slices.Concat(away.Meta, rows.Metadata())}
	d.describe(away.Fields)
	f.Format, f.Rows, f.Beside = "votable", rows.Rows(), away.Path
	f.Notes = slices.Concat(away.Notes, []string{"the rows are in " + where + ", as " + opened.Format}, opened.Notes)
	return f, d, nil
}

// described is the rows of a file, with columns as another describes them.
type described struct {
	format.Reader
	fields []format.Field
	meta   []format.KeyValue
}

// Fields implements [format.Reader].
func (d *described) Fields() []format.Field { return d.fields }

// Metadata implements [format.Reader].
func (d *described) Metadata() []format.KeyValue { return d.meta }

// describe takes units, UCDs and descriptions from fields of the same names, or of the
// same places if no name is known and there are as many.
func (d *described) describe(by []format.Field) {
	at := map[string]int{}
	for i, f := range by {
		at[f.Name] = i
	}
	known := slices.ContainsFunc(d.fields, func(f format.Field) bool { _, ok := at[f.Name]; return ok })
	for i := range d.fields {
		f := &d.fields[i]
		k, ok := at[f.Name]
		if !known && len(by) == len(d.fields) {
			k, ok = i, true
		}
		if ok {
			f.Unit, f.UCD, f.Description = cmp.Or(by[k].Unit, f.Unit), cmp.Or(by[k].UCD, f.UCD), cmp.Or(by[k].Description, f.Description)
		}
	}
}
