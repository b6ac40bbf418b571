package parquet

import "fmt"

// A Physical is the type of the values as stored, numbered as in the format.
type Physical int

// The physical types.
const (
	Boolean Physical = iota
	Int32
	Int64
	Int96
	Float
	Double
	ByteArray
	FixedLenByteArray
)

// A Codec is a compression method, numbered as in the format.
type Codec int

// The codecs.
const (
	Uncompressed Codec = iota
	Snappy
	Gzip
	LZO
	Brotli
	LZ4 // framed as by Hadoop, or a bare block
	Zstd
	LZ4Raw
)

// String returns the name of the format's specification.
func (c Codec) String() string {
	names := [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}
	if c < 0 || int(c) >= len(names) {
		return fmt.Sprintf("codec %d", int(c))
	}
	return names[c]
}

// An Encoding is how values are laid out in a page, numbered as in the format.
type Encoding int

// The encodings.
const (
	Plain                Encoding = 0
	PlainDictionary      Encoding = 2
	RLE                  Encoding = 3
	BitPacked            Encoding = 4
	DeltaBinaryPacked    Encoding = 5
	DeltaLengthByteArray Encoding = 6
	DeltaByteArray       Encoding = 7
	RLEDictionary        Encoding = 8
	ByteStreamSplit      Encoding = 9
)

// String returns the name of the format's specification.
func (e Encoding) String() string {
	names := [...]string{"PLAIN", "", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
		"DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"}
	if e < 0 || int(e) >= len(names) || names[e] == "" {
		return fmt.Sprintf("encoding %d", int(e))
	}
	return names[e]
}

// A Chunk is a column chunk as the footer describes it.
type Chunk struct {
	Physical Physical
	Length   int   // bytes per value of a FixedLenByteArray
	MaxDef   uint8 // definition level of a value that is not null
	MaxRep   uint8 // repetition level within the innermost list
	Codec    Codec
	Offset   int64 // of the first page in the file
	Size     int64 // bytes of all pages, headers included
	Plain    int64 // the same once decompressed
	Values   int64 // values, nulls included
}

// rowsPerByte bounds what a chunk may claim to hold: a run of equal values
// takes a few bytes, however long it is, but every page has a header and
// writers end pages and row groups.
const rowsPerByte = 1 << 20

// Check reports whether the chunk can be what it claims in a file of the given
// size, so that memory for its values may be allocated.
func (c *Chunk) Check(fileSize int64) error {
	switch {
	case c.Offset < 0 || c.Size < 0 || c.Offset > fileSize || c.Size > fileSize-c.Offset:
		return fmt.Errorf("its bytes [%d, +%d) lie outside the file of %d bytes", c.Offset, c.Size, fileSize)
	case c.Values < 0 || c.Values/rowsPerByte > c.Size:
		return fmt.Errorf("%d values cannot be in %d bytes", c.Values, c.Size)
	case c.Physical == FixedLenByteArray && c.Length < 0:
		return fmt.Errorf("values of %d bytes", c.Length)
	}
	return nil
}
