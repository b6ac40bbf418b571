package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A blockCodec decompresses blocks.
type blockCodec struct {
	// decode decompresses src into dst, whose length is the size that the result
	// must have, and returns that which it has.
	decode func(dst, src []byte) (int, error)
	// ratio bounds how many bytes one byte can expand to, so that a corrupt
	// header cannot ask for memory that the data cannot fill.
	ratio int
}

var codecs = map[Codec]blockCodec{
	Uncompressed: {nil, 1},
	Snappy:       {decodeSnappy, 32},
	Gzip:         {decodeGzip, 1100},
	Brotli:       {decodeBrotli, 1 << 20},
	LZ4:          {decodeHadoopLZ4, 256},
	Zstd:         {decodeZstd, 1 << 16},
	LZ4Raw:       {lz4Block, 256},
}

// Supported reports whether chunks of the codec can be read.
func (c Codec) Supported() bool {
	_, ok := codecs[c]
	return ok
}

func (c Codec) unsupported() error {
	return fmt.Errorf("codec %v is not supported; write the file again with ZSTD or SNAPPY", c)
}

// A page larger than largePage is read only if it is compressed no better than
// plausible for data: a few bytes could ask for any amount of memory.
const (
	largePage = 128 << 20
	plausible = 200
)

// smallPage is the size up to which a claim is not checked against ratio.
const smallPage = 1 << 16

// decompress decompresses src to exactly size bytes, in buf if it has the
// room. The result may be src itself.
func (c Codec) decompress(buf, src []byte, size int) ([]byte, error) {
	k, ok := codecs[c]
	if !ok {
		return nil, fmt.Errorf("codec %v is not supported", c)
	}
	if c == Uncompressed && len(src) == size {
		return src, nil
	}
	if size == 0 {
		return buf[:0], nil
	}
	if size > smallPage && size/k.ratio > len(src) {
		return nil, fmt.Errorf("%d bytes of %v cannot hold %d bytes", len(src), c, size)
	}
	if size > largePage && size/plausible > len(src) {
		return nil, fmt.Errorf("%d bytes of %v that expand to %d are not read", len(src), c, size)
	}
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	n, err := len(src), error(nil)
	if k.decode != nil {
		n, err = k.decode(buf, src)
	}
	if err == nil && n != size {
		err = fmt.Errorf("%d bytes instead of %d", n, size)
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", c, err)
	}
	return buf, nil
}

func decodeSnappy(dst, src []byte) (int, error) {
	n, err := snappy.DecodedLen(src)
	if err == nil && n == len(dst) {
		_, err = snappy.Decode(dst, src)
	}
	return n, err
}

func decodeGzip(dst, src []byte) (int, error) {
	r, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return 0, err
	}
	return readWhole(dst, r)
}

func decodeBrotli(dst, src []byte) (int, error) {
	return readWhole(dst, brotli.NewReader(bytes.NewReader(src)))
}

// readWhole fills dst, after which r must end.
func readWhole(dst []byte, r io.Reader) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	var more [1]byte
	switch k, err := r.Read(more[:]); {
	case k != 0:
		return 0, fmt.Errorf("more than %d bytes", n)
	case err != nil && err != io.EOF:
		return 0, err
	}
	return n, nil
}

// zstdDecoder never writes past the capacity of its destination.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
})

func decodeZstd(dst, src []byte) (int, error) {
	d, err := zstdDecoder()
	if err != nil {
		return 0, err
	}
	out, err := d.DecodeAll(src, dst[:0:len(dst)])
	return len(out), err
}

func lz4Block(dst, src []byte) (int, error) { return lz4.UncompressBlock(src, dst) }

// decodeHadoopLZ4 decodes the codec that the format deprecated because its
// writers disagree: blocks with two big-endian sizes, uncompressed and
// compressed, before each, or one bare block.
func decodeHadoopLZ4(dst, src []byte) (int, error) {
	if isFramedLZ4(dst, src) {
		return len(dst), nil
	}
	return lz4Block(dst, src)
}

// isFramedLZ4 decodes framed blocks, which src may have.
func isFramedLZ4(dst, src []byte) bool {
	for len(src) >= 8 {
		n, size := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[4:])
		src = src[8:]
		if uint64(n) > uint64(len(dst)) || uint64(size) > uint64(len(src)) {
			return false
		}
		if got, err := lz4Block(dst[:n], src[:size]); err != nil || got != int(n) {
			return false
		}
		dst, src = dst[n:], src[size:]
	}
	return len(dst) == 0 && len(src) == 0
}
