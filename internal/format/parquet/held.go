package parquet

import (
	"skyjoin/internal/format"
)

// Held implements format.Holder: a page of each column and the dictionaries, of the
// row group where they are largest. How large pages are is taken from the first.
func (s *reader) Held(refs []format.Ref) (most int64, err error) {
	f, err := s.open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	large, rows := -1, int64(0)
	for i := range s.groups {
		if s.groups[i].rows > rows {
			large, rows = i, s.groups[i].rows
		}
	}
	if large < 0 {
		return 0, nil
	}
	packed := int64(0) // bytes of the largest page as it is stored
	for _, r := range refs {
		c := s.groups[large].chunks[r.Field].Chunk
		p := pager{chunk: &c, src: f, pos: c.Offset, end: c.Offset + c.Size}
		err := format.Fenced(func() error {
			for {
				h, ok, err := p.header()
				if err != nil || !ok {
					return err
				}
				if c.Codec != Uncompressed {
					packed = max(packed, int64(h.Packed))
				}
				if h.Kind == dictionaryPage {
					most += 3 * int64(h.Plain) // its bytes, and its values
				} else if most += int64(h.Plain); h.Kind == dataPage || h.Kind == dataPageV2 {
					return nil
				}
				if err := p.pass(&h); err != nil {
					return err
				}
			}
		})
		p.release()
		if err != nil {
			return 0, cannotRead(&s.leaves[r.Field], large, err)
		}
	}
	const read = 4 // of those at a time, or not collected yet
	return most + read*packed, nil
}

// Letters implements format.Holder. Of texts in dictionaries it is less.
func (s *reader) Letters(field int) int64 {
	bytes, values := int64(0), int64(0)
	for i := range s.groups {
		c := &s.groups[i].chunks[field]
		bytes, values = bytes+c.Plain, values+c.Values
	}
	return bytes / max(values, 1)
}
