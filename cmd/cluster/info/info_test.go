package info

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/file"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

func TestInfo(t *testing.T) {
	in := cmdtest.CSVOf(t, "id,ra,name", "18446744073709551615,10.5,a", "0,-999,", "5,nan,b")
	text := cmdtest.Succeed(t, "info", in).Stdout
	for _, part := range []string{"3 rows", "uint64", "18446744073709551615", "COLUMN", "id", "ra", "name"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "info", "--json", "--null=-999", in))
	if s.Command != "info" || s.Input.Rows != 3 {
		t.Errorf("command %s, %d rows", s.Command, s.Input.Rows)
	}
	want := map[string][3]any{
		"id":   {json.Number("0"), json.Number("0"), json.Number("18446744073709551615")},
		"ra":   {json.Number("1"), json.Number("10.5"), json.Number("10.5")},
		"name": {json.Number("1"), "a", "b"},
	}
	columns := s.Result["columns"].([]any)
	if len(columns) != len(want) {
		t.Fatalf("%d columns, want %d", len(columns), len(want))
	}
	for _, c := range columns {
		c := c.(map[string]any)
		if got := [3]any{c["nulls"], c["min"], c["max"]}; got != want[c["name"].(string)] {
			t.Errorf("%v: nulls, min, max are %v", c["name"], got)
		}
	}
}

// Several catalogs are described one by one, whatever columns they have.
func TestInfoOfSeveral(t *testing.T) {
	a, b := cmdtest.CSVOf(t, "id,ra", "1,10.5"), cmdtest.CSVOf(t, "name", "x", "y")
	text := cmdtest.Succeed(t, "info", a, b).Stdout
	for _, path := range []string{a, b} {
		one := cmdtest.Succeed(t, "info", path).Stdout
		if !strings.Contains("\n"+text, "\n"+one) {
			t.Errorf("%s has not\n%s", text, one)
		}
	}
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "info", a, b, "--json"))
	if all := s.Result["catalogs"].([]any); len(all) != 2 || fmt.Sprint(s.Result["rows"]) != "3" || fmt.Sprint(all[1].(map[string]any)["rows"]) != "2" || len(s.Input.Files) != 2 {
		t.Errorf("%v of %v", s.Result, s.Input)
	}
	cmdtest.Refuse(t, 1, []string{"info", a, b + ".gone"}, "no such file")
}

func TestInfoOfGaia(t *testing.T) {
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "info", "--json", cmdtest.TestData(t, "gaia_dr3_cone.parquet")))
	if s.Input.Rows != 2390 || len(s.Result["columns"].([]any)) != 153 {
		t.Errorf("%d rows, %d columns", s.Input.Rows, len(s.Result["columns"].([]any)))
	}
	for _, c := range s.Result["columns"].([]any) {
		c := c.(map[string]any)
		switch c["name"] {
		case "source_id":
			if c["min"] != json.Number("4295806720") || c["max"] != json.Number("5188146736371635584") {
				t.Errorf("source_id from %v to %v", c["min"], c["max"])
			}
		case "parallax":
			if c["nulls"] != json.Number("375") {
				t.Errorf("%v nulls in parallax", c["nulls"])
			}
		}
	}
}

// A folder is one table, and not all of its files are listed.
func TestInfoOfFolder(t *testing.T) {
	dir := t.TempDir()
	for i := range 13 {
		if err := os.WriteFile(fmt.Sprintf("%s/part%d.csv", dir, i), []byte("x\n1\n2\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := cmdtest.Succeed(t, "info", dir).Stdout
	for _, part := range []string{"part9.csv", "and 3 more files", "26"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	if strings.Contains(text, "part10.csv") {
		t.Errorf("an eleventh file is listed:\n%s", text)
	}
}

func TestInfoRefuses(t *testing.T) {
	cmdtest.Refuse(t, 2, []string{"info"}, "no input file")
	cmdtest.Refuse(t, 1, []string{"info", "/nonexistent/a.csv"}, "/nonexistent/a.csv")
	cmdtest.Refuse(t, 1, []string{"info", cmdtest.Write(t, "odd.txt", "\x00\x01\x02")}, "odd.txt")
}

// An extreme that is no finite number is null in JSON.
func TestInfoOfInfinity(t *testing.T) {
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "info", "--json", cmdtest.CSVOf(t, "x", "1", "inf")))
	c := s.Result["columns"].([]any)[0].(map[string]any)
	if c["min"] != json.Number("1") || c["max"] != nil {
		t.Errorf("from %v to %v", c["min"], c["max"])
	}
}

// A column that cannot be read does not hide the others.
func TestInfoOfDamagedColumn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	cols := []catalog.Column{
		{Field: catalog.Field{Name: "id", Type: catalog.Int64}, Int64: []int64{1, 2}},
		{Field: catalog.Field{Name: "name", Type: catalog.String}, String: []string{"alpha", "beta"}},
		{Field: catalog.Field{Name: "class", Type: catalog.String}, String: []string{"a", "b"}},
	}
	if err := table.Write(t.Context(), path, cols, table.Options{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	copy(text[r.MetaData().RowGroups[0].Columns[1].MetaData.DataPageOffset:], "\xff\xff\xff\xff")
	r.Close()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	told := cmdtest.Succeed(t, "info", path)
	if !cmdtest.Contains(told.Stdout, "id", "name", "class", "?") || strings.Contains(told.Stdout, "alpha") || !strings.Contains(told.Stderr, "column name in row group 0 cannot be read") {
		t.Errorf("%s%s", told.Stdout, told.Stderr)
	}
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "info", "--json", path))
	columns := s.Result["columns"].([]any)
	for i, want := range []any{json.Number("0"), nil, json.Number("0")} {
		if got := columns[i].(map[string]any)["nulls"]; got != want {
			t.Errorf("column %d has %v nulls, want %v", i, got, want)
		}
	}
}
