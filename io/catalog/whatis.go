package catalog

import (
	"bytes"
	"errors"
	"strings"

	"skyjoin/internal/format"
)

// others are kinds of files that are not read, and what to do about them.
var others = []struct {
	name, remedy string
	at           int
	magic        string
}{
	{"HDF5", "convert it, with astropy: Table.read(FILE, path=…).write(\"t.fits\"); with pandas: read_hdf(FILE).to_parquet(\"t.parquet\"); or a data set with h5py", 0, "\x89HDF\r\n\x1a\n"},
	{"an SQLite database", "export a table: sqlite3 -csv -header FILE 'select * from t'", 0, "SQLite format 3\x00"},
	{"an Arrow or Feather file", "write it as Parquet: pyarrow.feather.read_table(FILE), pyarrow.parquet.write_table", 0, "ARROW1"},
	{"an Arrow or Feather file", "write it as Parquet: pyarrow.feather.read_table(FILE), pyarrow.parquet.write_table", 0, "FEA1"},
	{"an ORC file", "write it as Parquet", 0, "ORC"},
	{"an Avro file", "write it as Parquet", 0, "Obj\x01"},
	{"netCDF", "write its variables as a table, as CSV or FITS", 0, "CDF\x01"},
	{"netCDF", "write its variables as a table, as CSV or FITS", 0, "CDF\x02"},
	{"a ROOT file", "write a tree as Parquet or CSV: uproot.open(FILE)[\"tree\"].arrays(library=\"pd\")", 0, "root"},
	{"an IDL save file", "read it with scipy.io.readsav, and write a table", 0, "SR\x00\x04"},
	{"a workbook of Excel", "save the sheet as CSV", 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
	{"a pickle of Python", "write the table as Parquet or FITS", 0, "\x80\x04\x95"},
	{"a pickle of Python", "write the table as Parquet or FITS", 0, "\x80\x05\x95"},
	{"a PDF", "take the table from its source: journals have machine-readable ones", 0, "%PDF-"},
	{"a picture (PNG)", "", 0, "\x89PNG"},
	{"a picture (JPEG)", "", 0, "\xff\xd8\xff"},
	{"a 7z archive", "unpack it", 0, "7z\xbc\xaf\x27\x1c"},
	{"a RAR archive", "unpack it", 0, "Rar!"},
	{"a file of compress (.Z)", "gunzip it", 0, "\x1f\x9d"},
	{"a tar archive", "unpack it: tar xf FILE", 257, "ustar"},
	{"a pointer of Git LFS, not the file itself", "git lfs pull", 0, "version https://git-lfs.github.com"},
	{"a page of HTML", "the server has sent a message or a form, not the file: look at it in a browser", 0, "<!doctype html"},
	{"a page of HTML", "the server has sent a message or a form, not the file: look at it in a browser", 0, "<html"},
	{"LaTeX", "no \\begin{tabular} or {deluxetable} is at its beginning: give a file with the table alone", 0, "\\documentclass"},
	{"LaTeX", "no \\begin{tabular} or {deluxetable} is at its beginning: give a file with the table alone", 0, "\\begin{"},
	{"JSON", "write it as CSV, as jq -r '.[] | [.ra, .dec] | @csv' does", 0, "{"},
	{"JSON", "write it as CSV, as jq -r '.[] | [.ra, .dec] | @csv' does", 0, "[{"},
	{"XML, but no VOTable", "", 0, "<?xml"},
}

// whatIs returns the error that names what a file is that is not read, nil if that
// is not known.
func whatIs(start *format.Start) error {
	text := bytes.TrimLeft(bytes.TrimPrefix(start.Bytes, []byte(format.ByteOrderMark)), " \t\r\n")
	for _, o := range others {
		head := start.Bytes
		if start.IsText() {
			head = bytes.ToLower(text[:min(len(text), 64)])
		}
		if len(head) < o.at || !bytes.HasPrefix(head[o.at:], []byte(o.magic)) {
			continue
		}
		if o.remedy == "" {
			return errors.New("it is " + o.name + ", not a catalog")
		}
		return errors.New("it is " + o.name + ", which is not read: " + strings.ReplaceAll(o.remedy, "FILE", start.Path))
	}
	return nil
}
