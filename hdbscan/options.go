package hdbscan

import (
	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// Noise is the label of rows that are in no cluster.
const Noise int32 = -1

// Ties is the rule for edges of equal height, which are common: with
// MinSamples of 3 or more one core distance is the height of several edges.
type Ties uint8

const (
	// TiesTogether joins all components that edges of one height connect at
	// once, as Campello et al. remove such edges at once. The tree then depends
	// on distances alone, not on the order of the rows.
	TiesTogether Ties = iota
	// TiesSklearn joins two components at a time, in the order in which Prim's
	// algorithm reaches the rows, as scikit-learn's HDBSCAN does. The tree then
	// follows the order of the rows.
	TiesSklearn
)

var tieNames = []string{TiesTogether: "together", TiesSklearn: "sklearn"}

// String returns "together" or "sklearn".
func (t Ties) String() string { return tieNames[t] }

// ParseTies returns the rule of the given name.
func ParseTies(name string) (Ties, error) {
	return named.Index[Ties](neighbors.ErrRequest, "ties", tieNames, name)
}

// A Stage is a part of a run that reports progress of its own.
type Stage string

// The stages of Build, in this order. StageOrder is of TiesSklearn alone.
// Predict has only StageNeighbors.
const (
	StageNeighbors Stage = "neighbours"
	StageTree      Stage = "spanning tree"
	StageOrder     Stage = "order"
)

// Progress is called as rows are done, at most total of them in each stage.
// Calls never overlap and done never decreases within a stage.
type Progress func(stage Stage, done, total int64)

// Options say how Build makes a tree. Only MinSamples has to be set.
type Options struct {
	// MinSamples is the rows that the ball of a core distance holds, the row
	// itself included, or with Weights their sum. At least 1 and a whole number,
	// or positive with Weights; at most what all rows have.
	MinSamples float64

	// Weights has one finite weight per row, none negative; nil counts every
	// row once. Sums are exact, see package comment of internal/exact.
	Weights []float64

	// Alpha divides distances, but not core distances, before they are compared
	// (Chaudhuri & Dasgupta, NIPS 2010); 0 is 1.
	Alpha float64

	// Ties is the rule for edges of equal height.
	Ties Ties

	// Joiner finds the nearest neighbours; nil is neighbors.CPU with the
	// Threads and Memory below.
	Joiner neighbors.Joiner

	// Threads and Memory are for the index and the tree, see neighbors.Input; 0
	// is all cores and no cap.
	Threads int
	Memory  int64

	// Progress, if set, is told about the rows done.
	Progress Progress
}

// A Join says where and how a join runs that Predict needs. The zero value uses
// all cores. Its fields are those of Options.
type Join struct {
	Joiner   neighbors.Joiner
	Threads  int
	Memory   int64
	Progress Progress
}
