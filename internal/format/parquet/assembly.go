package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"slices"

	"skyjoin/internal/format"
)

// createdBy is the writer's name in footers. It has no version, so that
// versions write the same bytes.
const createdBy = "skyjoin"

// An assembly is a Parquet file put together from column chunks that are
// already encoded, some of them in other files. Page indexes and Bloom
// filters, which lie outside the chunks, stay behind: they are optional, and
// readers expect all columns of a file to have them or none.
type assembly struct {
	out    format.Sink
	n      int64    // bytes written
	groups [][]byte // encoded row groups so far
	rows   int64
}

func newAssembly(out format.Sink) (*assembly, error) {
	a := &assembly{out: out}
	return a, a.write([]byte(magic))
}

func (a *assembly) write(p []byte) error {
	n, err := a.out.Write(p)
	a.n += int64(n)
	return err
}

// add appends a row group of the chunks of g in the file src, in the order
// that leaves gives, and of encoded columns. g may have no chunks.
func (a *assembly) add(ctx context.Context, src *os.File, g *rawGroup, leaves []int, added []encodedColumn) error {
	rec := append(record(nil), g.rec...)
	rec.keep(groupBytes, groupRows, groupSorting)
	first := a.n
	var columns [][]byte
	plain, _, err := rec.integer(groupBytes)
	if err != nil {
		return err
	}

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
		c := g.chunks[leaf]
		if c.start != upTo && c.size > 0 {
			if err := flush(); err != nil {
				return err
			}
			from, upTo = c.start, c.start
		}
		columns = append(columns, c.moved(a.n+upTo-from))
		upTo += c.size
		if leaf != i {
			rec.drop(groupSorting) // its sorting columns go by number
		}
	}
	if err := flush(); err != nil {
		return err
	}
	for _, e := range added {
		columns = append(columns, e.chunk.moved(a.n))
		plain += e.chunk.plain
		for _, p := range e.pages {
			if err := a.write(p.data); err != nil {
				return err
			}
		}
	}

	rec.set(groupColumns, kindList, appendList(nil, kindStruct, columns))
	rec.setInteger(groupBytes, kindI64, plain)
	rec.setInteger(groupRows, kindI64, g.rows)
	rec.setInteger(groupOffset, kindI64, first)
	rec.setInteger(groupCompressed, kindI64, a.n-first)
	if n := len(a.groups); n <= math.MaxInt16 {
		rec.setInteger(groupOrdinal, kindI16, int64(n))
	}
	a.groups = append(a.groups, rec.encode())
	a.rows += g.rows
	return ctx.Err()
}

// moved returns the encoded description of a chunk that starts at a new
// offset. What points out of the chunk is left out.
func (c rawChunk) moved(to int64) []byte {
	meta := append(record(nil), c.meta...)
	meta.keep(metaType, metaEncodings, metaPath, metaCodec, metaValues, metaUncompressed, metaCompressed, metaKeyValues,
		metaDataPage, metaDictPage, metaStatistics, metaEncodingStat, metaSizeStats, metaGeoStats)
	// parseChunk has read both offsets.
	data, _, _ := meta.integer(metaDataPage)
	dict, hasDict, _ := meta.integer(metaDictPage)
	meta.setInteger(metaDataPage, kindI64, data-c.start+to)
	if hasDict && c.start == dict {
		meta.setInteger(metaDictPage, kindI64, to)
	} else {
		meta.drop(metaDictPage)
	}
	var rec record
	rec.setInteger(chunkOffset, kindI64, to)
	rec.set(chunkMeta, kindStruct, meta.encode())
	return rec.encode()
}

// A footer is what a file says of itself beside its row groups.
type footer struct {
	version   int64
	schema    [][]byte // encoded elements
	keyValues [][]byte // encoded
	orders    [][]byte // encoded, one per leaf, or none
}

// finish writes the footer.
func (a *assembly) finish(f footer) error {
	var rec record
	rec.setInteger(fileVersion, kindI32, f.version)
	rec.set(fileSchema, kindList, appendList(nil, kindStruct, f.schema))
	rec.setInteger(fileRows, kindI64, a.rows)
	rec.set(fileGroups, kindList, appendList(nil, kindStruct, a.groups))
	if len(f.keyValues) > 0 {
		rec.set(fileKeyValues, kindList, appendList(nil, kindStruct, f.keyValues))
	}
	rec.setText(fileCreatedBy, createdBy)
	if len(f.orders) > 0 {
		rec.set(fileColumnOrders, kindList, appendList(nil, kindStruct, f.orders))
	}
	b := rec.encode()
	n := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	return a.write(append(b, magic...))
}

// typeOrder is the encoded ColumnOrder that statistics are made with: the
// order of the column's type.
func typeOrder() []byte {
	var order record
	order.set(1, kindStruct, record{}.encode())
	return order.encode()
}

// keyValues returns encoded key-values with more added: each replaces the
// value of its key in place, or goes to the end.
func keyValues(old [][]byte, more []format.KeyValue) ([][]byte, error) {
	out := append([][]byte(nil), old...)
	at := make(map[string]int)
	for i, raw := range out {
		kv, _, err := parseRecord(raw)
		if err != nil {
			return nil, err
		}
		key, err := kv.text(keyValueKey)
		if err != nil {
			return nil, err
		}
		at[key] = i
	}
	for _, m := range more {
		var kv record
		kv.setText(keyValueKey, m.Key)
		kv.setText(keyValueValue, m.Value)
		if i, ok := at[m.Key]; ok {
			out[i] = kv.encode()
			continue
		}
		at[m.Key] = len(out)
		out = append(out, kv.encode())
	}
	return out, nil
}

// findKey returns the value of a key, "" if there is none.
func findKey(kvs [][]byte, key string) string {
	for _, raw := range kvs {
		if !bytes.Contains(raw, []byte(key)) {
			continue
		}
		if kv, _, err := parseRecord(raw); err == nil {
			if k, _ := kv.text(keyValueKey); k == key {
				v, _ := kv.text(keyValueValue)
				return v
			}
		}
	}
	return ""
}

// dropKeys returns key-values without those whose keys are to be dropped. What
// does not parse is kept: keyValues says so.
func dropKeys(kvs [][]byte, drop func(key string) bool) [][]byte {
	return slices.DeleteFunc(slices.Clone(kvs), func(raw []byte) bool {
		kv, _, err := parseRecord(raw)
		if err != nil {
			return false
		}
		key, err := kv.text(keyValueKey)
		return err == nil && drop(key)
	})
}
