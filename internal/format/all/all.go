// Package all is the table of file formats.
package all

import (
	"skyjoin/internal/format"
	"skyjoin/internal/format/parquet"
)

// Inputs are the formats that are read. The first that recognises a file opens
// it; in a directory the first that has files by extension stands for it.
var Inputs = []format.Input{
	parquet.Input,
}
