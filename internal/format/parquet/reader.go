package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"skyjoin/internal/format"
	"skyjoin/internal/format/parquet/thrift"
)

// A reader is a Parquet file, known by its footer.
type reader struct {
	path string
	size int64
	n    int64
	shape
	meta   []format.KeyValue
	groups []rowGroup
	notes  []string
}

// A rowGroup is some consecutive rows of the file.
type rowGroup struct {
	first, rows int64
	chunks      []groupChunk // one for each leaf
}

// A groupChunk is the values of a leaf in a row group.
type groupChunk struct {
	Chunk
	encodings []Encoding
	stats     chunkStatistics
	ordered   bool // the newer bounds follow the order of the type
}

// maxFooter bounds the footer that is read into memory.
const maxFooter = 128 << 20

// Input reads Parquet files.
var Input = format.Input{Name: "parquet", Extensions: []string{".parquet", ".parq", ".pq"}, Sniff: sniff, Open: openFile}

// sniff recognises the magic number of files, encrypted or not.
func sniff(start *format.Start) bool {
	return bytes.HasPrefix(start.Bytes, []byte("PAR1")) || bytes.HasPrefix(start.Bytes, []byte("PARE"))

}

func openFile(_ context.Context, path string, _ format.Options) (format.Reader, error) {
	if format.IsCompressed(path) {
		return nil, format.ErrAnywhere
	}
	s := &reader{path: path, size: -1}
	f, meta, err := s.footer()
	if err != nil {
		return nil, err
	}
	f.Close()
	if err := s.parse(meta); err != nil {
		return nil, fmt.Errorf("the footer is damaged: %w", err)
	}
	return s, nil
}

