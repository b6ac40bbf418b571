package piece

// An Entry is a line of a saved tally: the pairs of one bin with points in two
// patches, 0 without patches. Cell -1 is below the first edge. The weight, a
// two's complement integer of two words, is in units of a power of two that the
// tally has.
type Entry struct {
	PatchA, PatchB int
	Cell           int
	Pairs          uint64
	WeightHi       int64
	WeightLo       uint64
}
