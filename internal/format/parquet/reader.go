package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/apache/arrow/go/v15/parquet/metadata"

	"skyjoin/internal/format"
	"skyjoin/internal/pages"
)

// A reader is a Parquet file, known by its footer.
type reader struct {
	path   string
	size   int64
	n      int64
	leaves []leaf // in file order
	field  []format.Field
	meta   []format.KeyValue
	tops   []string // names of the schema's columns, of structs too
	groups []rowGroup
	writer string
}

// A rowGroup is some consecutive rows of the file.
type rowGroup struct {
	first, rows int64
	chunks      []chunk // one for each leaf
}

// A chunk is the values of a leaf in a row group.
type chunk struct {
	pages.Chunk
	encodings []pages.Encoding
	stats     statistics
}

// maxFooter bounds the footer that is read into memory.
const maxFooter = 1 << 30

// Input reads Parquet files.
var Input = format.Input{Name: "parquet", Extensions: []string{".parquet", ".parq", ".pq"}, Sniff: sniff, Open: open}

// sniff recognises files by how they begin, and by name, so that a damaged
// one is not taken for text.
func sniff(path string, head []byte) bool {
	return bytes.HasPrefix(head, []byte("PAR1")) || bytes.HasPrefix(head, []byte("PARE")) ||
		strings.HasSuffix(strings.ToLower(path), ".parquet")
}

func open(_ context.Context, path string, _ format.Options) (format.Reader, error) {
	f, err := format.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, format.Bare(err)
	}
	footer, err := readFooter(f, info.Size())
	if err != nil {
		return nil, err
	}
	s := &reader{path: path, size: info.Size()}
	if err := format.Fenced(func() error { return s.parse(footer) }); err != nil {
		return nil, fmt.Errorf("the footer is damaged: %w", err)
	}
	return s, nil
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
func (s *reader) parse(footer []byte) error {
	if err := pages.CheckFooter(footer); err != nil {
		return err
	}
	md, err := metadata.NewFileMetaData(footer, nil)
	if err != nil {
		return err
	}
	if md.IsSetEncryptionAlgorithm() {
		return errors.New("the file is encrypted, which is not supported")
	}
	s.writer = md.GetCreatedBy()
	for _, kv := range md.FileMetaData.KeyValueMetadata {
		s.meta = append(s.meta, format.KeyValue{Key: kv.Key, Value: kv.GetValue()})
	}
	if err := s.parseSchema(md.Schema.Root()); err != nil {
		return err
	}
	annotate(s.field, s.meta)
	return s.parseRowGroups(md)
}

func (s *reader) parseRowGroups(md *metadata.FileMetaData) error {
	ordered := columnOrders(md, len(s.leaves))
	for g, rg := range md.FileMetaData.RowGroups {
		if len(rg.Columns) != len(s.leaves) {
			return fmt.Errorf("row group %d has %d columns, the schema has %d", g, len(rg.Columns), len(s.leaves))
		}
		if rg.NumRows < 0 || s.n+rg.NumRows < 0 {
			return fmt.Errorf("row group %d has %d rows", g, rg.NumRows)
		}
		group := rowGroup{first: s.n, rows: rg.NumRows, chunks: make([]chunk, len(s.leaves))}
		for i, col := range rg.Columns {
			l, m := &s.leaves[i], col.MetaData
			if m == nil || col.CryptoMetadata != nil {
				return fmt.Errorf("column %s is encrypted, which is not supported", l.name)
			}
			if col.GetFilePath() != "" {
				return fmt.Errorf("column %s is in another file, %s, which is not supported", l.name, col.GetFilePath())
			}
			if pages.Physical(m.Type) != l.physical {
				return fmt.Errorf("row group %d, column %s: its type is not that of the schema", g, l.name)
			}
			offset := m.DataPageOffset
			if m.DictionaryPageOffset != nil && *m.DictionaryPageOffset > 0 && *m.DictionaryPageOffset < offset {
				offset = *m.DictionaryPageOffset
			}
			c := chunk{Chunk: pages.Chunk{
				Physical: l.physical, Length: l.length, MaxDef: l.maxDef, MaxRep: l.maxRep,
				Codec: pages.Codec(m.Codec), Offset: offset, Size: m.TotalCompressedSize, Values: m.NumValues,
			}}
			for _, e := range m.Encodings {
				c.encodings = append(c.encodings, pages.Encoding(e))
			}
			if st := m.Statistics; st != nil {
				c.stats = statistics{nulls: -1}
				if st.NullCount != nil {
					c.stats.nulls = *st.NullCount
				}
				c.stats.set(st.MinValue, st.MaxValue, st.Min, st.Max, ordered[i])
			} else {
				c.stats.nulls = -1
			}
			group.chunks[i] = c
		}
		s.groups = append(s.groups, group)
		s.n += rg.NumRows
	}
	if s.n != md.FileMetaData.NumRows {
		return fmt.Errorf("the row groups have %d rows, the file is said to have %d", s.n, md.FileMetaData.NumRows)
	}
	return nil
}

// columnOrders reports for each column whether the footer says that its
// min_value and max_value follow the order of its type.
func columnOrders(md *metadata.FileMetaData, n int) []bool {
	out := make([]bool, n)
	for i, o := range md.FileMetaData.ColumnOrders {
		if i < n {
			out[i] = o.IsSetTYPE_ORDER()
		}
	}
	return out
}

func (s *reader) Format() string              { return "parquet" }
func (s *reader) Fields() []format.Field      { return s.field }
func (s *reader) Rows() int64                 { return s.n }
func (s *reader) Metadata() []format.KeyValue { return s.meta }
