package catalog

import (
	"bytes"
	"errors"
	"strings"

	"skyjoin/internal/format"
)

// others are kinds of files that are not read, by the bytes that they have at a place,
// and what to do about them. In a remedy FILE stands for the name of the file, quoted
// for a shell.
var others = []struct {
	name, remedy string
	at           int
	magic        string
}{
	{"HDF5", hdf5Remedy, 0, "\x89HDF\r\n\x1a\n"},
	{"an SQLite database", "export a table: sqlite3 -csv -header FILE 'select * from t'", 0, "SQLite format 3\x00"},
	{"a Feather file of version 1", arrowRemedy, 0, "FEA1"},
	{"an ORC file", "write it as Parquet: python3 -c 'import sys, pyarrow.orc, pyarrow.parquet as p; p.write_table(pyarrow.orc.read_table(sys.argv[1]), \"t.parquet\")' FILE", 0, "ORC"},
	{"an Avro file", "write it as Parquet", 0, "Obj\x01"},
	{"netCDF", netCDFRemedy, 0, "CDF\x01"},
	{"netCDF", netCDFRemedy, 0, "CDF\x02"},
	{"netCDF", netCDFRemedy, 0, "CDF\x05"},
	{"a ROOT file", "write a tree as Parquet or CSV: uproot.open(FILE)[\"tree\"].arrays(library=\"pd\")", 0, "root\x00"},
	{"an IDL save file", "read it with scipy.io.readsav, and write a table", 0, "SR\x00\x04"},
	{"a workbook of Excel", "save the sheet as CSV", 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
	{"a pickle of Python", pickleRemedy, 0, "\x80\x02"},
	{"a pickle of Python", pickleRemedy, 0, "\x80\x03"},
	{"a pickle of Python", pickleRemedy, 0, "\x80\x04"},
	{"a pickle of Python", pickleRemedy, 0, "\x80\x05"},
	{"a file of R", "write the table: write.csv(t, \"t.csv\", row.names = FALSE)", 0, "RDX3\nX\n\x00"},
	{"a file of R", "write the table: write.csv(t, \"t.csv\", row.names = FALSE)", 0, "X\n\x00\x00\x00"},
	{"a picture (PNG)", "", 0, "\x89PNG"},
	{"a picture (JPEG)", "", 0, "\xff\xd8\xff"},
	{"a picture (GIF)", "", 0, "GIF8"},
	{"a picture (TIFF)", "", 0, "II*\x00"},
	{"a picture (TIFF)", "", 0, "MM\x00*"},
	{"a 7z archive", "unpack it", 0, "7z\xbc\xaf\x27\x1c"},
	{"a RAR archive", "unpack it", 0, "Rar!"},
	{"a file of compress (.Z)", "gunzip it", 0, "\x1f\x9d"},
	{"compressed twice, the second time by gzip", "decompress it once", 0, "\x1f\x8b\x08"},
	{"compressed twice, the second time by bzip2", "decompress it once", 0, "BZh9"},
	{"compressed twice, the second time by xz", "decompress it once", 0, "\xfd7zXZ\x00"},
	{"compressed twice, the second time by zstd", "decompress it once", 0, "\x28\xb5\x2f\xfd"},
	{"compressed twice, the second time by ZIP", "decompress it once", 0, "PK\x03\x04"},
	{"a tar archive", "unpack it: tar xf FILE", 257, "ustar"},
}

const (
	hdf5Remedy = "write what is at a PATH in it (h5ls -r FILE lists them), a table or a group of arrays, as .npz: " +
		"python3 -c 'import sys, h5py, numpy; d = h5py.File(sys.argv[1])[sys.argv[2]]; " +
		"numpy.savez(\"t.npz\", **{k: v[()] for k, v in (d if hasattr(d, \"items\") else {\"t\": d}).items() if hasattr(v, \"dtype\")})' FILE PATH" +
		"\n  a table of pandas as CSV: python3 -c 'import sys, pandas; pandas.read_hdf(sys.argv[1]).to_csv(\"t.csv\", index=False)' FILE"
	arrowRemedy  = "write it as Parquet: python3 -c 'import sys, pyarrow.feather as f, pyarrow.parquet as p; p.write_table(f.read_table(sys.argv[1]), \"t.parquet\")' FILE"
	netCDFRemedy = "write its variables as a table: python3 -c 'import sys, xarray; xarray.open_dataset(sys.argv[1]).to_dataframe().to_csv(\"t.csv\")' FILE"
	pickleRemedy = "write the table, if you trust the file: python3 -c 'import sys, pandas; pandas.read_pickle(sys.argv[1]).to_csv(\"t.csv\", index=False)' FILE"
)

// othersOfText are those that begin with text, in small letters.
var othersOfText = []struct{ name, remedy, start string }{
	{"ASDF", "write a table of it, with astropy: Table(tree[\"NAME\"]).write(\"t.fits\")", "#asdf "},
	{"a file of MATLAB", "write its arrays as .npz: python3 -c 'import sys, scipy.io, numpy; numpy.savez(\"t.npz\", **{k: v for k, v in scipy.io.loadmat(sys.argv[1]).items() if k[0] != \"_\"})' FILE", "matlab 5.0 mat-file"},
	{"a file of MATLAB, in HDF5", "save it with -v7, and write its arrays with scipy.io.loadmat and numpy.savez", "matlab 7.3 mat-file"},
	{"a PDF", "take the table from its source: journals have machine-readable ones", "%pdf-"},
	{"PostScript", "take the table from its source: journals have machine-readable ones", "%!ps"},
	{"a pointer of Git LFS, not the file itself", "git lfs pull", "version https://git-lfs.github.com"},
	{"a page of HTML", htmlRemedy, "<!doctype html"},
	{"a page of HTML", htmlRemedy, "<html"},
	{"LaTeX", latexRemedy, "\\documentclass"},
	{"LaTeX", latexRemedy, "\\begin{"},
	{"JSON", jsonRemedy, "{"},
	{"JSON", jsonRemedy, "[{"},
	{"XML, but no VOTable", "", "<?xml"},
}

const (
	htmlRemedy  = "the server has sent a message or a form, not the file: look at it in a browser; astropy reads a table of a page: Table.read(FILE, format='ascii.html')"
	latexRemedy = "no \\begin{tabular} or {deluxetable} is at its beginning: give a file with the table alone"
	jsonRemedy  = "write it as CSV, as jq -r '.[] | [.ra, .dec] | @csv' FILE does"
)

// whatIs returns the error that names what a file is that is not read, nil if that
// is not known.
func whatIs(start *format.Start) error {
	if !start.IsText() {
		for _, o := range others {
			if len(start.Bytes) >= o.at && bytes.HasPrefix(start.Bytes[o.at:], []byte(o.magic)) {
				return notRead(o.name, o.remedy, start.Path)
			}
		}
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(start.Bytes, []byte(format.ByteOrderMark)), " \t\r\n")
	text = bytes.ToLower(text[:min(len(text), 64)])
	for _, o := range othersOfText {
		if bytes.HasPrefix(text, []byte(o.start)) {
			return notRead(o.name, o.remedy, start.Path)
		}
	}
	return nil
}

func notRead(name, remedy, path string) error {
	if remedy == "" {
		return errors.New("it is " + name + ", not a catalog")
	}
	path = "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	return errors.New("it is " + name + ", which is not read: " + strings.ReplaceAll(remedy, "FILE", path))
}
