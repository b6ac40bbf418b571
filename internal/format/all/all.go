// Package all is the table of file formats.
package all

import (
	"slices"

	"skyjoin/internal/format"
	"skyjoin/internal/format/arrow"
	"skyjoin/internal/format/fits"
	"skyjoin/internal/format/npy"
	"skyjoin/internal/format/parquet"
	"skyjoin/internal/format/text"
	"skyjoin/internal/format/votable"
)

// Inputs are the formats that are read. The first that recognises the content of a
// file opens it, else the first that has its extension, else CSV if it is
// text; in a directory the first that has files by extension stands for it.
var Inputs = slices.Concat([]format.Input{parquet.Input, fits.Input, votable.Input, npy.Input, arrow.Input}, text.Inputs)

// Outputs are the formats that are written.
var Outputs = slices.Concat([]format.Output{parquet.Output}, text.Outputs, votable.Outputs, []format.Output{fits.Output})
