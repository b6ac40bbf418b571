package parquet

import (
	"context"
	"encoding/binary"
	"math"
	"os"

	"skyjoin/internal/format"
	"skyjoin/internal/format/parquet/thrift"
)

// createdBy is the writer's name in footers. It has no version, so that
// versions write the same bytes.
const createdBy = "skyjoin"

const magic = "PAR1"

// An assembly is a Parquet file put together from column chunks that are
// already encoded, some of them in other files. Page indexes and Bloom
// filters, which lie outside the chunks, stay behind: they are optional, and
// readers expect all columns of a file to have them or none.
type assembly struct {
	out    format.Sink
	n      int64 // bytes written
	groups []groupMeta
	rows   int64
}

func newAssembly(out format.Sink) (*assembly, error) {
	a := &assembly{out: out, groups: []groupMeta{}}
	return a, a.write([]byte(magic))
}

func (a *assembly) write(p []byte) error {
	n, err := a.out.Write(p)
	a.n += int64(n)
	return err
}

// add appends a row group of the chunks of g in the file src, in the order
// that leaves gives, and of encoded columns. g may have no chunks.
func (a *assembly) add(ctx context.Context, src *os.File, g groupMeta, leaves []int, added []encodedColumn) error {
	first := a.n
	out := groupMeta{Columns: []columnMeta{}, Bytes: g.Bytes, Rows: g.Rows, Sorting: g.Sorting, Offset: &first}

	// Chunks that follow each other in the file are copied in one go.
	var from, upTo int64
	flush := func() error {
		if from == upTo {
			return nil
		}
		err := a.out.CopyFrom(ctx, src, from, upTo-from)
		a.n += upTo - from
		from = upTo
		return err
	}
	for i, leaf := range leaves {
		m := g.Columns[leaf].Meta
		start := m.start()
		if start != upTo && m.Compressed > 0 {
			if err := flush(); err != nil {
				return err
			}
			from, upTo = start, start
		}
		out.Columns = append(out.Columns, m.moved(start, a.n+upTo-from))
		upTo += m.Compressed
		if leaf != i {
			out.Sorting = thrift.Raw{} // its sorting columns go by number
		}
	}
	if err := flush(); err != nil {
		return err
	}
	for _, e := range added {
		out.Columns = append(out.Columns, e.meta.moved(0, a.n))
		out.Bytes += e.meta.Uncompressed
		for _, p := range e.pages {
			if err := a.write(p.data); err != nil {
				return err
			}
		}
	}
	out.Compressed = ptr(a.n - first)
	if n := len(a.groups); n <= math.MaxInt16 {
		out.Ordinal = ptr(int16(n))
	}
	a.groups = append(a.groups, out)
	a.rows += g.Rows
	return ctx.Err()
}

// moved describes a chunk that has started at one offset and starts at another.
func (m *chunkMeta) moved(from, to int64) columnMeta {
	c := *m
	c.DataPage += to - from
	if c.Dictionary != nil && *c.Dictionary == from {
		c.Dictionary = &to
	} else {
		c.Dictionary = nil
	}
	return columnMeta{Offset: to, Meta: &c}
}

// finish writes the footer, of which f has what is not about row groups.
func (a *assembly) finish(f fileMeta) error {
	f.Rows, f.Groups, f.CreatedBy = a.rows, a.groups, createdBy
	b := thrift.Append(nil, f)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
	return a.write(append(b, magic...))
}

// byType is the order that statistics are made with.
var byType = columnOrder{ByType: present}

// withKeys returns key-values with more added: each replaces the value of its key
// in place, or goes to the end.
func withKeys(old []keyValue, more []format.KeyValue) []keyValue {
	at := make(map[string]int)
	for i, kv := range old {
		at[kv.Key] = i
	}
	for _, m := range more {
		kv := keyValue{m.Key, &m.Value}
		if i, ok := at[m.Key]; ok {
			old[i] = kv
			continue
		}
		at[m.Key] = len(old)
		old = append(old, kv)
	}
	if len(old) == 0 {
		return nil
	}
	return old
}
