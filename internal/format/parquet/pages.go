package parquet

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// A pageReader decodes the values of one chunk.
type pageReader[T Value] struct {
	pager
	encodings map[Encoding]newDecoder[T]
	dict      []T
	hasDict   bool
	values    decoder[T]
	rep, def  hybridDecoder
	inPage    int   // slots left in the page
	left      int64 // slots left in the chunk
}

func newPageReader[T Value](src io.ReaderAt, c *Chunk, encodings map[Encoding]newDecoder[T]) *pageReader[T] {
	return &pageReader[T]{
		pager:     pager{chunk: c, src: src, pos: c.Offset, end: c.Offset + c.Size},
		encodings: encodings,
		left:      c.Values,
	}
}

// newReader32 returns a reader of an Int32 or Float chunk, which must have
// passed its Check.
func newReader32(src io.ReaderAt, c *Chunk) *pageReader[uint32] {
	return newPageReader(src, c, encodings32)
}

// newReader64 returns a reader of an Int64 or Double chunk.
func newReader64(src io.ReaderAt, c *Chunk) *pageReader[uint64] {
	return newPageReader(src, c, encodings64)
}

// newReaderBool returns a reader of a Boolean chunk.
func newReaderBool(src io.ReaderAt, c *Chunk) *pageReader[bool] {
	return newPageReader(src, c, encodingsBool)
}

// newReaderBytes returns a reader of a ByteArray, FixedLenByteArray or Int96
// chunk. Values of FixedLenByteArray and Int96 have their fixed length.
func newReaderBytes(src io.ReaderAt, c *Chunk) *pageReader[string] {
	return newPageReader(src, c, encodingsBytes)
}

// Read decodes the next slots: values, nulls, and places of empty lists. vals
// receives the n values among them one after the other; def and rep, all as
// long as vals, receive the levels of the slots where the chunk has any. It
// returns io.EOF after the last slot, and an error if the pages hold fewer
// slots than the chunk is said to have.
func (r *pageReader[T]) Read(vals []T, def, rep []uint8) (slots, n int, err error) {
	if r.left == 0 {
		r.release()
		return 0, 0, io.EOF
	}
	for r.inPage == 0 {
		if err := r.nextPage(); err != nil {
			return 0, 0, err
		}
	}
	slots = int(min(int64(len(vals)), int64(r.inPage), r.left))
	if r.chunk.MaxRep > 0 {
		if err := readLevels(&r.rep, rep[:slots], r.chunk.MaxRep); err != nil {
			return 0, 0, fmt.Errorf("repetition levels: %w", err)
		}
	}
	n = slots
	if r.chunk.MaxDef > 0 {
		if err := readLevels(&r.def, def[:slots], r.chunk.MaxDef); err != nil {
			return 0, 0, fmt.Errorf("definition levels: %w", err)
		}
		n = countLevel(def[:slots], r.chunk.MaxDef)
	}
	if n > 0 {
		if err := r.values.decode(vals[:n]); err != nil {
			return 0, 0, err
		}
	}
	r.inPage -= slots
	r.left -= int64(slots)
	return slots, n, nil
}

func readLevels(h *hybridDecoder, dst []uint8, maxLevel uint8) error {
	if err := fillRuns(h, dst); err != nil {
		return err
	}
	if maxLevel&(maxLevel+1) == 0 {
		return nil // its bits cannot say more
	}
	for _, l := range dst {
		if l > maxLevel {
			return fmt.Errorf("level %d is over %d", l, maxLevel)
		}
	}
	return nil
}

func countLevel(levels []uint8, level uint8) int {
	n := 0
	for _, l := range levels {
		if l == level {
			n++
		}
	}
	return n
}

// nextPage makes the next data page current, taking in a dictionary on the
// way.
func (r *pageReader[T]) nextPage() error {
	for {
		pg, ok, err := r.next()
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("it ends %d values early", r.left)
		}
		if pg.Kind == dictionaryPage {
			if err := r.setDictionary(pg); err != nil {
				return fmt.Errorf("dictionary: %w", err)
			}
			continue
		}
		if err := r.setPage(pg); err != nil {
			return fmt.Errorf("%v page: %w", pg.encoding(), err)
		}
		return nil
	}
}