// open opens the file, which must be what it was.
func (s *reader) open() (*os.File, error) {
	f, err := format.OpenRegular(s.path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case s.size < 0: // for the first time
		s.size = info.Size()
	case s.size != info.Size():
		err = fmt.Errorf("the file has changed since it was opened: it had %d bytes and has %d", s.size, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, format.Bare(err)
	}
	return f, nil
}

// footer opens the file and decodes its footer. All chunks are described.
func (s *reader) footer() (_ *os.File, meta *fileMeta, err error) {
	f, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	b, err := readFooter(f, s.size)
	if err != nil {
		return nil, nil, err
	}
	meta = new(fileMeta)
	if err = countFooter(b); err != nil {
		return nil, nil, err
	}
	if _, err = thrift.Decode(b, meta); err != nil {
		return nil, nil, fmt.Errorf("the footer is damaged: %w", err)
	}
	return f, meta, nil
}

// mostGroups bounds the row groups, each of which takes about a kilobyte for each
// column.
const mostGroups = 1 << 17

// countFooter refuses footers of more columns and row groups than are read, before
// they are decoded.
func countFooter(b []byte) error {
	var lists struct {
		Schema thrift.Raw `thrift:"2"`
		Groups thrift.Raw `thrift:"4"`
	}
	if _, err := thrift.Decode(b, &lists); err != nil {
		return fmt.Errorf("the footer is damaged: %w", err)
	}
	count := func(r thrift.Raw) uint64 {
		if len(r.Bytes) == 0 {
			return 0
		}
		n := uint64(r.Bytes[0] >> 4) // of the head of a list; 15: it follows
		if n == 15 {
			n, _ = binary.Uvarint(r.Bytes[1:])
		}
		return n
	}
	if n := count(lists.Groups); n > mostGroups {
		return fmt.Errorf("the file has %d row groups, at most %d are read; write it again with larger ones", n, mostGroups)
	}
	return format.FewColumns(int(min(count(lists.Schema)/4, math.MaxInt32))) // a list of them takes three
}

// readFooter returns the serialised metadata at the end of the file.
func readFooter(f *os.File, size int64) ([]byte, error) {
	const tailBytes = 8
	if size < 4+tailBytes {
		return nil, fmt.Errorf("the file is cut short: %d bytes", size)
	}
	var head [4]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, format.Bare(err)
	}
	if h := string(head[:]); h != "PAR1" && h != "PARE" {
		return nil, errors.New("not a Parquet file: it does not start with PAR1")
	}
	var tail [tailBytes]byte
	if _, err := f.ReadAt(tail[:], size-tailBytes); err != nil {
		return nil, format.Bare(err)
	}
	switch string(tail[4:]) {
	case "PAR1":
	case "PARE":
		return nil, errors.New("the file is encrypted, which is not supported; write it again without encryption")
	default:
		return nil, errors.New("the Parquet file is cut short or was not finished: it does not end with PAR1")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-4-tailBytes || n > maxFooter {
		return nil, fmt.Errorf("the footer claims %d bytes of a file of %d", n, size)
	}
	footer := make([]byte, n)
	if _, err := f.ReadAt(footer, size-tailBytes-n); err != nil {
		return nil, format.Bare(err)
	}
	return footer, nil
}

// parse takes what is needed from the footer, so that the rest can be freed.
func (s *reader) parse(meta *fileMeta) error {
	for _, kv := range meta.KeyValues {
		s.meta = append(s.meta, format.KeyValue{Key: kv.Key, Value: or(kv.Value)})
	}
	if err := s.shape.parse(meta.Schema); err != nil {
		return err
	}
	Annotate(s.field, s.meta)
	for i := range meta.Groups {
		if err := s.parseGroup(i, &meta.Groups[i], meta.Orders); err != nil {
			return err
		}
	}
	switch {
	case s.n == meta.Rows:
	case meta.Rows == 0: // some writers never set it
		s.notes = append(s.notes, fmt.Sprintf("its footer says 0 rows, its row groups have %d", s.n))
	default:
		return fmt.Errorf("the row groups have %d rows, the file is said to have %d", s.n, meta.Rows)
	}
	s.loseColumns()
	return nil
}

// Notes implements [format.Noter].
func (s *reader) Notes() []string { return s.notes }

// loseColumns gives the columns that cannot be read a type that says so.
func (s *reader) loseColumns() {
	for i := range s.leaves {
		if l, f := &s.leaves[i], &s.field[i]; l.lost != "" {
			l.kind = format.Unsupported
			f.Type, f.Elem, f.Text = format.Unsupported, nil, f.Text+" ("+l.lost+")"
		}
	}
}

// Partial implements [format.Partial].
func (s *reader) Partial() bool {
	return slices.ContainsFunc(s.leaves, func(l leaf) bool { return l.lost != "" })
}

func (s *reader) parseGroup(number int, g *groupMeta, orders []columnOrder) error {
	if len(g.Columns) != len(s.leaves) {
		return fmt.Errorf("row group %d has %d columns, the schema has %d", number, len(g.Columns), len(s.leaves))
	}
	if g.Rows < 0 || s.n+g.Rows < 0 {
		return fmt.Errorf("row group %d has %d rows", number, g.Rows)
	}
	group := rowGroup{first: s.n, rows: g.Rows, chunks: make([]groupChunk, len(s.leaves))}
	for i, col := range g.Columns {
		l, m := &s.leaves[i], col.Meta
		switch {
		case m == nil || col.Crypto.Kind != 0:
			l.lost = "encrypted"
			continue
		case or(col.Path) != "":
			l.lost = "in another file, " + format.Clip(*col.Path)
			continue
		case Physical(m.Physical) != l.physical:
			return fmt.Errorf("row group %d, column %s: its type is not that of the schema", number, l.name)
		}
		st, err := decoded[chunkStatistics](m.Statistics)
		if err != nil {
			return err
		}
		c := &group.chunks[i]
		c.Chunk = Chunk{
			Physical: l.physical, Length: l.length, MaxDef: l.maxDef, MaxRep: l.maxRep,
			Codec: Codec(m.Codec), Offset: m.start(), Size: m.Compressed, Plain: m.Uncompressed, Values: m.Values,
		}
		for _, e := range m.Encodings {
			c.encodings = append(c.encodings, Encoding(e))
		}
		c.stats, c.ordered = st, i < len(orders) && orders[i].ByType != nil
	}
	s.groups = append(s.groups, group)
	s.n += g.Rows
	return nil
}

func (s *reader) Format() string              { return "parquet" }
func (s *reader) Fields() []format.Field      { return s.field }
func (s *reader) Rows() int64                 { return s.n }
func (s *reader) Metadata() []format.KeyValue { return s.meta }

// Groups implements format.Divider.
func (s *reader) Groups() []int64 {
	rows := make([]int64, len(s.groups))
	for i := range s.groups {
		rows[i] = s.groups[i].rows
	}
	return rows
}

// Cut implements format.Divider.
func (s *reader) Cut(lo, hi int) format.Reader {
	part := *s
	part.n, part.groups = 0, slices.Clone(s.groups[lo:hi])
	for i := range part.groups {
		part.groups[i].first = part.n
		part.n += part.groups[i].rows
	}
	return &part
}

// Stored implements format.Storer.
func (s *reader) Stored(field int) (codecs, encodings []string, bytes int64) {
	for i := range s.groups {
		if s.leaves[field].lost != "" {
			continue
		}
		c := &s.groups[i].chunks[field]
		codecs = append(codecs, c.Codec.String())
		encodings = append(encodings, c.encodingNames()...)
		bytes += c.Size
	}
	slices.Sort(encodings)
	return codecs, slices.Compact(encodings), bytes
}

// encodingNames names the encodings of the values of a chunk, not those of its
// levels.
func (c *groupChunk) encodingNames() []string {
	var names []string
	for _, e := range c.encodings {
		if e != RLE && e != BitPacked || c.Physical == Boolean && e == RLE {
			names = append(names, e.String())
		}
	}
	return names
}
