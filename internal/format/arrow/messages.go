package arrow

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"

	"skyjoin/internal/format"
)

// The numbers of messages.
const (
	schemaMessage = 1
	recordBatch   = 3
)

var errDamaged = errors.New("the Arrow file is cut short or damaged")

// stretch returns where the messages of a file begin and end. What pads the magic is 0.
func stretch(f io.ReaderAt, size int64) (begin, end int64, err error) {
	var tail [4 + len(magic)]byte
	if _, err := f.ReadAt(tail[:], size-int64(len(tail))); err != nil || string(tail[4:]) != magic {
		return 0, 0, errDamaged
	}
	end = size - int64(len(tail)) - int64(int32(binary.LittleEndian.Uint32(tail[:])))
	for begin = 8; begin < 64; begin += 8 {
		var head [8]byte
		if _, err := f.ReadAt(head[:], begin); err != nil || head != [8]byte{} {
			break
		}
	}
	if begin > end || end > size {
		return 0, 0, errDamaged
	}
	return begin, end, nil
}

// count returns the rows of all batches between two places of a file. It steps over
// the messages and checks that what they claim is there, as the library makes memory
// for whatever they claim.
//
// The format: https://arrow.apache.org/docs/format/Columnar.html
func count(f io.ReaderAt, at, end int64) (rows int64, err error) {
	for at < end {
		var head [8]byte
		if _, err := f.ReadAt(head[:], at); err != nil {
			return 0, errDamaged
		}
		if binary.LittleEndian.Uint32(head[:]) != 1<<32-1 {
			return 0, errors.New("it is an Arrow file of before version 0.15, whose messages have another form; write it anew")
		}
		n := int64(int32(binary.LittleEndian.Uint32(head[4:])))
		if at += 8; n == 0 {
			break
		}
		if n < 8 || n > end-at {
			return 0, errDamaged
		}
		b := make([]byte, n)
		if _, err := f.ReadAt(b, at); err != nil {
			return 0, errDamaged
		}
		m := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
		body := m.GetInt64Slot(10, 0)
		if at += n; body < 0 || body > end-at {
			return 0, errDamaged
		}
		at += body
		var header flatbuffers.Table
		if o := m.Offset(8); o != 0 {
			m.Union(&header, flatbuffers.UOffsetT(o))
		}
		switch m.GetByteSlot(6, 0) {
		case schemaMessage:
			left := format.MostColumns
			if !checkFields(header, 6, 8, &left) {
				return 0, errDamaged
			}
		case recordBatch:
			n := header.GetInt64Slot(4, 0)
			if n < 0 || n/rowsPerByte > body || rows+n < rows {
				return 0, errDamaged
			}
			rows += n
		}
	}
	return rows, nil
}

// rowsPerByte bounds the rows of a batch: a byte has eight of the smallest, and what is
// compressed takes a thousandth.
const rowsPerByte = 8 << 10

// checkFields checks that the fields in a slot of a table are there, with those in
// them, and the metadata in another. left is how many more there may be.
func checkFields(t flatbuffers.Table, fields, metadata flatbuffers.VOffsetT, left *int) bool {
	vector := func(slot flatbuffers.VOffsetT) (n int, at flatbuffers.UOffsetT) {
		o := flatbuffers.UOffsetT(t.Offset(slot))
		if o == 0 {
			return 0, 0
		}
		return t.VectorLen(o), t.Vector(o)
	}
	if n, _ := vector(metadata); n > len(t.Bytes)/4 {
		return false
	}
	n, at := vector(fields)
	if *left -= n; n > len(t.Bytes)/4 || *left < 0 {
		return false
	}
	for i := range n {
		field := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(4*i))}
		if !checkFields(field, 14, 16, left) {
			return false
		}
	}
	return true
}

// mostBatch is how large a batch of a small file may get when it is decompressed.
const mostBatch = 256 << 20

// bounded is memory for buffers of so many bytes in all.
type bounded struct {
	memory.Allocator
	left int
}

// Allocate implements [memory.Allocator]. It panics if no more is left: the library
// returns no errors there.
func (m *bounded) Allocate(n int) []byte {
	if m.left -= n; m.left < 0 {
		panic("a batch claims to have more bytes than the file can hold")
	}
	return m.Allocator.Allocate(n)
}

// Reallocate implements [memory.Allocator].
func (m *bounded) Reallocate(n int, b []byte) []byte {
	if n <= cap(b) {
		return m.Allocator.Reallocate(n, b)
	}
	grown := m.Allocate(n)
	copy(grown, b)
	return grown
}
