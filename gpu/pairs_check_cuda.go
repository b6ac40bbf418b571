//go:build cuda && linux

package gpu

import (
	"fmt"
	"slices"

	"skyjoin/neighbors"
)

// tilingNames are the kernels' names of tilings.
var tilingNames = map[Tiling]string{
	TilingDefault: "shm", TilingShared: "shm", TilingNaive: "naive", TilingBoth: "both", TilingRoC: "roc", TilingShuffle: "shuffle",
}

// A pairsKind is what is made of the pairs.
type pairsKind uint8

const (
	pairsHistogram pairsKind = iota
	pairsCount
	pairsList
)

// outputsOf lists the outputs that serve a kind, the default first.
var outputsOf = [...][]Output{
	pairsHistogram: {OutputLanes, OutputBlock, OutputGlobal},
	pairsCount:     {OutputRegister},
	pairsList:      {OutputBuffer, OutputTwoPass},
}

// check validates the configuration for a kind. The error wraps
// neighbors.ErrRequest.
func (c Pairs) check(kind pairsKind) error {
	if _, ok := tilingNames[c.Tiling]; !ok {
		return fmt.Errorf("%w: GPU tiling %q, it must be naive, shm-shm, reg-shm, reg-roc or shuffle", neighbors.ErrRequest, c.Tiling)
	}
	if c.Output != OutputDefault && !slices.Contains(outputsOf[kind], c.Output) {
		return fmt.Errorf("%w: GPU output %q, for %s it must be %s", neighbors.ErrRequest, c.Output,
			[...]string{"a histogram", "a count", "pairs"}[kind], [...]string{"global, block or lanes", "registers", "buffer or two-pass"}[kind])
	}
	if c.Output == OutputTwoPass && tilingNames[c.Tiling] != "shm" {
		return fmt.Errorf("%w: GPU output two-pass with tiling %s, it has kernels for reg-shm only", neighbors.ErrRequest, c.Tiling)
	}
	if !slices.Contains([]int{0, 1, 2, 4, 8, 16, 32}, c.Copies) {
		return fmt.Errorf("%w: %d copies of the histogram, they must be 1, 2, 4, 8, 16 or 32", neighbors.ErrRequest, c.Copies)
	}
	if c.Threads%32 != 0 || c.Threads < 0 || c.Threads > pairsThreads {
		return fmt.Errorf("%w: %d threads a block, they must be a multiple of 32 up to %d", neighbors.ErrRequest, c.Threads, pairsThreads)
	}
	if c.Points < 0 || c.Points > maxPart {
		return fmt.Errorf("%w: parts of %d points, they can be up to %d", neighbors.ErrRequest, c.Points, maxPart)
	}
	return nil
}
