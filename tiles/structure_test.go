package tiles

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/file"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// FuzzPlanValues replaces two values of plan.json or of a piece's tile.json by any
// others. What comes of it is an error or an answer, and nothing outside of the
// folder is changed.
func FuzzPlanValues(f *testing.F) {
	whole := []string{smallPlan(f, Metric{Kind: "euclidean"}, 2, StageYes), smallPlan(f, Metric{Kind: "sky"}, 2, StageNo)}
	names := []string{planFile, "tiles/00000/" + pieceFile}
	for i, value := range []string{"-1", `"/x/../y"`, "null", "1e300", "[]", "9223372036854775807", `{"x":[0]}`, `"brute"`} {
		f.Add(uint8(i%2), uint8(i/2%2), uint16(37*i), value, uint16(11*i), `""`)
	}
	f.Fuzz(func(t *testing.T, which, name uint8, first uint16, one string, second uint16, other string) {
		dir := copied(t, whole[int(which)%len(whole)])
		path := filepath.Join(dir, names[int(name)%len(names)])
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var root any
		if err := json.Unmarshal(text, &root); err != nil {
			t.Fatal(err)
		}
		root = withValue(withValue(root, int(first), one), int(second), other)
		if text, err = json.Marshal(root); err != nil {
			t.Skip() // a value of a wrong form
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		beside := func() (names []string) {
			for _, d := range []string{filepath.Dir(dir), filepath.Dir(whole[int(which)%len(whole)])} {
				entries, err := os.ReadDir(d)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					names = append(names, e.Name())
				}
			}
			return names
		}
		before := beside()
		use(t.Context(), dir)
		os.RemoveAll(filepath.Join(dir, mergedDir))
		os.RemoveAll(filepath.Join(dir, "out"))
		use(t.Context(), dir)
		if after := beside(); !slices.Equal(before, after) {
			t.Fatalf("beside the plan were %q, are %q", before, after)
		}
	})
}

// withValue returns JSON with the text in the place of the nth value, counted round.
func withValue(root any, n int, text string) any {
	var sets []func(any)
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		sets = append(sets, set)
		switch v := v.(type) {
		case []any:
			for i, e := range v {
				walk(e, func(o any) { v[i] = o })
			}
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				walk(v[k], func(o any) { v[k] = o })
			}
		}
	}
	walk(root, func(v any) { root = v })
	sets[n%len(sets)](json.RawMessage(text))
	return root
}

// FuzzPlanTables replaces values of a table of a plan, of a piece or of what is
// merged by others: an error or an answer.
func FuzzPlanTables(f *testing.F) {
	whole := smallPlan(f, Metric{Kind: "euclidean"}, 2, StageNo)
	var names []string
	if err := filepath.WalkDir(whole, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".parquet") {
			name, _ := filepath.Rel(whole, path)
			names = append(names, name)
		}
		return err
	}); err != nil || len(names) < 5 {
		f.Fatal(names, err)
	}
	for i := range names {
		f.Add(uint8(i), []byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1, 0, 0, 0, 0, 0, 0, 0, 128})
	}
	f.Fuzz(func(t *testing.T, name uint8, edits []byte) {
		dir := copied(t, whole)
		path := filepath.Join(dir, names[int(name)%len(names)])
		cat, err := catalog.Open(t.Context(), []string{path}, catalog.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer cat.Close()
		var all []string
		for _, field := range cat.Fields() {
			all = append(all, field.Name)
		}
		cols, err := cat.Read(t.Context(), all, nil)
		if err != nil {
			t.Fatal(err)
		}
		for ; len(edits) >= 10; edits = edits[10:] {
			c, v := &cols[int(edits[0])%len(cols)], int64(binary.LittleEndian.Uint64(edits[2:]))
			row := int(edits[1])
			switch {
			case c.Len() == 0:
			case c.Int64 != nil && c.Field.Type == catalog.Int32:
				c.Int64[row%c.Len()] = int64(int32(v))
			case c.Int64 != nil:
				c.Int64[row%c.Len()] = v
			case c.Float64 != nil:
				c.Float64[row%c.Len()] = float64(v)
			}
		}
		if err := table.Write(t.Context(), path, cols, table.Options{Force: true, Threads: 1}); err != nil {
			t.Fatal(err)
		}
		use(t.Context(), dir)
		os.RemoveAll(filepath.Join(dir, mergedDir))
		os.RemoveAll(filepath.Join(dir, "out"))
		use(t.Context(), dir)
	})
}

// FuzzPlanRows writes any rows, with right checksums, into a file of staged rows or
// of labels: an error or an answer.
func FuzzPlanRows(f *testing.F) {
	whole := smallPlan(f, Metric{Kind: "euclidean"}, 2, StageYes)
	names := []string{"rows/00000-0.rows", "tiles/00000/" + labelsFile}
	for i, name := range names {
		text, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), uint32(5), int64(0), int64(59), text[blockHead:len(text)-blockHead])
	}
	f.Fuzz(func(t *testing.T, name uint8, rows uint32, first, last int64, body []byte) {
		dir := copied(t, whole)
		path := filepath.Join(dir, names[int(name)%len(names)])
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		w := newBlockWriter(path, len(body), 1)
		w.b, w.rows, w.first, w.last = append(w.b, body...), max(rows, 1), first, last
		if err := w.end(); err != nil {
			t.Fatal(err)
		}
		use(t.Context(), dir)
		os.RemoveAll(filepath.Join(dir, mergedDir))
		os.RemoveAll(filepath.Join(dir, "out"))
		use(t.Context(), dir)
	})
}

// FuzzManifest puts files of any name beside those of a plan: it is not replaced
// unless all are of this program's making, and what is not stays.
func FuzzManifest(f *testing.F) {
	for _, name := range []string{"tiles/00000/x.parquet", "merged/answer.json", "plan.json~", "notes.txt", "tiles/00000.failed", ".plan.json.12-0123abcd.tmp", "tiles/00000/tile.json\n", "x/../plan.json"} {
		f.Add(name, []byte("mine"))
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		dir := filepath.Join(t.TempDir(), "plan")
		path := filepath.Join(dir, filepath.Clean("/"+name))
		if strings.ContainsRune(name, 0) || path == dir || os.MkdirAll(filepath.Dir(path), 0o777) != nil {
			return
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		refused := Replaceable(dir) != nil
		if plan := rel == planFile && isPlan(dir); !refused && !plan {
			t.Fatalf("a folder with nothing but %q would be replaced", rel)
		}
		owned := manifest.MatchString(filepath.ToSlash(rel))
		err = file.Folder(dir, manifest.MatchString, func(string) error { return nil })
		left, gone := os.ReadFile(path)
		if !owned && err == nil && gone != nil && !strings.HasSuffix(rel, ".tmp") {
			t.Fatalf("%q was removed", rel)
		}
		if gone == nil && !bytes.Equal(left, text) {
			t.Fatalf("%q was changed", rel)
		}
	})
}
