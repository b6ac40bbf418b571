package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"slices"
	"testing"

	"skyjoin/internal/format/parquet/thrift"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The encoders of the tests: as plain as the format's specification allows.

func compressed(t testing.TB, c Codec, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var err error
	switch c {
	case Uncompressed:
		return b
	case Snappy:
		return snappy.Encode(nil, b)
	case Gzip:
		w := gzip.NewWriter(&out)
		_, err = w.Write(b)
		err = cmpErr(err, w.Close())
	case Brotli:
		w := brotli.NewWriter(&out)
		_, err = w.Write(b)
		err = cmpErr(err, w.Close())
	case Zstd:
		var w *zstd.Encoder
		if w, err = zstd.NewWriter(&out); err == nil {
			_, err = w.Write(b)
			err = cmpErr(err, w.Close())
		}
	case LZ4, LZ4Raw:
		block := make([]byte, lz4.CompressBlockBound(len(b))+16)
		var n int
		n, err = lz4.CompressBlock(b, block, nil)
		if n == 0 { // incompressible: one run of literals
			block, n = literals(b), 0
			n = len(block)
		}
		if c == LZ4 {
			out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(b))))
			out.Write(binary.BigEndian.AppendUint32(nil, uint32(n)))
		}
		out.Write(block[:n])
	default:
		t.Fatalf("no encoder for %v", c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// literals is an LZ4 block without matches.
func literals(b []byte) []byte {
	n := len(b)
	if n < 15 {
		return append([]byte{byte(n << 4)}, b...)
	}
	out := []byte{0xf0}
	for n -= 15; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(append(out, byte(n)), b...)
}

// chunkWriter collects the pages of a chunk.
type chunkWriter struct {
	t   testing.TB
	c   Chunk
	b   []byte
	crc bool
}

func (w *chunkWriter) page(h pageHeader, plain int, body []byte) {
	h.Plain, h.Packed = int32(plain), int32(len(body))
	if w.crc {
		h.CRC = ptr(int32(crc32.ChecksumIEEE(body)))
	}
	w.b = append(thrift.Append(w.b, h), body...)
}

func (w *chunkWriter) dictionary(values int, data []byte) {
	w.page(pageHeader{Kind: dictionaryPage, Dictionary: &dictionaryHeader{Values: int32(values), Encoding: int32(Plain)}},
		len(data), compressed(w.t, w.c.Codec, data))
}

func (w *chunkWriter) data(version int, e Encoding, def, rep []uint8, slots int, data []byte) {
	r, d := encodeRuns(rep, uint(bits.Len8(w.c.MaxRep))), encodeRuns(def, uint(bits.Len8(w.c.MaxDef)))
	w.c.Values += int64(slots)
	if version == 1 {
		levels := int32(RLE)
		var body []byte
		if w.c.MaxRep > 0 {
			body = append(binary.LittleEndian.AppendUint32(body, uint32(len(r))), r...)
		}
		if w.c.MaxDef > 0 {
			body = append(binary.LittleEndian.AppendUint32(body, uint32(len(d))), d...)
		}
		body = append(body, data...)
		w.page(pageHeader{Kind: dataPage, Data: &valuesHeader{int32(slots), int32(e), &levels, &levels}},
			len(body), compressed(w.t, w.c.Codec, body))
		return
	}
	if w.c.MaxRep == 0 {
		r = nil
	}
	if w.c.MaxDef == 0 {
		d = nil
	}
	packed := compressed(w.t, w.c.Codec, data)
	isPacked := len(data) > 0 && len(packed) < len(data)
	if !isPacked {
		packed = data
	}
	w.page(pageHeader{Kind: dataPageV2, DataV2: &valuesHeader2{int32(slots), int32(e), int32(len(d)), int32(len(r)), &isPacked}},
		len(r)+len(d)+len(data), slices.Concat(r, d, packed))
}

// chunk returns the finished chunk and a file that holds it, after some bytes
// that are not part of it.
func (w *chunkWriter) chunk() (*Chunk, *bytes.Reader) {
	w.c.Offset, w.c.Size = 7, int64(len(w.b))
	return &w.c, bytes.NewReader(append(append([]byte("PAR1..."), w.b...), "after"...))
}

// encodeRuns writes the hybrid encoding, equal values as runs and others
// packed.
func encodeRuns[T uint8 | uint32](v []T, width uint) []byte {
	var out []byte
	for i := 0; i < len(v); {
		run := 1
		for i+run < len(v) && v[i+run] == v[i] {
			run++
		}
		if run >= 8 || width == 0 {
			out = binary.AppendUvarint(out, uint64(run)<<1)
			for k := uint(0); k < width; k += 8 {
				out = append(out, byte(v[i]>>k))
			}
			i += run
			continue
		}
		n := min(8, len(v)-i)
		out = binary.AppendUvarint(out, 1<<1|1)
		out = append(out, pack(v[i:i+n], 8, width)...)
		i += n
	}
	return out
}

// pack writes values of width bits, lowest bit first, zeros up to n of them.
func pack[T uint8 | uint32 | uint64](v []T, n int, width uint) []byte {
	out := make([]byte, (n*int(width)+7)/8)
	for i, x := range v {
		for k := range width {
			if uint64(x)>>k&1 != 0 {
				bit := i*int(width) + int(k)
				out[bit>>3] |= 1 << (bit & 7)
			}
		}
	}
	return out
}

// encodeDelta writes DELTA_BINARY_PACKED with blocks of 128 in 4 miniblocks.
func encodeDelta(v []uint64, valueBits int) []byte {
	const block, minis = 128, 4
	out := binary.AppendUvarint(nil, block)
	out = binary.AppendUvarint(out, minis)
	out = binary.AppendUvarint(out, uint64(len(v)))
	signed := func(u uint64) int64 {
		if valueBits == 32 {
			return int64(int32(u))
		}
		return int64(u)
	}
	if len(v) == 0 {
		return binary.AppendVarint(out, 0)
	}
	out = binary.AppendVarint(out, signed(v[0]))
	for at := 1; at < len(v); at += block {
		n := min(block, len(v)-at)
		deltas := make([]uint64, n)
		lowest := signed(v[at] - v[at-1])
		for i := range deltas {
			deltas[i] = v[at+i] - v[at+i-1]
			lowest = min(lowest, signed(deltas[i]))
		}
		out = binary.AppendVarint(out, lowest)
		var widths, bodies []byte
		for m := range minis {
			lo, hi := min(m*block/minis, n), min((m+1)*block/minis, n)
			width := 0
			for i := lo; i < hi; i++ {
				deltas[i] -= uint64(lowest)
				if valueBits == 32 {
					deltas[i] = uint64(uint32(deltas[i]))
				}
				width = max(width, bits.Len64(deltas[i]))
			}
			widths = append(widths, byte(width))
			if lo < hi {
				bodies = append(bodies, pack(deltas[lo:hi], block/minis, uint(width))...)
			}
		}
		out = append(append(out, widths...), bodies...)
	}
	return out
}
