package parquet

import (
	"bytes"
	"slices"
	"testing"
)

func TestRecordRoundTrip(t *testing.T) {
	var inner, r record
	inner.setText(1, "α")
	inner.set(200, kindTrue, nil) // too far from 1 for a short header
	r.setInteger(3, kindI64, -1<<62)
	r.setInteger(1, kindI32, 7)
	r.set(2, kindStruct, inner.encode())
	r.set(4, kindList, appendList(nil, kindStruct, slices.Repeat([][]byte{inner.encode()}, 20)))
	r.set(5, kindDouble, make([]byte, 8))
	r.set(6, kindMap, []byte{1, kindBinary<<4 | kindI32, 1, 'k', 4})
	r.set(7, kindMap, []byte{0})

	b := r.encode()
	got, n, err := parseRecord(append(b, "rest"...))
	if err != nil || n != len(b) || !bytes.Equal(got.encode(), b) {
		t.Fatalf("%d of %d bytes, %v", n, len(b), err)
	}
	if v, ok, err := got.integer(3); v != -1<<62 || !ok || err != nil {
		t.Errorf("integer: %d %v %v", v, ok, err)
	}
	items, err := got.list(4, kindStruct)
	if err != nil || len(items) != 20 {
		t.Fatalf("%d items, %v", len(items), err)
	}
	in, _, err := parseRecord(items[19])
	if s, _ := in.text(1); s != "α" || err != nil {
		t.Errorf("text %q, %v", s, err)
	}
	if _, err := got.list(4, kindBinary); err == nil {
		t.Error("a list of structs passes for one of strings")
	}
	for cut := range b {
		if _, _, err := parseRecord(b[:cut]); err == nil {
			t.Errorf("the first %d of %d bytes parse", cut, len(b))
		}
	}
}

func TestRecordRefuses(t *testing.T) {
	deep := bytes.Repeat([]byte{1<<4 | kindStruct}, 100_000)
	for name, b := range map[string][]byte{
		"nothing":             nil,
		"a field twice":       {1<<4 | kindI32, 2, kindI32, 2, 2, 0},
		"a string too long":   {1<<4 | kindBinary, 200, 1, 'a', 0},
		"a list too long":     {1<<4 | kindList, 0xf<<4 | kindI32, 0xff, 0xff, 0xff, 0xff, 0x0f, 0},
		"an unknown kind":     {1<<4 | 14, 0},
		"nesting without end": deep,
	} {
		if r, _, err := parseRecord(b); err == nil {
			t.Errorf("%s parses as %v", name, r)
		}
	}
}
