package tiles

import (
	"context"

	"skyjoin/dbscan"
	"skyjoin/internal/hook"
	"skyjoin/internal/piece"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

// Functions that the algorithms keep out of their public API: the answer for one
// tile.
var (
	// placeOf returns how a metric turns the columns of a position into coordinates.
	placeOf = hook.Get[func(neighbors.Metric) func(a, b, c float64) (x, y, z float64)]("neighbors.Place")

	// runPart clusters the own rows among the points, which include every row
	// within eps of them. largest is the largest weight of all rows.
	runPart = hook.Get[func(ctx context.Context, points *neighbors.Points, own []bool, metric neighbors.Metric, eps, largest float64, opt dbscan.Options) (*piece.Local, error)]("dbscan.RunPart")

	// countPiece counts the pairs of which a tile has a row, those among the rows
	// own and those of own and near.
	countPiece = hook.Get[func(ctx context.Context, own, near *stats2b.Sample, metric neighbors.Metric, binning stats2b.Binning, patches int, opt stats2b.Options) (*piece.Pairs, error)]("stats2b.CountPiece")
	// countCrossPiece counts the pairs of the own rows of one catalog and the rows
	// of another, of which ownB are the tile's.
	countCrossPiece = hook.Get[func(ctx context.Context, own, near, ownB *stats2b.Sample, metric neighbors.Metric, binning stats2b.Binning, patches int, opt stats2b.Options) (*piece.Pairs, error)]("stats2b.CountCrossPiece")
	// tallyOf makes the tally of all rows of the sum of the pieces.
	tallyOf = hook.Get[func(sum *piece.Pairs, binning stats2b.Binning, patches int, of []piece.Whole) (*stats2b.Tally, error)]("stats2b.TallyOf")
)
