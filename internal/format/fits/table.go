package fits

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// A Table is a table of a file, as its header describes it.
type Table struct {
	Name     string // EXTNAME
	ASCII    bool   // XTENSION = 'TABLE', otherwise a binary table
	Columns  []Column
	Rows     int64
	RowBytes int64
	Data     int64  // offset of the first row in the (decompressed) file
	Heap     int64  // offset of the area of variable-length arrays
	End      int64  // offset after the data, without padding
	Cards    []Card // of its header, but those of its structure and its columns

	byColumn bool   // the values of each column follow each other, those of the next behind them
	tiles    *tiles // of a compressed table, otherwise nil
	room     int64  // bytes of the arrays of variable length, decompressed
}

// ErrNoTable says that a file has no table.
var ErrNoTable = errors.New("the file has no table (BINTABLE or TABLE), only images")

// maxExtensions bounds how many extensions are looked through.
const maxExtensions = 10_000

// Read reads the headers of a FITS file up to that of the wanted table: the first
// one, or the extension with the wanted name, in any case, or number, where
// the first is 1. size is the length of the file, or -1 if it is not known, as in a
// compressed file; then the caller has to check that the data are complete.
func Read(r io.Reader, size int64, want string) (*Table, error) {
	at := int64(0)
	var seen seenExtensions
	for n := range maxExtensions {
		in := &counter{r: r}
		cards, err := readHeader(in)
		if err == io.EOF && n > 0 {
			return nil, seen.missing(want)
		}
		if err != nil {
			return nil, early(err)
		}
		h := newHeader(cards)
		if n == 0 && h.text("SIMPLE") != "T" {
			return nil, errors.New("the file does not start with SIMPLE = T, as FITS does")
		}
		at += in.n
		data, err := h.dataBytes()
		if err != nil {
			return nil, fmt.Errorf("extension %d: %w", n, err)
		}
		if size >= 0 && data > size-at {
			return nil, fmt.Errorf("extension %d claims %d bytes of data, the file has %d left: it is truncated or damaged", n, data, max(0, size-at))
		}
		if n > 0 {
			seen = append(seen, extension{n, h.text("EXTNAME"), h.kind()})
		}
		if n > 0 && seen[n-1].is(want) {
			if !seen[n-1].isTable() {
				return nil, &ExtensionError{fmt.Sprintf("extension %v is no table but %.20q%s", seen[n-1], seen[n-1].kind, seen[:n-1].tables())}
			}
			t, err := newTable(cards, h, at, at+data)
			if err != nil {
				return nil, fmt.Errorf("extension %d: %w", n, err)
			}
			return t, nil
		}
		padded := data + (BlockBytes-data%BlockBytes)%BlockBytes
		if padded < data {
			return nil, fmt.Errorf("extension %d claims %d bytes of data", n, data)
		}
		if err := skip(r, padded); err == io.EOF {
			return nil, seen.missing(want) // padding may be missing at the end
		} else if err != nil {
			return nil, err
		}
		at += padded
	}
	return nil, seen.missing(want)
}

// An extension identifies an extension of a file.
type extension struct {
	number int
	name   string // EXTNAME
	kind   string // XTENSION
}

// isTable reports whether the extension is a table, binary or of text. A3DTABLE is
// an old name of BINTABLE.
func (e extension) isTable() bool {
	return slices.Contains([]string{"BINTABLE", "TABLE", "A3DTABLE"}, e.kind)
}

// is reports whether the extension is the wanted one.
func (e extension) is(want string) bool {
	if want == "" {
		return e.isTable()
	}
	if n, err := strconv.Atoi(want); err == nil {
		return n == e.number
	}
	return strings.EqualFold(e.name, want)
}

func (e extension) String() string {
	if e.name == "" {
		return strconv.Itoa(e.number)
	}
	return fmt.Sprintf("%d, %.40s,", e.number, e.name)
}

// kind is XTENSION, but for an image in compressed tiles, which is in a table.
func (h header) kind() string {
	if h.text("ZIMAGE") == "T" {
		return "a compressed image"
	}
	return h.text("XTENSION")
}

type seenExtensions []extension

// missing returns the error for a file without the wanted extension.
func (x seenExtensions) missing(want string) error {
	if want == "" {
		return ErrNoTable
	}
	return &ExtensionError{fmt.Sprintf("the file has no extension %.40s; it has %d%s", want, len(x), x.tables())}
}

// An ExtensionError says that the extension that was asked for is not there, or
// is no table.
type ExtensionError struct{ text string }

