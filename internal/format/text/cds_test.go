package text

import (
	"strings"
	"testing"
)

// mrtOf is a table of a journal with the lines of its description and its rows.
func mrtOf(columns, rows string) string {
	rule := strings.Repeat("-", 80) + "\n"
	return "Title: T\nAuthors: A.\nTable: x\n" + strings.Repeat("=", 80) + "\nByte-by-byte Description of file: t1.dat\n" + rule +
		"   Bytes Format Units    Label    Explanations\n" + rule + columns + rule + rows
}

// Columns of a description may share bytes and be in any order; lines that only look
// alike, in an explanation, are no columns.
func TestCDSBytesShared(t *testing.T) {
	for _, c := range []struct{ columns, rows, names string }{
		{"   1-  3  A3   ---      ID   id\n   5-12 F8.5  deg  RA   ra\n   5-12 A8  ---  RA2   overlap\n", "001 10.50000\n", "ID RA RA2"},
		{"    2-10 F8.5  deg  RA   ra\n   1   I1   ---      ID   id\n", "1 10.50000\n", "RA ID"},
		{"    2-10 F8.5  deg  RA   ra\n   1   I1   ---      ID   id\n", "1010.50000\n", "RA ID"},
		{"   1-  3  A3   ---      ID       stars of\n                                  5 A cat of sources\n   5-12 F8.5  deg      RA       ra\n", "001 10.50000\n", "ID RA"},
	} {
		r, err := openText(t, "t.mrt", mrtOf(c.columns, c.rows))
		if err != nil {
			t.Errorf("%s: %v", c.columns, err)
			continue
		}
		var names []string
		for _, f := range r.Columns {
			names = append(names, f.Name)
		}
		if strings.Join(names, " ") != c.names || r.Count != 1 {
			t.Errorf("%s: columns %v, %d rows", c.columns, names, r.Count)
		}
	}
	if _, err := openText(t, "t.mrt", mrtOf("   9-  3  A3   ---      ID   id\n", "001\n")); err == nil || !strings.Contains(err.Error(), "line 9: bytes 9-3 of ID") {
		t.Errorf("bytes 9-3: %v", err)
	}
}

// Of two tables of journals in one file the first is read, and a note says so.
func TestCDSTwoTables(t *testing.T) {
	one := func(row string) string {
		return mrtOf("   1- 3 I3    ---      ID   id\n   5- 9 F5.2  mag  V   v\n", row)
	}
	r, err := openText(t, "t.mrt", one("  1  1.25\n  3  3.25\n")+"\n"+one("  2  2.25\n"))
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(r.Notes(), "\n"); r.Count != 2 || !strings.Contains(notes, "only the first of its tables is read") {
		t.Errorf("%d rows, notes %q", r.Count, notes)
	}
	r, err = openText(t, "t.mrt", one("")+"Note (1): what\n  the flag says.\n"+strings.Repeat("-", 80)+"\n  1  1.25\n")
	if err != nil || r.Count != 1 {
		t.Errorf("notes before the rows: %+v, %v", r, err)
	}
}

// Older descriptions are byte per byte, and files of old disks are in capitals.
func TestCDSOlder(t *testing.T) {
	older := strings.Replace(mrtOf("   1- 3 I3    ---      ID   id\n", ""), "Byte-by-byte", "Byte-per-byte", 1)
	if r, err := openText(t, "t.mrt", older+"  1\n"); err != nil || r.Count != 1 || r.Columns[0].Name != "ID" {
		t.Errorf("byte per byte: %+v, %v", r, err)
	}
	if r, err := openText(t, "T1", "  1\n  2\n", strings.Replace(older, "t1.dat", "t1", 1)); err != nil || r.Count != 2 || r.Columns[0].Name != "ID" {
		t.Errorf("T1 beside a ReadMe of t1: %+v, %v", r, err)
	}
}
