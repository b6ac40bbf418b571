// Package format is what every file format of a catalog has to offer, and the
// types that formats speak in. Each format is a package below this one
// (parquet, fits, votable, text), which reads and writes its files and knows
// nothing of the others, of io/catalog or of io/table. The table of all formats
// is in package all: a new format is one folder and one line there.
//
// # Reading
//
// An [Input] recognises a file by its first bytes or its name, and opens it: it
// returns a [Reader], which has read the header or the footer and knows the
// fields, the number of rows and the metadata. A reader decodes columns in one
// of two ways:
//
//   - [Reader.Read] fills columns that have been allocated, in any order and on
//     several threads: the [Job] says which fields go where;
//   - [Reader.Flow] passes blocks of consecutive rows on, in order, so that
//     memory does not grow with the file.
//
// A [Ref] names what is read: a field, or one element of a field of lists. The
// values of a null row are set with [Column.SetNull]; lists are made with
// [ListColumn]. Formats that are read a block of rows at a time implement both
// ways with [Blocks]. A reader may know more than a Reader must: bounds of its
// values ([Statistician]), row groups ([Divider]), how columns are stored
// ([Storer]), from what values types were inferred ([Inferrer]), why a column is
// no number ([Explainer]), text of its values that is exact ([Transcriber]). Those
// who read ask for these interfaces by type assertion.
//
// # Writing
//
// An [Output] creates a [Writer] on a [Sink], which is the file in the making.
// Columns come a block of rows at a time; bytes may not depend on how rows are
// divided among blocks, nor on threads, time or version. An Output that can
// copy files as they are, with columns added, has Copies as well. Cells of text
// are written by package cell.
//
// # Errors
//
// An error that the user's request causes is made with [Requestf], one of a
// file that differs from what was opened is [ErrChanged]. Messages do not name
// the file: whoever opened it does.
//
// What a column means (units, coordinates, sentinels, filters) is not a
// format's concern but io/catalog's.
package format
