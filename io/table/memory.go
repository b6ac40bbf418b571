package table

import (
	"slices"

	"skyjoin/internal/format"
	"skyjoin/io/catalog"
)

// Memory estimates how many bytes [Append] and [AppendStream] take to write a catalog
// to out, beside the columns that are added.
func Memory(out string, cat *catalog.Catalog, opt Options) (int64, error) {
	opt.Dropped, opt.Changed = nil, nil
	to, err := outputOf(out, opt.Stdout)
	if err != nil {
		return 0, err
	}
	var scan catalog.Scan
	waiting := int64(0) // rows of a group, as they are and encoded
	if copyOf(to, cat, opt) != nil {
		read := cat.Derived()
		if to.Group != nil { // chunks are copied, and others put beside them
			const added = 8
			waiting = (2*width(rawFields(read)) + added) * largestGroup(cat)
		} else if slices.ContainsFunc(readersOf(cat), func(r format.Reader) bool { _, held := r.(format.Holder); return held }) {
			read = cat.Fields() // which are not texts yet
		}
		for _, f := range read {
			scan.Columns = append(scan.Columns, f.Name)
		}
	} else {
		kept, err := held(to, cat, opt)
		if err != nil {
			return 0, err
		}
		scan = catalog.Scan{Columns: kept.names, Where: opt.Where}
		if to.Group != nil {
			waiting = 3 * min(int64(to.Group(kept.fields, opt.Memory)), cat.Rows()) * width(kept.fields)
		}
	}
	read, err := cat.ScanMemory(scan)
	if opt.Where != "" {
		read += read / 2 // rows that are kept are copied
	}
	const buffers = 20 << 20
	return buffers + read + waiting, err
}

// largestGroup returns the rows of the largest row group of a catalog, which its copy
// has, too.
func largestGroup(cat *catalog.Catalog) (rows int64) {
	for _, r := range readersOf(cat) {
		if d, ok := r.(format.Divider); ok {
			for _, n := range d.Groups() {
				rows = max(rows, n)
			}
		}
	}
	return rows
}

// width is about what a row takes.
func width(fields []format.Field) (bytes int64) {
	const text = 32
	for _, f := range fields {
		if bytes += f.Type.Bytes(); f.Type == format.String {
			bytes += text
		}
	}
	return bytes
}
