package table

import (
	"skyjoin/internal/format"
	"skyjoin/io/catalog"
)

// Memory estimates how many bytes [Append] and [AppendStream] take to write a catalog
// to out, beside the columns that are added.
func Memory(out string, cat *catalog.Catalog, opt Options) (int64, error) {
	opt.Dropped = nil
	to, err := outputOf(out, opt.Stdout)
	if err != nil {
		return 0, err
	}
	var scan catalog.Scan
	waiting := int64(0) // rows of a group, as they are and encoded
	if copyOf(to, cat, opt) != nil {
		for _, f := range cat.Derived() {
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
	const buffers = 8 << 20
	return buffers + read + waiting, err
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
