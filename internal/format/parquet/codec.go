package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A codec decompresses blocks.
type codec struct {
	// decode decompresses src into dst, whose length is the size that the
	// result must have.
	decode func(dst, src []byte) error
	// ratio bounds how many bytes one byte can expand to, so that a corrupt
	// header cannot ask for memory that the data cannot fill.
	ratio int
}

var codecs = map[Codec]codec{
	Uncompressed: {copyBlock, 1},
	Snappy:       {decodeSnappy, 32},
	Gzip:         {decodeGzip, 1100},
	Brotli:       {decodeBrotli, 1 << 20},
	LZ4:          {decodeHadoopLZ4, 256},
	Zstd:         {decodeZstd, 1 << 16},
	LZ4Raw:       {decodeLZ4, 256},
}

// Supported reports whether chunks of the codec can be read.
func (c Codec) Supported() bool {
	_, ok := codecs[c]
	return ok
}

func (c Codec) unsupported() error {
	return fmt.Errorf("codec %v is not supported; write the file again with ZSTD or SNAPPY", c)
}

// smallPage is the size up to which a claim is not checked against ratio.
const smallPage = 1 << 16

// decompress decompresses src to exactly size bytes, in buf if it has the
// room. The result may be src itself.
func (c Codec) decompress(buf, src []byte, size int) ([]byte, error) {
	k, ok := codecs[c]
	if !ok {
		return nil, fmt.Errorf("codec %v is not supported", c)
	}
	if c == Uncompressed {
		if len(src) != size {
			return nil, errSize(len(src), size)
		}
		return src, nil
	}
	if size == 0 {
		return buf[:0], nil
	}
	if size > smallPage && size/k.ratio > len(src) {
		return nil, fmt.Errorf("%d bytes of %v cannot hold %d bytes", len(src), c, size)
	}
	if cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	if err := k.decode(buf, src); err != nil {
		return nil, fmt.Errorf("%v: %w", c, err)
	}
	return buf, nil
}

func errSize(got, want int) error {
	return fmt.Errorf("%d bytes instead of %d", got, want)
}

func copyBlock(dst, src []byte) error {
	if len(src) != len(dst) {
		return errSize(len(src), len(dst))
	}
	copy(dst, src)
	return nil
}

func decodeSnappy(dst, src []byte) error {
	n, err := snappy.DecodedLen(src)
	if err != nil {
		return err
	}
	if n != len(dst) {
		return errSize(n, len(dst))
	}
	_, err = snappy.Decode(dst, src)
	return err
}

func decodeGzip(dst, src []byte) error {
	r, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return err
	}
	return readExactly(r, dst)
}

func decodeBrotli(dst, src []byte) error {
	return readExactly(brotli.NewReader(bytes.NewReader(src)), dst)
}

// readExactly fills dst, after which r must end.
func readExactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	var more [1]byte
	if n, err := r.Read(more[:]); n != 0 {
		return fmt.Errorf("more than %d bytes", len(dst))
	} else if err != nil && err != io.EOF {
		return err
	}
	return nil
}

// zstdDecoder never writes past the capacity of its destination.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
})

func decodeZstd(dst, src []byte) error {
	d, err := zstdDecoder()
	if err != nil {
		return err
	}
	out, err := d.DecodeAll(src, dst[:0:len(dst)])
	if err != nil {
		return err
	}
	if len(out) != len(dst) {
		return errSize(len(out), len(dst))
	}
	return nil
}

func decodeLZ4(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return err
	}
	if n != len(dst) {
		return errSize(n, len(dst))
	}
	return nil
}

// decodeHadoopLZ4 decodes the codec that the format deprecated because its
// writers disagree: blocks with two big-endian sizes, uncompressed and
// compressed, before each, or one bare block.
func decodeHadoopLZ4(dst, src []byte) error {
	if decodeFramedLZ4(dst, src) == nil {
		return nil
	}
	return decodeLZ4(dst, src)
}

func decodeFramedLZ4(dst, src []byte) error {
	for len(src) >= 8 {
		n, size := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[4:])
		src = src[8:]
		if uint64(n) > uint64(len(dst)) || uint64(size) > uint64(len(src)) {
			return errors.New("no frame")
		}
		if err := decodeLZ4(dst[:n], src[:size]); err != nil {
			return err
		}
		dst, src = dst[n:], src[size:]
	}
	if len(dst) != 0 || len(src) != 0 {
		return errors.New("no frame")
	}
	return nil
}
