package catalog

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Numpy wrote the files of testdata/npy.

const ras, decs = "30.8337 85.2518 288.4588 209.5783 33.8863 155.9257 172.4585", "-61.247 42.2239 -69.539 -19.5789 3.0132 -12.487 15.6237"

// TestNPYRecords reads a structured array with a field of every type, some in arrays
// and records of their own, of both byte orders, with padding.
func TestNPYRecords(t *testing.T) {
	c := open(t, "testdata/npy/records.npy")
	var got strings.Builder
	for _, name := range []string{"id", "ra", "dec", "name", "u", "h", "ok", "day", "dt", "vec[2]", "m[1]", "c[0]", "c[1]", "in.a", "in.b", "u8", "i1"} {
		col := read(t, c, name)[0]
		fmt.Fprintf(&got, "%s %v:", name, col.Field.Type)
		for row := range 3 {
			fmt.Fprintf(&got, " %s", col.text(row))
		}
		got.WriteString("\n")
	}
	if d := cmp.Diff(lines(
		"id int64: -1152921504606846976 -1152921504606846975 -1152921504606846974",
		"ra float64: 30.8337 85.2518 288.4588", "dec float64: -61.247 42.2239 -69.539",
		"name string: star 0 star 1 star 2", "u string: é0 é1 é2", "h float32: 0.099975586 -2 65504", "ok bool: true false true",
		"day timestamp: 1969-12-30T00:00:00Z 1969-12-31T00:00:00Z 1970-01-01T00:00:00Z", "dt int64: -3  -1",
		"vec[2] float32: 2 5 8", "m[1] int16: 1 5 9", "c[0] float32: 0 1 2", "c[1] float32: 2 2 2", "in.a uint8: 200 201 202", "in.b uint16: 65000 65001 65002",
		"u8 uint64: 18446744073709551615 18446744073709551614 18446744073709551613", "i1 int8: 0 -1 -2"), got.String()); d != "" {
		t.Error(d)
	}
	// Times are seconds to the next float64; the third is none.
	times := read(t, c, "t")[0]
	if got := times.raw().Float64[:2]; !slices.Equal(got, []float64{1577934245.678901, 1577934245.678902}) || times.text(2) != "" {
		t.Errorf("times %v, %q", got, times.text(2))
	}
	if _, err := c.Read(t.Context(), []string{"ld"}, nil); err == nil || !strings.Contains(err.Error(), "column ld is <f16, which cannot be read") {
		t.Errorf("a long double: %v", err)
	}
	if h := read(t, c, "h")[0]; h.text(3) != "+Inf" || h.text(5) != "5.9604645e-08" {
		t.Errorf("floats of 16 bits: %s %s", h.text(3), h.text(5))
	}
}

// TestNPYArrays reads arrays of one and of two axes, of both orders, of which one is a
// list, and leaves out those of other lengths.
func TestNPYArrays(t *testing.T) {
	c := open(t, "testdata/npy/arrays.npz")
	got := table(t, c)
	for _, want := range []string{
		"ra float64: " + ras + "\n", "dec float64: " + decs + "\n", "pos list: [30.8337;-61.247;-30.4133;] [85.2518;42.2239;127.4757;] ",
		"stars.id int64: -1152921504606846976 ", `stars.u string: "é0" "é1" `, "n3 list: [0;1;2;3;4;5;] [6;7;", "cf list: [30.8337;1;-61.247;-2;] ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if notes := c.Files()[0].Notes; !slices.Equal(notes, []string{"the arrays of 7 rows; left out: edges (4), z ()"}) {
		t.Errorf("notes %v", notes)
	}
	for name, want := range map[string]string{"pos[1]": decs, "cf[2]": decs, "cf[3]": "-2 -2 -2 -2 -2 -2 -2"} {
		col := read(t, c, name)[0]
		var all []string
		for row := range 7 {
			all = append(all, col.text(row))
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%s is %s", name, got)
		}
	}
	if d := cmp.Diff(lines("ra float64: "+ras, "dec float64: "+decs), table(t, open(t, "testdata/npy/deflated.npz"))); d != "" {
		t.Error(d)
	}
	if got := table(t, open(t, "testdata/npy/arrays.npz[edges]")); got != "edges int64: 0 1 2 3\n" {
		t.Error(got)
	}
	if _, err := Open(t.Context(), []string{"testdata/npy/arrays.npz[x]"}, Options{}); err == nil || !strings.Contains(err.Error(), "no array x; it has ra (7), dec (7), pos (7, 3)") {
		t.Errorf("an array that is not there: %v", err)
	}
}