func (r *pageReader[T]) setDictionary(pg decodedPage) error {
	if r.hasDict {
		return errors.New("there is a second one")
	}
	if pg.encoding() != Plain && pg.encoding() != PlainDictionary {
		return fmt.Errorf("encoding %v, it must be PLAIN", pg.encoding())
	}
	plain := r.encodings[Plain]
	if plain == nil {
		return errors.New("this type cannot have one")
	}
	if pg.values() > len(pg.data) {
		return errValues(len(pg.data), pg.values())
	}
	d, err := plain(r.chunk, pg.data, pg.values())
	if err != nil {
		return err
	}
	r.dict, r.hasDict = make([]T, pg.values()), true
	return d.decode(r.dict)
}

func (r *pageReader[T]) setPage(pg decodedPage) (err error) {
	if int64(pg.values()) > r.left {
		return fmt.Errorf("it has %d values, %d are left of the chunk", pg.values(), r.left)
	}
	r.inPage = pg.values()
	r.rep = newHybrid(pg.rep, uint(bits.Len8(r.chunk.MaxRep)))
	r.def = newHybrid(pg.def, uint(bits.Len8(r.chunk.MaxDef)))
	before := r.values
	if none, ok := before.(noValues[T]); ok {
		before = none.before
	}
	if len(pg.data) == 0 && fixedLength(r.chunk) != 0 { // a page of nulls
		r.values = noValues[T]{before}
		return nil
	}
	if pg.encoding() == RLEDictionary || pg.encoding() == PlainDictionary {
		if !r.hasDict {
			return errors.New("there is no dictionary before it")
		}
		r.values, err = newIndexed(r.dict, pg.data)
		return err
	}
	newValues := r.encodings[pg.encoding()]
	if newValues == nil {
		return errors.New("this encoding is not defined for the type")
	}
	r.values, err = newValues(r.chunk, pg.data, pg.values())
	if d, ok := any(r.values).(*deltaBytes); ok {
		d.follow(any(before))
	}
	return err
}

// indexed decodes indices into a dictionary.
type indexed[T Value] struct {
	dict  []T
	runs  hybridDecoder
	index [512]uint32
}

func newIndexed[T Value](dict []T, data []byte) (decoder[T], error) {
	width := uint(data[0])
	if width > 32 {
		return nil, fmt.Errorf("indices of %d bits", width)
	}
	return &indexed[T]{dict: dict, runs: newHybrid(data[1:], width)}, nil
}

func (d *indexed[T]) decode(dst []T) error {
	for len(dst) > 0 {
		index := d.index[:min(len(dst), len(d.index))]
		if err := fillRuns(&d.runs, index); err != nil {
			return err
		}
		for i, x := range index {
			if uint(x) >= uint(len(d.dict)) {
				return fmt.Errorf("index %d into a dictionary of %d", x, len(d.dict))
			}
			dst[i] = d.dict[x]
		}
		dst = dst[len(index):]
	}
	return nil
}

// The encodings of each type but those with a dictionary, which all have.
var (
	encodings32 = map[Encoding]newDecoder[uint32]{
		Plain:             newPlain32,
		DeltaBinaryPacked: newDelta[uint32],
		ByteStreamSplit:   newSplit32,
	}
	encodings64 = map[Encoding]newDecoder[uint64]{
		Plain:             newPlain64,
		DeltaBinaryPacked: newDelta[uint64],
		ByteStreamSplit:   newSplit64,
	}
	encodingsBool = map[Encoding]newDecoder[bool]{
		Plain: newPlainBool,
		RLE:   newRLEBool,
	}
	encodingsBytes = map[Encoding]newDecoder[string]{
		Plain:                newPlainBytes,
		DeltaLengthByteArray: newDeltaLength,
		DeltaByteArray:       newDeltaBytes,
		ByteStreamSplit:      newSplitBytes,
	}
)
