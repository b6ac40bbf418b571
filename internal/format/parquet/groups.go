package parquet

import (
	"slices"

	"skyjoin/internal/format"
)

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
