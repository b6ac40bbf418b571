package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// recordBatch is the number of messages that have rows.
const recordBatch = 3

// count returns the rows of all batches. It steps over the messages of a file and
// checks that what they claim is there.
//
// The format: https://arrow.apache.org/docs/format/Columnar.html
func count(f io.ReaderAt, size int64) (rows int64, err error) {
	damaged := errors.New("the Arrow file is cut short or damaged")
	for at := int64(8); ; {
		var head [8]byte
		if _, err := f.ReadAt(head[:], at); err != nil {
			return 0, damaged
		}
		if binary.LittleEndian.Uint32(head[:]) != 1<<32-1 {
			return 0, errors.New("it is an Arrow file of before version 0.15, whose messages have another form; write it anew")
		}
		n := int64(int32(binary.LittleEndian.Uint32(head[4:])))
		if at += 8; n == 0 {
			return rows, nil
		}
		if n < 8 || n > size-at {
			return 0, damaged
		}
		b := make([]byte, n)
		if _, err := f.ReadAt(b, at); err != nil {
			return 0, damaged
		}
		m := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
		body := int64(0)
		if o := m.Offset(10); o != 0 {
			body = m.GetInt64(flatbuffers.UOffsetT(o) + m.Pos)
		}
		if at += n; body < 0 || body > size-at {
			return 0, damaged
		}
		at += body
		if o := m.Offset(6); o == 0 || m.GetByte(flatbuffers.UOffsetT(o)+m.Pos) != recordBatch {
			continue
		}
		var batch flatbuffers.Table
		if o := m.Offset(8); o != 0 {
			m.Union(&batch, flatbuffers.UOffsetT(o))
			if o := batch.Offset(4); o != 0 {
				if n = batch.GetInt64(flatbuffers.UOffsetT(o) + batch.Pos); n < 0 || rows+n < rows {
					return 0, damaged
				}
				rows += n
			}
		}
	}
}

// mostBuffer is how large a buffer of a small file may get when it is decompressed.
const mostBuffer = 1 << 30

// bounded is memory for buffers of at most so many bytes.
type bounded struct {
	memory.Allocator
	most int
}

// Allocate implements [memory.Allocator].
func (m bounded) Allocate(n int) []byte {
	m.check(n)
	return m.Allocator.Allocate(n)
}

// Reallocate implements [memory.Allocator].
func (m bounded) Reallocate(n int, b []byte) []byte {
	m.check(n)
	return m.Allocator.Reallocate(n, b)
}

// check panics if a buffer would be too large: the library returns no errors there.
func (m bounded) check(n int) {
	if n > m.most {
		panic(fmt.Sprintf("a buffer claims to have %d bytes", n))
	}
}
