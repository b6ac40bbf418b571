// Package catalog reads astronomical catalogs (Parquet, FITS, VOTable and tables of
// text in many forms), one file or several, as one table of rows numbered from 0
// over all files in the order given.
//
// [Open] recognises the format of each file by its content or its name, reads
// headers or footers, and merges the columns of the files by name. It takes the same
// [Options] whatever the catalog is for: sentinel values, the table of a FITS file,
// definitions of derived columns, threads. Text files and VOTables do not say how
// many rows they have and are read through once when they are opened, which also
// finds the types of CSV columns.
//
// There are three ways to read: [Catalog.Read] decodes columns of all rows, in
// parallel; [Catalog.Scan] yields blocks of rows in order, so that memory does not
// grow with the catalog; [Catalog.Select] and [Catalog.SelectBlocks] turn coordinate
// columns into [neighbors.Points], convert units on the sky, and count the rows that
// a filter drops or that cannot be used, by column and reason.
//
// Names address columns, or elements of list columns as in pos[0]. [Catalog.Detect]
// finds right ascension and declination by UCD or by a usual pair of names.
//
// Errors of the file system are wrapped, so that errors.Is(err, fs.ErrNotExist)
// detects a missing file. Requests that cannot be right for the catalog wrap
// [ErrRequest].
package catalog
