package tiles

import (
	"context"
)

// commands are what can be planned: fits reports whether a plan says all that
// is needed, run computes a tile from the rows of its sets and writes what it
// finds to dir.
var commands = map[string]struct {
	fits  func(p *Plan) bool
	run   func(p *Plan, ctx context.Context, dir string, sets []*rows, q *Piece, opt *Options) error
	empty bool
}{
	"dbscan": {func(p *Plan) bool { return len(p.Sets) == 1 && p.DBSCAN != nil && p.DBSCAN.sound() }, (*Plan).runDBSCAN, false},
	"match":  {func(p *Plan) bool { return len(p.Sets) == 2 && p.Match != nil }, (*Plan).runMatch, true},
	"hist":   {func(p *Plan) bool { return len(p.Sets) <= 2 && p.Hist != nil && p.Hist.fits() }, (*Plan).runHist, false},
	"corr":   {func(p *Plan) bool { return len(p.Sets) <= 2 && p.Corr != nil && p.Corr.fits(len(p.Sets)) }, (*Plan).runCorr, false},
}
