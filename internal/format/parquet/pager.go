package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"slices"

	"skyjoin/internal/format/parquet/thrift"
)

// decodedPage is a decompressed page.
type decodedPage struct {
	pageHeader
	rep  []byte // repetition levels, run-length encoded; nil without
	def  []byte // definition levels
	data []byte // values
}

// pager reads the pages of a chunk one after the other, reusing its buffers:
// what a page refers to is valid until the next.
type pager struct {
	chunk  *Chunk
	src    io.ReaderAt
	pos    int64  // in the file, of the first byte after window
	end    int64  // of the chunk
	window []byte // bytes read but not consumed
	buf    []byte // of the window
	plain  []byte // of decompressed pages
	held   *buffers
}

// buffers are the memory of a pager. Catalogs of many small files would clear
// new memory for each chunk otherwise.
type buffers struct{ window, plain []byte }

// spare keeps some across collections of garbage, which the columns that are
// read cause and which would empty a sync.Pool.
var spare = make(chan *buffers, 16)

// hold takes spare buffers.
func (p *pager) hold() {
	if p.held == nil {
		select {
		case p.held = <-spare:
		default:
			p.held = new(buffers)
		}
		p.buf, p.plain = p.held.window[:0], p.held.plain[:0]
	}
}

// mostSpare is the largest buffer that is kept for other chunks.
const mostSpare = 2 << 20

// release gives the buffers back: the chunk has been read.
func (p *pager) release() {
	if p.held == nil || cap(p.buf) > mostSpare || cap(p.plain) > mostSpare {
		return
	}
	p.held.window, p.held.plain = p.buf, p.plain
	select {
	case spare <- p.held:
	default:
	}
	p.held, p.buf, p.plain, p.window = nil, nil, nil, nil
}

// readAhead is how much is read at once where pages are small.
const readAhead = 64 << 10

// peek returns the next n bytes of the chunk, fewer at its end.
func (p *pager) peek(n int) ([]byte, error) {
	if len(p.window) >= n || p.pos >= p.end {
		return p.window[:min(n, len(p.window))], nil
	}
	p.hold()
	want := max(n, readAhead)
	if all := int64(len(p.window)) + p.end - p.pos; all <= 4*readAhead {
		want = int(all) // a small chunk at once
	}
	if rest := p.end - p.pos; int64(want-len(p.window)) > rest {
		want = len(p.window) + int(rest)
	}
	if cap(p.buf) < want {
		p.buf = append(largeBuffer(want), p.window...)
	} else {
		p.buf = p.buf[:copy(p.buf[:cap(p.buf)], p.window)]
	}
	got, err := p.src.ReadAt(p.buf[len(p.buf):want], p.pos)
	if got < want-len(p.buf) {
		if err == io.EOF {
			err = errors.New("the file ends within it")
		}
		return nil, err
	}
	p.pos += int64(got)
	p.buf = p.buf[:want]
	p.window = p.buf
	return p.window[:min(n, want)], nil
}

// header reads the next page header; ok is false at the end of the chunk.
func (p *pager) header() (h pageHeader, ok bool, err error) {
	for n := 256; ; n *= 8 {
		b, err := p.peek(n)
		if err == nil && len(b) == 0 {
			return h, false, nil
		}
		size := 0
		if err == nil {
			h, size, err = parseHeader(b)
		}
		if err == nil {
			p.window = p.window[size:]
			return h, true, nil
		}
		if err != thrift.ErrShort || len(b) < n {
			return h, false, fmt.Errorf("page header: %w", err)
		}
	}
}

// fits reports a page that ends after the chunk.
func (p *pager) fits(h *pageHeader) error {
	if int64(h.Packed) > int64(len(p.window))+p.end-p.pos {
		return fmt.Errorf("a page of %d bytes ends after the chunk", h.Packed)
	}
	return nil
}

// pass passes over the page whose header was read last.
func (p *pager) pass(h *pageHeader) error {
	if err := p.fits(h); err != nil {
		return err
	}
	n := min(int(h.Packed), len(p.window))
	p.window, p.pos = p.window[n:], p.pos+int64(int(h.Packed)-n)
	return nil
}

// next reads the next dictionary or data page; ok is false at the end of the
// chunk.
func (p *pager) next() (pg decodedPage, ok bool, err error) {
	for {
		h, ok, err := p.header()
		if err != nil || !ok {
			if err == nil {
				p.release()
			}
			return decodedPage{}, false, err
		}
		if err := p.fits(&h); err != nil {
			return decodedPage{}, false, err
		}
		body, err := p.peek(int(h.Packed))
		if err != nil {
			return decodedPage{}, false, err
		}
		p.window = p.window[int(h.Packed):]
		if h.CRC != nil && crc32.ChecksumIEEE(body) != uint32(*h.CRC) {
			return decodedPage{}, false, errors.New("the checksum of a page is wrong")
		}
		pg := decodedPage{pageHeader: h}
		switch h.Kind {
		case dictionaryPage, dataPage:
			err = p.version1(&pg, body)
		case dataPageV2:
			err = p.version2(&pg, body)
		default:
			continue // an index, or what later versions add
		}
		if err == nil && p.chunk.Codec != Uncompressed && !pg.isPlain() {
			p.shrink(&pg)
		}
		return pg, err == nil, err
	}
}

