//go:build !amd64 || purego

package kernel

// A pairVector is what vector code needs: there is none here.
type pairVector struct{}

func newPairVector(*PairCounter, string) *pairVector { return nil }

func (*pairVector) empty(*PairCounter) {}

func (*pairVector) drain(*PairCounter, int) {}

func (*pairVector) measure(c *PairCounter, lo, hi, from, to int) {}

func (*pairVector) pack(c *PairCounter, to []float64, s, other PairSide, sign float64) int { return 0 }
