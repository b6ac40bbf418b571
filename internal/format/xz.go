package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"skyjoin/internal/size"
)

// mostDictionary bounds the dictionaries of blocks, of which two may be in memory;
// xz -9 takes 64 MiB.
const mostDictionary = 1 << 27

// errWindow is the error for a file that needs more memory than the most for what was
// written last.
func errWindow(most int64, how string) error {
	return Mark(fmt.Errorf("it needs more than %s of memory to decompress; %s", size.Text(most), how), errArchive)
}

// openXZ opens a file, of which no block may need a larger dictionary.
func openXZ(f *os.File) (io.Reader, error) {
	if dictionaryOf(f) > mostDictionary {
		return nil, errWindow(mostDictionary, "write it again with xz -9 or less: xzcat FILE | xz -9 > NEW")
	}
	return xz.NewReader(f)
}

// dictionaryOf returns the largest dictionary that a block of an xz file asks for, as
// far as the file is sound: the reader finds out what is wrong behind that, and makes
// every dictionary that it is asked for. It reads the headers of blocks and of the
// chunks in them, of some 64 KiB.
//
// The format: https://tukaani.org/xz/xz-file-format.txt
func dictionaryOf(f io.ReaderAt) (most int64) {
	w := xzWalk{from: f}
	for w.err == nil {
		start := w.bytes(4)
		if w.err != nil || binary.LittleEndian.Uint32(start) == 0 { // padding between streams
			continue
		}
		flags := w.bytes(8)
		if w.err != nil {
			break
		}
		check := checkBytes[flags[3]&15]
		for w.err == nil && w.block(check, &most) {
		}
		w.index()
	}
	return most
}

// checkBytes are how many bytes the check of a block has, by its number.
var checkBytes = [16]int64{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

// An xzWalk steps through an xz file.
type xzWalk struct {
	from io.ReaderAt
	at   int64
	buf  [1024]byte // the longest header of a block
	err  error      // at the end, or where the file is damaged
}

// bytes returns the next bytes, at most as many as a header has.
func (w *xzWalk) bytes(n int) []byte {
	b := w.buf[:n]
	if w.err == nil {
		_, w.err = w.from.ReadAt(b, w.at)
		w.at += int64(n)
	}
	return b
}

// block steps over a block; false if the index is there instead.
func (w *xzWalk) block(check int64, most *int64) bool {
	n := w.bytes(1)[0]
	if w.err != nil || n == 0 {
		return false
	}
	header := w.bytes(4*(int(n)+1) - 1)
	if w.err == nil {
		*most = max(*most, dictionaryIn(header))
	}
	begin := w.at
	for w.err == nil && w.chunk() {
	}
	w.at += (4-(w.at-begin)%4)%4 + check
	return true
}

// dictionaryIn returns the dictionary of the header of a block, whose first byte is
// left out, 0 if it says nothing that can be read.
func dictionaryIn(header []byte) int64 {
	next := func() (v uint64) {
		v, n := binary.Uvarint(header)
		if n <= 0 {
			n = len(header)
		}
		header = header[n:]
		return v
	}
	flags := header[0]
	header = header[1:]
	for range flags>>6&1 + flags>>7 { // the sizes of the block
		next()
	}
	for range flags&3 + 1 {
		filter, n := next(), next()
		if n == 0 || n > uint64(len(header)) {
			continue
		}
		if filter == 0x21 { // LZMA2
			if most, err := lzma.DecodeDictCap(header[0]); err == nil {
				return most
			}
		}
		header = header[n:]
	}
	return 0
}

// chunk steps over a chunk of LZMA2; false if it was the last.
func (w *xzWalk) chunk() bool {
	switch c := w.bytes(1)[0]; {
	case w.err != nil || c == 0:
		return false
	case c >= 0x80: // compressed; from 0xc0 on with new properties
		b := w.bytes(4)
		w.at += int64(binary.BigEndian.Uint16(b[2:])) + 1
		if c >= 0xc0 {
			w.at++
		}
	case c <= 2:
		w.at += int64(binary.BigEndian.Uint16(w.bytes(2))) + 1
	default:
		w.err = errors.New("no chunk")
	}
	return w.err == nil
}

// index steps over the index and the footer, of which the first byte is read.
func (w *xzWalk) index() {
	begin := w.at - 1
	for left := 2 * w.number(); left > 0 && w.err == nil; left-- {
		w.number()
	}
	w.at += (4-(w.at-begin)%4)%4 + 4 + 12
}

// number reads an integer of several bytes.
func (w *xzWalk) number() (v uint64) {
	for shift := 0; shift < 63 && w.err == nil; shift += 7 {
		b := w.bytes(1)[0]
		if v |= uint64(b&127) << shift; b < 128 {
			break
		}
	}
	return v
}