// large are buffers of compressed pages, which the chunks that are read side by side
// share: each needs one only until its page is decompressed.
var large = make(chan []byte, 16)

// largeBuffer returns an empty buffer with room for n bytes.
func largeBuffer(n int) []byte {
	select {
	case b := <-large:
		if cap(b) >= n {
			return b
		}
	default:
	}
	return make([]byte, 0, n)
}

// shrink gives the buffer of a page that has been decompressed to other chunks, if it
// is large.
func (p *pager) shrink(pg *decodedPage) {
	if cap(p.buf) <= 4*readAhead {
		return
	}
	if pg.Kind == dataPageV2 {
		pg.rep, pg.def = slices.Clone(pg.rep), slices.Clone(pg.def)
	}
	given := p.buf[:0]
	p.window = slices.Clone(p.window)
	p.buf = p.window
	if cap(given) > mostSpare {
		return
	}
	select {
	case large <- given: // from now on others write to it
	default:
	}
}

// isPlain reports whether the values of a page are not compressed though those of
// its chunk can be.
func (h *pageHeader) isPlain() bool {
	return h.Kind == dataPageV2 && h.DataV2.Compressed != nil && !*h.DataV2.Compressed
}

func (p *pager) decompress(src []byte, size int) ([]byte, error) {
	out, err := p.chunk.Codec.decompress(p.plain, src, size)
	if err == nil && p.chunk.Codec != Uncompressed {
		p.plain = out
	}
	return out, err
}

// version1 splits a page whose levels are compressed with its values.
func (p *pager) version1(pg *decodedPage, body []byte) (err error) {
	if pg.data, err = p.decompress(body, int(pg.Plain)); err != nil || pg.Kind == dictionaryPage {
		return err
	}
	if p.chunk.MaxRep > 0 {
		if pg.rep, err = pg.cutLevels(pg.Data.Rep, p.chunk.MaxRep); err != nil {
			return fmt.Errorf("repetition levels: %w", err)
		}
	}
	if p.chunk.MaxDef > 0 {
		if pg.def, err = pg.cutLevels(pg.Data.Def, p.chunk.MaxDef); err != nil {
			return fmt.Errorf("definition levels: %w", err)
		}
	}
	return nil
}

// cutLevels takes levels off the start of the data of a version 1 page.
func (pg *decodedPage) cutLevels(encoding *int32, maxLevel uint8) ([]byte, error) {
	e := Encoding(or(encoding))
	switch e {
	case RLE:
		if len(pg.data) < 4 || uint64(binary.LittleEndian.Uint32(pg.data)) > uint64(len(pg.data)-4) {
			return nil, thrift.ErrShort
		}
		n := 4 + int(binary.LittleEndian.Uint32(pg.data))
		levels := pg.data[4:n]
		pg.data = pg.data[n:]
		return levels, nil
	case BitPacked:
		n := (pg.values()*bits.Len8(maxLevel) + 7) / 8
		if n > len(pg.data) {
			return nil, thrift.ErrShort
		}
		levels := repack(pg.data[:n], pg.values(), uint(bits.Len8(maxLevel)))
		pg.data = pg.data[n:]
		return levels, nil
	}
	return nil, fmt.Errorf("%v is no encoding of levels", e)
}

// repack turns the deprecated packing of levels, highest bit first, into one
// bit-packed run of the hybrid encoding.
func repack(b []byte, n int, width uint) []byte {
	groups := (n + 7) / 8
	out := binary.AppendUvarint(nil, uint64(groups)<<1|1)
	packs := make([]byte, groups*int(width))
	for i := range n * int(width) {
		if b[i>>3]>>(7-i&7)&1 != 0 {
			// bit i is bit width-1-i%width of its value
			j := i - i%int(width) + int(width) - 1 - i%int(width)
			packs[j>>3] |= 1 << (j & 7)
		}
	}
	return append(out, packs...)
}

// version2 splits a page whose levels stand uncompressed before its values.
func (p *pager) version2(pg *decodedPage, body []byte) (err error) {
	rep := int(pg.DataV2.RepBytes)
	levels := rep + int(pg.DataV2.DefBytes)
	if levels > len(body) || levels > int(pg.Plain) {
		return fmt.Errorf("levels: %w", thrift.ErrShort)
	}
	pg.rep, pg.def = body[:rep], body[rep:levels]
	body = body[levels:]
	if pg.isPlain() {
		pg.data = body
		return nil
	}
	pg.data, err = p.decompress(body, int(pg.Plain)-levels)
	return err
}
