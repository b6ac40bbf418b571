package text

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// scanAll divides a whole text into rows; ok is false if it is malformed.
func scanAll(d *dialect, text []byte) (rows [][]string, ok bool) {
	s := scanner{dialect: d, buf: text}
	for {
		switch s.next() {
		case rowNone:
			return rows, true
		case rowData:
			var row []string
			for _, c := range s.cells {
				row = append(row, s.text(c))
			}
			rows = append(rows, row)
		default:
			return nil, false
		}
	}
}

// FuzzScan compares the scanner with encoding/csv where the two agree on what
// CSV is: UTF-8 without bare CR, comments, blanks and tabs.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "\"a\"\"b\",\n\r\n\"\n\",x", "\"", "\"a\"b", "a\"b,\"\"\n", ",\n", "\"\"\n"} {
		f.Add(s)
	}
	d := newDialect(',', `"`, '#', false)
	f.Fuzz(func(t *testing.T, text string) {
		rows, ok := scanAll(d, []byte(text))
		if strings.ContainsAny(text, "# \t") || !utf8.ValidString(text) || strings.Count(text, "\r") != strings.Count(text, "\r\n") {
			return // has been scanned without a panic
		}
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil {
			return
		}
		if !ok {
			t.Fatalf("%q is malformed, encoding/csv reads %q", text, want)
		}
		for _, row := range rows { // encoding/csv makes CR LF in quotes LF
			for i := range row {
				row[i] = strings.ReplaceAll(row[i], "\r\n", "\n")
			}
		}
		if !slices.EqualFunc(rows, want, slices.Equal) {
			t.Fatalf("%q: got %q, encoding/csv %q", text, rows, want)
		}
	})
}

// csvText draws text made of what matters to the scanner.
func csvText(t *rapid.T) []byte {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", ",", ",", "\n", "\r", "\r\n", `"`, `""`, `"x,` + "\n" + `y"`, "#", " ", "'", "\\"}), 0, 40).Draw(t, "text")
	return []byte(strings.Join(parts, ""))
}

// TestBlocksAreWholeRows checks that a text read in blocks of any size has the
// rows and lines of the text as a whole.
func TestBlocksAreWholeRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDialect(',', `"`, '#', false)
		if rapid.Bool().Draw(t, "arff") {
			d = newDialect(',', `'"`, '%', true)
		}
		text := csvText(t)
		want, ok := scanAll(d, text)
		if !ok {
			return
		}
		in := newBlockReader(bytes.NewReader(text), d)
		in.size = rapid.IntRange(1, 30).Draw(t, "block")
		var got [][]string
		var all []byte
		linesHad := 0
		for {
			block, err := in.next(nil)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			rows, ok := scanAll(d, block)
			if !ok {
				t.Fatalf("%q is malformed in the block %q", text, block)
			}
			got = append(got, rows...)
			all = append(all, block...)
			linesHad += countLines(block)
		}
		if !bytes.Equal(all, text) {
			t.Fatalf("%q was read as %q", text, all)
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%q in blocks of %d: %q, want %q", text, in.size, got, want)
		}
		if linesHad != countLines(text) {
			t.Fatalf("%q in blocks of %d: %d lines, want %d", text, in.size, linesHad, countLines(text))
		}
	})
}

// TestScannerCountsLines checks the numbers that errors give.
func TestScannerCountsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := csvText(t)
		s := scanner{dialect: newDialect(',', `"`, '#', false), buf: text}
		for {
			kind := s.next()
			if kind != rowData {
				return
			}
			if want := countLines(text[:s.lo]); s.first != want {
				t.Fatalf("%q: the row at %d starts in line %d, want %d", text, s.lo, s.first, want)
			}
		}
	})
}