// A compressed array, one by columns, with names from the user.
func TestNPYWithoutNames(t *testing.T) {
	plain, err := os.ReadFile("testdata/npy/by-columns.npy")
	if err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(plain)
	w.Close()
	for _, path := range []string{writeFile(t, "t.dat", plain), writeFile(t, "t.gz", z.Bytes())} {
		if d := cmp.Diff(lines("col1 float64: "+ras, "col2 float64: "+decs), table(t, open(t, path))); d != "" {
			t.Error(d)
		}
		c, err := Open(t.Context(), []string{path}, Options{Names: []string{"ra", "dec"}})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(lines("ra float64: "+ras, "dec float64: "+decs), table(t, c)); d != "" {
			t.Error(d)
		}
		c.Close()
	}
	_, err = Open(t.Context(), []string{"testdata/npy/by-columns.npy"}, Options{Names: []string{"ra"}})
	if err == nil || !strings.Contains(err.Error(), "--names has 1 names, the array 2 columns") {
		t.Errorf("too few names: %v", err)
	}
}

// npyFile is an array with a header of the user's.
func npyFile(header string, data ...byte) []byte {
	return slices.Concat([]byte("\x93NUMPY\x01\x00"), []byte{byte(len(header)), byte(len(header) >> 8)}, []byte(header), data)
}

func npyHeader(descr, shape string) string {
	return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n"
}

func TestNPYDamaged(t *testing.T) {
	for _, c := range []struct {
		want string
		data []byte
	}{
		{"claims 8 bytes of values, there are 3", npyFile(npyHeader("'<f8'", "(1,)"), 1, 2, 3)},
		{"more values than any file has", npyFile(npyHeader("'<f8'", "(99999999999, 99999999999)"))},
		{"no array with rows", npyFile(npyHeader("'|S0'", "(99999999999,)"))},
		{"records of more than", npyFile(npyHeader("[('a', '|S0', (99999999999,)), ('b', 'u1')]", "(1,)"), 1)},
		{"shape (2, 3, 4); make rows and columns", npyFile(npyHeader("'u1'", "(2, 3, 4)"))},
		{"shape ();", npyFile(npyHeader("'u1'", "()"), 1)},
		{"has the type \"<q\"", npyFile(npyHeader("'<q'", "(1,)"), 1)},
		{"the header is damaged at \"import", npyFile("{'descr': import os}")},
		{"no shape or no descr", npyFile("{'descr': '<f8'}")},
		{"the shape [-1]", npyFile(npyHeader("'<f8'", "(-1,)"))},
		{"truncated", []byte("\x93NUMPY\x01\x00\xff\x00{'descr'")},
		{"the header is damaged", npyFile(strings.Repeat("[", 100))},
		{"objects of Python are kept as a pickle", npyFile(npyHeader("[('a', '<i4'), ('o', '|O')]", "(1,)"), make([]byte, 12)...)},
	} {
		cat, err := Open(t.Context(), []string{writeFile(t, "t.npy", c.data)}, Options{})
		if err == nil {
			cat.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want …%s…", err, c.want)
		}
	}
	// Objects are not read, for that would run what the file says.
	c := open(t, writeFile(t, "t.npy", npyFile(npyHeader("'|O'", "(1,)"), make([]byte, 8)...)))
	if _, err := c.Read(t.Context(), []string{"col1"}, nil); err == nil || !strings.Contains(err.Error(), "objects of Python (pickle), which cannot be read") {
		t.Errorf("objects: %v", err)
	}
}

func FuzzNPY(f *testing.F) {
	for _, name := range []string{"records.npy", "arrays.npz", "by-columns.npy"} {
		data, err := os.ReadFile("testdata/npy/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(npyFile(npyHeader("'<f8'", "(1, 1)"), make([]byte, 8)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Open(context.Background(), []string{writeFile(t, "t.npy", data)}, Options{Format: "npy"})
		if err != nil {
			return
		}
		defer c.Close()
		for _, field := range c.Fields() {
			c.ReadAll(context.Background(), []string{field.Name}, nil)
			c.Read(context.Background(), []string{field.Name + "[1]"}, nil)
		}
	})
}
