package pages

import (
	"errors"
	"fmt"
)

// The types of pages, numbered as in the format.
const (
	dataPage = iota
	indexPage
	dictionaryPage
	dataPageV2
)

// header is a page header; the fields of the kinds of pages share their place.
type header struct {
	kind         int
	uncompressed int // bytes of the page once decompressed
	compressed   int // bytes of the page in the file
	crc          uint32
	hasCRC       bool
	values       int // nulls included
	encoding     Encoding
	defEncoding  Encoding // version 1
	repEncoding  Encoding
	defBytes     int  // version 2
	repBytes     int  //
	plainValues  bool // version 2: values are not compressed
}

// parseHeader reads the header at the start of b and returns its length, or
// errShort if b does not hold all of it.
func parseHeader(b []byte) (header, int, error) {
	var h header
	kindSeen, bodySeen := false, false
	t := thrift{b: b}
	t.fields(func(id, code int) {
		if code == thriftStruct {
			if targets := h.body(id); targets != nil {
				bodySeen = true
				h.readBody(&t, id, targets)
				return
			}
		}
		if code != thriftI32 {
			t.skip(code, 0)
			return
		}
		switch id {
		case 1:
			h.kind, kindSeen = t.int(), true
		case 2:
			h.uncompressed = t.int()
		case 3:
			h.compressed = t.int()
		case 4:
			h.crc, h.hasCRC = uint32(t.int()), true
		default:
			t.skip(code, 0)
		}
	})
	switch {
	case t.err != nil:
		return h, 0, t.err
	case !kindSeen:
		return h, 0, errors.New("it has no type")
	case h.compressed < 0 || h.uncompressed < 0 || h.values < 0 || h.defBytes < 0 || h.repBytes < 0:
		return h, 0, errors.New("it has a negative size")
	case h.kind != indexPage && !bodySeen:
		return h, 0, fmt.Errorf("it lacks the fields of its type %d", h.kind)
	}
	return h, t.at, nil
}

// body returns where the numbered fields of the kind-specific structure go,
// nil for structures of no interest. Encodings are read as integers.
func (h *header) body(id int) map[int]*int {
	switch id {
	case 5:
		return map[int]*int{1: &h.values, 2: (*int)(&h.encoding), 3: (*int)(&h.defEncoding), 4: (*int)(&h.repEncoding)}
	case 7:
		return map[int]*int{1: &h.values, 2: (*int)(&h.encoding)}
	case 8:
		return map[int]*int{1: &h.values, 4: (*int)(&h.encoding), 5: &h.defBytes, 6: &h.repBytes}
	}
	return nil
}

func (h *header) readBody(t *thrift, body int, targets map[int]*int) {
	t.fields(func(id, code int) {
		target := targets[id]
		switch {
		case target != nil && code == thriftI32:
			*target = t.int()
		case body == 8 && id == 7 && code == thriftFalse:
			h.plainValues = true
		default:
			t.skip(code, 0)
		}
	})
}