func (e *ExtensionError) Error() string { return e.text }

// tables lists the tables among the extensions.
func (x seenExtensions) tables() string {
	const most = 8
	var all []string
	for _, e := range x {
		if e.isTable() && len(all) < most {
			all = append(all, strings.TrimSuffix(e.String(), ","))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "; tables are " + strings.Join(all, "; ")
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func skip(r io.Reader, n int64) error {
	if s, ok := r.(io.Seeker); ok {
		_, err := s.Seek(n, io.SeekCurrent)
		return err
	}
	_, err := io.CopyN(io.Discard, r, n)
	return err
}

// maxAxes is the largest NAXIS of the standard.
const maxAxes = 999

// dataBytes returns the length of the data after a header:
// |BITPIX|/8 · GCOUNT · (PCOUNT + NAXIS1 · NAXIS2 · …).
func (h header) dataBytes() (int64, error) {
	bitpix, err := h.integer("BITPIX", 8)
	if err != nil {
		return 0, err
	}
	if !slices.Contains([]int64{8, 16, 32, 64, -32, -64}, bitpix) {
		return 0, fmt.Errorf("the header has BITPIX = %d; it is 8, 16, 32, 64, -32 or -64", bitpix)
	}
	axes, err := h.count("NAXIS")
	if err != nil {
		return 0, err
	}
	if axes > maxAxes {
		return 0, fmt.Errorf("the header has NAXIS = %d, at most %d are possible", axes, maxAxes)
	}
	if axes == 0 {
		return 0, nil
	}
	groups, err := h.integer("GCOUNT", 1)
	if err != nil {
		return 0, err
	}
	heap, err := h.integer("PCOUNT", 0)
	if err != nil {
		return 0, err
	}
	if groups < 0 || heap < 0 {
		return 0, fmt.Errorf("the header has GCOUNT = %d and PCOUNT = %d, which cannot be negative", groups, heap)
	}
	cells := int64(1)
	for i := range axes {
		key := fmt.Sprintf("NAXIS%d", i+1)
		n, err := h.count(key)
		if err != nil {
			return 0, err
		}
		if i == 0 && n == 0 && axes > 1 && h.text("GROUPS") == "T" {
			continue // random groups: the first axis does not count
		}
		if cells, err = times(cells, n); err != nil {
			return 0, err
		}
	}
	total := cells + heap
	if total < 0 {
		return 0, errTooMuch
	}
	for _, f := range []int64{groups, max(bitpix, -bitpix) / 8} {
		if total, err = times(total, f); err != nil {
			return 0, err
		}
	}
	return total, nil
}

var errTooMuch = errors.New("the header claims more data than any file holds")

// times multiplies counts.
func times(a, b int64) (int64, error) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || int64(lo) < 0 {
		return 0, errTooMuch
	}
	return int64(lo), nil
}

// maxRowBytes bounds a row, which is read whole.
const maxRowBytes = 2 * format.MostRow

func newTable(cards []Card, h header, data, end int64) (*Table, error) {
	t := &Table{Name: h.text("EXTNAME"), ASCII: h.kind() == "TABLE", Data: data, End: end}
	var err error
	if t.RowBytes, err = h.count("NAXIS1"); err != nil {
		return nil, err
	}
	if t.Rows, err = h.count("NAXIS2"); err != nil {
		return nil, err
	}
	rows := t.Rows * t.RowBytes // dataBytes has multiplied them
	heap, err := h.integer("THEAP", rows)
	if err != nil {
		return nil, err
	}
	if heap < rows || heap > end-data {
		return nil, fmt.Errorf("the header has THEAP = %d, outside the data after the rows (%d to %d)", heap, rows, end-data)
	}
	t.Heap, t.room = data+heap, end-data-heap
	if t.Columns, err = columns(h, "TFORM", t.ASCII, t.RowBytes); err != nil {
		return nil, err
	}
	if h.text("ZTABLE") == "T" {
		err = t.untile(h)
	} else if !t.ASCII {
		t.turn(h)
	}
	if err != nil {
		return nil, err
	}
	if t.Rows > 0 && t.RowBytes == 0 {
		return nil, fmt.Errorf("the header claims %d rows of no bytes", t.Rows)
	}
	if t.RowBytes > maxRowBytes && !t.byColumn {
		return nil, fmt.Errorf("the header claims rows of %d bytes, at most %d are read", t.RowBytes, maxRowBytes)
	}
	for _, c := range cards {
		if !structural.MatchString(c.Key) {
			t.Cards = append(t.Cards, c)
		}
	}
	return t, nil
}
