package tiles

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"skyjoin/internal/file"
)

// Files of blocks store rows of a tile, in ascending order. A block begins with a
// header of 32 bytes, little endian like everything else: the number of rows and of
// bytes that follow (4 bytes each), the first and the last row (8 each), the CRC-32C
// of what follows and that of the header up to this point (4 each). Each row is a
// varint, the difference from the row before (in the first row of a block: from 0)
// shifted left by two bits of flags, followed by whatever the file stores for a row.
// A block without rows ends the file.

const blockHead = 32

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged marks files of blocks that are truncated or corrupt.
var errDamaged = errors.New("damaged")

// damage says what is wrong with a file.
type damage string

func (d damage) Error() string { return string(d) }
func (damage) Unwrap() error   { return errDamaged }

// A blockWriter writes a file of blocks. It appends a whole block at a time and
// keeps the file closed in between, so that many can be in use at once.
type blockWriter struct {
	path        string
	most        int // bytes of a block, about
	b           []byte
	rows        uint32
	first, last int64
}

// newBlockWriter returns a writer of blocks of about most bytes, for rows of up to
// row bytes each.
func newBlockWriter(path string, most, row int) *blockWriter {
	return &blockWriter{path: path, most: most, b: make([]byte, blockHead, blockHead+most+binary.MaxVarintLen64+row)}
}

// begin starts a row; the caller appends its bytes to w.b.
func (w *blockWriter) begin(row int64, flags uint64) error {
	if len(w.b) >= blockHead+w.most {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.rows == 0 {
		w.first, w.last = row, 0
	}
	w.b = binary.AppendUvarint(w.b, uint64(row-w.last)<<2|flags)
	w.last = row
	w.rows++
	return nil
}

// flush appends a block with the pending rows to the file.
func (w *blockWriter) flush() error {
	le := binary.LittleEndian
	le.PutUint32(w.b, w.rows)
	le.PutUint32(w.b[4:], uint32(len(w.b)-blockHead))
	le.PutUint64(w.b[8:], uint64(w.first))
	le.PutUint64(w.b[16:], uint64(w.last))
	le.PutUint32(w.b[24:], crc32.Checksum(w.b[blockHead:], castagnoli))
	le.PutUint32(w.b[28:], crc32.Checksum(w.b[:28], castagnoli))
	err := file.Append(w.path, w.b)
	w.b, w.rows, w.first, w.last = w.b[:blockHead], 0, 0, 0
	return err
}

// end writes the pending rows and the block that ends the file.
func (w *blockWriter) end() error {
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.flush()
}

// readBlocks reads the blocks of a file that may hold rows in [lo, hi), judging by
// their first and last rows.
func readBlocks(path string, lo, hi int64, do func(rows int, b []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	var head [blockHead]byte
	var b []byte
	le := binary.LittleEndian
	for left := st.Size(); ; {
		if left -= blockHead; left < 0 {
			return damage("it ends early")
		}
		if _, err := io.ReadFull(f, head[:]); err != nil {
			return err
		}
		if crc32.Checksum(head[:28], castagnoli) != le.Uint32(head[28:]) {
			return damage("its checksum is wrong")
		}
		rows, size := int(le.Uint32(head[:])), int64(le.Uint32(head[4:]))
		if rows == 0 {
			return nil
		}
		if left -= size; left < 0 {
			return damage("it ends early")
		}
		if int64(le.Uint64(head[8:])) >= hi || int64(le.Uint64(head[16:])) < lo {
			if _, err := f.Seek(size, io.SeekCurrent); err != nil {
				return err
			}
			continue
		}
		b = slices.Grow(b[:0], int(size))[:size]
		if _, err := io.ReadFull(f, b); err != nil {
			return err
		}
		if crc32.Checksum(b, castagnoli) != le.Uint32(head[24:]) {
			return damage("its checksum is wrong")
		}
		if err := do(rows, b); err != nil {
			return err
		}
	}
}

// A blockRow iterates over the rows of a block.
type blockRow struct {
	b   []byte
	row int64
}

// next returns the next row, which must have at least the given number of bytes
// after it.
func (r *blockRow) next(bytes int) (row int64, flags uint64, err error) {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || len(r.b)-n < bytes {
		return 0, 0, damage("a row is cut off")
	}
	r.b = r.b[n:]
	r.row += int64(v >> 2)
	return r.row, v & 3, nil
}

// number returns a varint that belongs to the row.
func (r *blockRow) number() (int64, error) {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		return 0, damage("a row is cut off")
	}
	r.b = r.b[n:]
	return int64(v), nil
}
