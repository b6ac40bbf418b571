package parquet

import (
	"errors"
	"fmt"

	"skyjoin/internal/format/parquet/thrift"
)

// The types of pages, numbered as in the format.
const (
	dataPage = iota
	indexPage
	dictionaryPage
	dataPageV2
)

// A pageHeader is what stands before a page.
type pageHeader struct {
	Kind       int32             `thrift:"1"`
	Plain      int32             `thrift:"2"` // bytes of the page once decompressed
	Packed     int32             `thrift:"3"` // bytes of the page in the file
	CRC        *int32            `thrift:"4"`
	Data       *valuesHeader     `thrift:"5"`
	Dictionary *dictionaryHeader `thrift:"7"`
	DataV2     *valuesHeader2    `thrift:"8"`
}

type dictionaryHeader struct {
	Values   int32 `thrift:"1"`
	Encoding int32 `thrift:"2"`
}

// valuesHeader tells of the values of a data page of version 1, and how levels
// are encoded.
type valuesHeader struct {
	Values   int32  `thrift:"1"` // nulls included
	Encoding int32  `thrift:"2"`
	Def      *int32 `thrift:"3"`
	Rep      *int32 `thrift:"4"`
}

// valuesHeader2 tells of a data page of version 2, whose levels are not
// compressed.
type valuesHeader2 struct {
	Values     int32 `thrift:"1"`
	Encoding   int32 `thrift:"4"`
	DefBytes   int32 `thrift:"5"`
	RepBytes   int32 `thrift:"6"`
	Compressed *bool `thrift:"7"` // true if nil
}

// parseHeader reads the header at the start of b and returns its length, or
// thrift.ErrShort if b does not hold all of it.
func parseHeader(b []byte) (h pageHeader, size int, err error) {
	if size, err = thrift.Decode(b, &h); err != nil {
		return h, 0, err
	}
	lacks := false
	switch h.Kind {
	case dataPage:
		lacks = h.Data == nil
	case dictionaryPage:
		lacks = h.Dictionary == nil
	case dataPageV2:
		lacks = h.DataV2 == nil
	}
	if lacks {
		return h, 0, fmt.Errorf("it lacks the fields of its type %d", h.Kind)
	}
	if h.Packed < 0 || h.Plain < 0 || h.values() < 0 || h.DataV2 != nil && (h.DataV2.DefBytes < 0 || h.DataV2.RepBytes < 0) {
		return h, 0, errors.New("it has a negative size")
	}
	return h, size, nil
}

// values returns the number of values of the page, nulls included.
func (h *pageHeader) values() int { n, _ := h.about(); return n }

// encoding returns how they are encoded.
func (h *pageHeader) encoding() Encoding { _, e := h.about(); return e }

func (h *pageHeader) about() (values int, e Encoding) {
	switch {
	case h.Kind == dictionaryPage:
		return int(h.Dictionary.Values), Encoding(h.Dictionary.Encoding)
	case h.Kind == dataPageV2:
		return int(h.DataV2.Values), Encoding(h.DataV2.Encoding)
	case h.Kind == dataPage:
		return int(h.Data.Values), Encoding(h.Data.Encoding)
	}
	return 0, Plain
}
