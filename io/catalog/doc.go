// Package catalog reads astronomical catalogs (Parquet, FITS, VOTable, CSV, ECSV
// and ARFF), one file or several, as one table of rows numbered from 0 over all
// files in the order given.
//
// [Open] reads only what the footers or headers say; text files, which have
// neither types nor counts, it reads through once. [Catalog.Read] decodes the
// columns asked for, in parallel; [Catalog.Select] turns coordinate columns
// into [neighbors.Points], leaving out, and counting, the rows that cannot be
// used.
package catalog
