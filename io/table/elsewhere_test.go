package table

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/io/catalog"
)

// A VOTable whose rows are in another file, of any format, or in the document as one,
// has them with the units and UCDs of the document.
func TestVOTableElsewhere(t *testing.T) {
	dir := t.TempDir()
	cols := []catalog.Column{
		{Field: catalog.Field{Name: "ra", Type: catalog.Float64}, Float64: []float64{10.5, 11.25, -1}},
		{Field: catalog.Field{Name: "n", Type: catalog.Int32}, Int64: []int64{7, -8, 1 << 30}},
		{Field: catalog.Field{Name: "s", Type: catalog.String}, String: []string{"a", "", "é"}},
	}
	for _, name := range []string{"rows.parquet", "rows.fits", "rows.csv"} {
		if err := Write(ctx, filepath.Join(dir, name), cols, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	fits, err := os.ReadFile(filepath.Join(dir, "rows.fits"))
	if err != nil {
		t.Fatal(err)
	}
	binary := "\x00\x40\x25\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x01a" + // a mask, 10.5, 7, one character
		"\x00\x40\x26\x80\x00\x00\x00\x00\x00\xff\xff\xff\xf8\x00\x00\x00\x00" +
		"\x00\xbf\xf0\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x02\xc3\xa9"
	if err := os.WriteFile(filepath.Join(dir, "rows 2.bin"), []byte(binary), 0o666); err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string]string{
		"Parquet, by a relative name":   `<PARQUET type="VOTable-remote-file"><STREAM href="rows.parquet"/></PARQUET>`,
		"Parquet, by an address":        `<PARQUET><STREAM href="file:` + filepath.Join(dir, "rows.parquet") + `"/></PARQUET>`,
		"FITS":                          `<FITS extnum="1"><STREAM href="rows.fits"/></FITS>`,
		"FITS, in the document":         `<FITS><STREAM encoding="base64">` + base64.StdEncoding.EncodeToString(fits) + "</STREAM></FITS>",
		"BINARY2":                       `<BINARY2><STREAM href="rows%202.bin"/></BINARY2>`,
		"what the content says is read": `<FITS><STREAM href="rows.csv"/></FITS>`,
	} {
		doc := filepath.Join(dir, "t.vot")
		text := `<VOTABLE version="1.5"><RESOURCE><TABLE><FIELD name="ra" datatype="double" unit="deg" ucd="pos.eq.ra"><DESCRIPTION>of the source</DESCRIPTION></FIELD><FIELD name="n" datatype="int"/><FIELD name="s" datatype="char" arraysize="*"/><DATA>` +
			data + `</DATA></TABLE><INFO name="QUERY_STATUS" value="OVERFLOW"/></RESOURCE></VOTABLE>`
		if err := os.WriteFile(doc, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		cat := open(t, doc)
		if f := cat.Fields()[0]; f.Unit != "deg" || f.UCD != "pos.eq.ra" || f.Description != "of the source" {
			t.Errorf("%s: %+v", what, f)
		}
		if !slices.Contains(cat.Metadata(), catalog.KeyValue{Key: "QUERY_STATUS", Value: "OVERFLOW"}) {
			t.Errorf("%s: metadata %v", what, cat.Metadata())
		}
		for _, ext := range []string{".parquet", ".csv", ".vot"} {
			out := filepath.Join(t.TempDir(), "out"+ext)
			if _, err := Append(ctx, out, cat, nil, Options{}); err != nil {
				t.Fatalf("%s: %s: %v", what, ext, err)
			}
			back, err := open(t, out).Read(ctx, []string{"ra", "n", "s"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range back {
				got = append(got, show(&back[i], 0), show(&back[i], 2))
			}
			if want := []string{"10.5", "-1", "7", "1073741824", "a", "é"}; !slices.Equal(got, want) {
				t.Errorf("%s, %s: %q, want %q", what, ext, got, want)
			}
		}
		if file := cat.Files()[0]; file.Beside != "" {
			if _, err := Append(ctx, file.Beside, cat, nil, Options{Force: true}); err == nil || !strings.Contains(err.Error(), "inputs are never overwritten") && !strings.Contains(err.Error(), "extension") {
				t.Errorf("%s: the file of the rows is replaced: %v", what, err)
			}
		}
	}
}
