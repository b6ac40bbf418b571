package catalog

import (
	"slices"

	"skyjoin/internal/format"
	"skyjoin/internal/format/all"
)

// inputs are tried in order; the first that recognises a file opens it. In a
// directory the first that has files by extension stands for it.
var inputs = slices.Concat(all.Inputs, []format.Input{
	{Name: "fits", Extensions: fitsExtensions, Sniff: isFITS, Open: openFITS},
	{Name: "votable", Extensions: votableExtensions, Sniff: isVOTable, Open: openVOTable},
	{Name: "csv", Extensions: csvExtensions, Sniff: isCSV, Open: openCSV},
	{Name: "arff", Extensions: arffExtensions, Sniff: isARFF, Open: openARFF},
})
