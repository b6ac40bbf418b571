package parquet

import (
	"encoding/binary"
	"math"

	"skyjoin/internal/each"
)

// An arrowBuffer is a flatbuffer of which nothing is believed: what lies outside
// of it is not there. A reader that takes lengths as they are would ask for any
// amount of memory if one of their bits is wrong.
type arrowBuffer struct {
	b       []byte
	left    int  // elements yet to be visited, so that offsets that meet end
	most    int  // bytes of texts yet to be read, which offsets can share
	damaged bool // something was not there, or too much of it
}

// The places of what is read, of the tables of Arrow's Message.fbs and
// Schema.fbs, and the numbers of types.
const (
	messageHeader     = 2
	messageBodyLength = 3
	schemaFields      = 1
	schemaMetadata    = 2
	fieldName         = 0
	fieldType         = 2
	fieldTypeTable    = 3
	fieldChildren     = 5
	fieldMetadata     = 6
	timestampZone     = 1
	unionTypes        = 1
	arrowKeyPlace     = 0
	arrowValuePlace   = 1
	arrowTimestamp    = 10
	arrowStructure    = 13
	arrowUnion        = 14

	arrowDepth = 64 // of structs in structs, as Arrow has it
)

func (a *arrowBuffer) u16(at int) int {
	if at < 0 || at > len(a.b)-2 {
		return 0
	}
	return int(binary.LittleEndian.Uint16(a.b[at:]))
}

func (a *arrowBuffer) u32(at int) int {
	if at < 0 || at > len(a.b)-4 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(a.b[at:]))
}

// slot returns the place of a value of the table at a place, 0 if there is none.
func (a *arrowBuffer) slot(table, k int) int {
	if table <= 0 || table > len(a.b)-4 {
		return 0
	}
	vtable := table - int(int32(a.u32(table)))
	size := a.u16(vtable)
	if size < 4 || size%2 == 1 || vtable+size > len(a.b) {
		a.damaged = true
		return 0
	}
	if 4+2*k >= size {
		return 0
	}
	by := a.u16(vtable + 4 + 2*k)
	if by == 0 {
		return 0
	}
	if table+by >= len(a.b) {
		a.damaged = true
		return 0
	}
	return table + by
}

// follow returns what the offset at a place leads to, 0 if that is nowhere.
func (a *arrowBuffer) follow(at int) int {
	if at == 0 {
		return 0
	}
	if to := at + a.u32(at); to > at && to <= len(a.b)-4 {
		return to
	}
	a.damaged = true
	return 0
}

// count returns where the elements of a vector of the table are, of four bytes each,
// and how many can be visited.
func (a *arrowBuffer) count(table, k int) (at, n int) {
	if at = a.follow(a.slot(table, k)); at == 0 {
		return 0, 0
	}
	n = a.u32(at)
	if most := min((len(a.b)-at-4)/4, a.left); n > most {
		n, a.damaged = most, true
	}
	a.left -= n
	return at + 4, n
}

// list returns the tables of a vector of the table.
func (a *arrowBuffer) list(table, k int) []int {
	at, n := a.count(table, k)
	return each.To(n, func(i int) int { return a.follow(at + 4*i) })
}

func (a *arrowBuffer) text(table, k int) string {
	at := a.follow(a.slot(table, k))
	if at == 0 {
		return ""
	}
	n := a.u32(at)
	if a.most -= n; n > len(a.b)-at-4 || a.most < 0 {
		a.damaged = true
		return ""
	}
	return string(a.b[at+4 : at+4+n])
}

// openArrow returns a message of IPC that is a schema, and the place of the schema.
func openArrow(message []byte) (a *arrowBuffer, schema int) {
	if len(message) >= 4 && binary.LittleEndian.Uint32(message) == math.MaxUint32 {
		message = message[4:] // not there before Arrow 0.15
	}
	if len(message) < 8 {
		return &arrowBuffer{damaged: true}, 0
	}
	n, b := int64(binary.LittleEndian.Uint32(message)), message[4:]
	a = &arrowBuffer{b: b, left: len(b) / 4, most: 16 * len(b), damaged: n > int64(len(b))}
	return a, a.follow(a.slot(a.u32(0), messageHeader))
}

// soundArrow reports whether a schema can be left to Arrow's library: it makes room
// for as many elements as a message says there are, follows offsets wherever they
// lead, and so can take all memory or never end.
func soundArrow(message []byte) bool {
	a, schema := openArrow(message)
	metadata := func(table, k int) {
		for _, kv := range a.list(table, k) {
			a.text(kv, arrowKeyPlace)
			a.text(kv, arrowValuePlace)
		}
	}
	var fields func(tables []int, depth int)
	fields = func(tables []int, depth int) {
		a.damaged = a.damaged || depth > arrowDepth
		for _, f := range tables {
			if a.damaged {
				return
			}
			a.text(f, fieldName)
			metadata(f, fieldMetadata)
			if at := a.slot(f, fieldType); at > 0 {
				switch table := a.follow(a.slot(f, fieldTypeTable)); a.b[at] {
				case arrowTimestamp:
					a.text(table, timestampZone)
				case arrowUnion:
					a.count(table, unionTypes)
				}
			}
			fields(a.list(f, fieldChildren), depth+1)
		}
	}
	fields(a.list(schema, schemaFields), 0)
	metadata(schema, schemaMetadata)
	if at := a.slot(a.u32(0), messageBodyLength); at > 0 && (a.u32(at) != 0 || a.u32(at+4) != 0) {
		return false // a schema has none
	}
	return !a.damaged && schema > 0
}

// arrowSchema calls visit with the name, within structs as in pos.x, and the
// metadata of each field of a schema, an IPC message.
func arrowSchema(message []byte, visit func(name string, keys, values []string)) {
	a, schema := openArrow(message)
	var fields func(prefix string, tables []int, depth int)
	fields = func(prefix string, tables []int, depth int) {
		for _, f := range tables {
			name := prefix + a.text(f, fieldName)
			var keys, values []string
			for _, kv := range a.list(f, fieldMetadata) {
				keys, values = append(keys, a.text(kv, arrowKeyPlace)), append(values, a.text(kv, arrowValuePlace))
			}
			visit(name, keys, values)
			if at := a.slot(f, fieldType); at > 0 && a.b[at] == arrowStructure && depth < arrowDepth {
				fields(name+".", a.list(f, fieldChildren), depth+1)
			}
		}
	}
	fields("", a.list(schema, schemaFields), 0)
}
