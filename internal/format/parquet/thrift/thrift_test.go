package thrift

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
)

type inner struct {
	Text string `thrift:"1"`
	Flag *bool  `thrift:"200"` // too far from 1 for a short header
}

type outer struct {
	Small  int32    `thrift:"1"`
	In     *inner   `thrift:"2"`
	Large  int64    `thrift:"3"`
	Many   []inner  `thrift:"4"`
	Kept   Raw      `thrift:"5"`
	Absent *int64   `thrift:"6"`
	Texts  []string `thrift:"9"`
	Flag   bool     `thrift:"10"`
	Byte   int8     `thrift:"11"`
	Rest   Rest
}

func example() outer {
	yes := true
	in := inner{"α", &yes}
	return outer{
		Small: 7, In: &in, Large: -1 << 62, Many: slices.Repeat([]inner{in}, 20), Kept: Raw{Double, make([]byte, 8)},
		Texts: []string{"a", ""}, Byte: -3,
		Rest: Rest{{7, Raw{Map, []byte{1, Binary<<4 | I32, 1, 'k', 4}}}, {8, Raw{Map, []byte{0}}}, {12, Raw{Kind: True, Bytes: []byte{}}}},
	}
}

func TestRoundTrip(t *testing.T) {
	want := example()
	b := Append(nil, want)
	var got outer
	n, err := Decode(append(slices.Clone(b), "rest"...), &got)
	if err != nil || n != len(b) || !reflect.DeepEqual(got, want) || !bytes.Equal(Append(nil, got), b) {
		t.Fatalf("%d of %d bytes, %v: %+v", n, len(b), err, got)
	}
	var less struct { // knows no field but one
		Large int64 `thrift:"3"`
	}
	if n, err := Decode(b, &less); n != len(b) || err != nil || less.Large != want.Large {
		t.Errorf("%d of %d bytes, %v: %d", n, len(b), err, less.Large)
	}
	var other struct {
		Many []string `thrift:"4"`
	}
	if _, err := Decode(b, &other); err == nil {
		t.Error("a list of structs passes for one of strings")
	}
	for cut := range b {
		if _, err := Decode(b[:cut], &got); err != ErrShort {
			t.Errorf("the first %d of %d bytes: %v", cut, len(b), err)
		}
	}
}

func TestRefuses(t *testing.T) {
	deep := bytes.Repeat([]byte{1<<4 | Struct}, 100_000)
	for name, b := range map[string][]byte{
		"nothing":             nil,
		"a field twice":       {1<<4 | I32, 2, I32, 2, 2, 0},
		"a string too long":   {9<<4 | Binary, 200, 1, 'a', 0},
		"a list too long":     {4<<4 | List, 0xf<<4 | Struct, 0xff, 0xff, 0xff, 0xff, 0x0f, 0},
		"a number too large":  {1<<4 | I32, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0},
		"an unknown kind":     {1<<4 | 14, 0},
		"nesting without end": deep,
	} {
		var v outer
		if _, err := Decode(b, &v); err == nil {
			t.Errorf("%s decodes as %+v", name, v)
		}
		var none struct{}
		if _, err := Decode(b, &none); err == nil && name != "a number too large" {
			t.Errorf("%s is passed over", name)
		}
	}
}

// FuzzDecode checks that what decodes is encoded in a form that decodes to the
// same.
func FuzzDecode(f *testing.F) {
	f.Add(Append(nil, example()))
	f.Fuzz(func(t *testing.T, b []byte) {
		var v, again outer
		if _, err := Decode(b, &v); err != nil {
			return
		}
		if _, err := Decode(Append(nil, v), &again); err != nil || !bytes.Equal(Append(nil, again), Append(nil, v)) {
			t.Fatalf("%+v became %+v, %v", v, again, err)
		}
	})
}
