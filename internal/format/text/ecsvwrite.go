package text

import (
	"slices"

	"skyjoin/internal/format"
	"skyjoin/internal/format/cell"
	"skyjoin/internal/format/ecsv"
)

// headerFor returns the header of a table: that which its metadata have, with what
// they say besides, or a new one.
func headerFor(fields []format.Field, opt format.WriteOptions) *ecsv.Header {
	h := ecsv.New(",")
	meta := slices.DeleteFunc(slices.Clone(opt.Metadata), func(kv format.KeyValue) bool {
		if kv.Key != ecsv.MetaKey {
			return false
		}
		if kept, err := ecsv.Parse(kv.Value); err == nil {
			h = kept
		}
		return true
	})
	h.Describe(fields)
	h.SetMeta(meta, opt.Replaced)
	h.Delimit()
	return h
}

// ecsvCopy returns the header of a copy of the file with columns added.
func (s *reader) ecsvCopy(added []format.Field, opt format.WriteOptions) *ecsv.Header {
	opt.Metadata = append(slices.Clip(opt.Metadata), format.KeyValue{Key: ecsv.MetaKey, Value: s.header.YAML()})
	return headerFor(slices.Concat(s.Columns, added), opt)
}

// createECSV writes a table as ECSV. Empty strings and nulls look alike in ECSV:
// an empty string is null when it is read again.
func createECSV(to format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	h := headerFor(fields, opt)
	e := newEncoder(to, opt)
	e.delimiter(h.Delimiter[0])
	for _, line := range h.Lines() {
		e.buf = append(append(e.buf, line...), '\n')
	}
	e.start = len(e.buf)
	if err := e.columns(fields); err != nil {
		return nil, err
	}
	e.ecsvCells(fields, h.Columns)
	return e, nil
}

// ecsvCells makes cells of what ECSV writes otherwise than CSV.
func (e *encoder) ecsvCells(fields []format.Field, columns []ecsv.Column) {
	e.nulls = map[int]string{}
	for i, f := range fields {
		switch notation := columns[i].Notation(); {
		case f.Type == format.Bool: // as Python has them, which astropy asks for
			e.cell[i] = func(dst []byte, c *format.Column, row int) []byte {
				if c.Bool[row] {
					return append(dst, "True"...)
				}
				return append(dst, "False"...)
			}
		case notation == ecsv.JSON && f.Type == format.String:
			e.cell[i] = func(dst []byte, c *format.Column, row int) []byte {
				return cell.AppendText(dst, string(toJSON(nil, c.String[row])), e.comma)
			}
			e.nulls[i] = "null"
		case notation == ecsv.Complex && f.Type == format.List:
			e.cell[i] = e.complex(e.cell[i])
		case notation == ecsv.Array && f.Type == format.List:
			if dims := columns[i].Shape(); len(dims) > 1 {
				e.cell[i] = e.nested(f, dims)
			}
		}
	}
}

// complex returns how a real and an imaginary part are written, null ones as nan; lists
// that are no such pair, in files of other formats that have such a header, are written
// as lists.
func (e *encoder) complex(list cell.Func) cell.Func {
	return func(dst []byte, c *format.Column, row int) []byte {
		at, parts := int(c.List.Offset[row]), &c.List.Elem
		if int(c.List.Offset[row+1]) != at+2 {
			return list(dst, c, row)
		}
		part := func(dst []byte, i int) []byte {
			if parts.Float32 != nil {
				return cell.AppendFloat(dst, float64(parts.Float32[i]), 32)
			}
			return cell.AppendFloat(dst, parts.Float64[i], 64)
		}
		dst = part(append(dst, '('), at)
		imaginary := part(nil, at+1)
		if imaginary[0] != '-' {
			dst = append(dst, '+')
		}
		return append(append(dst, imaginary...), "j)"...)
	}
}

// nested returns how arrays are written whose elements are in lists of lists. One of
// the dimensions may be any, -1; what does not fill them is written as one list.
func (e *encoder) nested(f format.Field, dims []int) cell.Func {
	item, err := cell.Item(*f.Elem, e.comma)
	if err != nil { // columns has asked for it already
		return e.cell[0]
	}
	known, open := 1, 0
	for _, d := range dims {
		if d >= 0 {
			known *= d
		} else {
			open++
		}
	}
	return func(dst []byte, c *format.Column, row int) []byte {
		lo, hi := int(c.List.Offset[row]), int(c.List.Offset[row+1])
		if open > 1 || open == 0 && hi-lo != known || open == 1 && (known == 0 || (hi-lo)%known != 0) {
			return cell.AppendText(dst, string(cell.AppendList(nil, c, row, item)), e.comma)
		}
		var text []byte
		at := lo
		var list func(dims []int)
		list = func(dims []int) {
			n := dims[0]
			if n < 0 {
				n = (hi - lo) / known
			}
			text = append(text, '[')
			for i := range n {
				if i > 0 {
					text = append(text, ',')
				}
				if len(dims) > 1 {
					list(dims[1:])
					continue
				}
				if c.List.Elem.IsNull(at) {
					text = append(text, "null"...)
				} else {
					text = item(text, &c.List.Elem, at)
				}
				at++
			}
			text = append(text, ']')
		}
		list(dims)
		return cell.AppendText(dst, string(text), e.comma)
	}
}

// copiesECSV returns how files of ECSV are copied line by line, nil unless all have
// the same columns and delimiters.
func copiesECSV(files []format.Reader) format.Copy {
	var first *reader
	for _, f := range files {
		r, ok := f.(*reader)
		if !ok || r.Name != "ecsv" || r.doubled() {
			return nil
		}
		if first == nil {
			first = r
		}
		if r.layout.header != first.layout.header || r.layout.delimiter != first.layout.delimiter || !slices.Equal(r.header.Columns, first.header.Columns) {
			return nil
		}
	}
	return copyLines
}
