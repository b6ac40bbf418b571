//go:build cuda && linux

package gpu

import (
	"fmt"
	"strings"

	"skyjoin/internal/size"
	"skyjoin/neighbors"
)

// inShared returns the columns that the tiles of a block take in shared memory, of
// queries and data points of so many.
func (c Pairs) inShared(query, data int) int {
	switch tilingNames[c.Tiling] {
	case "shm":
		return data
	case "both":
		return query + data
	}
	return 0
}

// copiesIn returns the copies of so many counters that a block has in room bytes of
// shared memory, as many as best says where the configuration leaves that open: 0, they
// are in global memory. The error wraps neighbors.ErrRequest.
func (c Pairs) copiesIn(room, counters int, best func() (int, error)) (copies int, err error) {
	tooMany := counters*4 > room
	if tooMany && c.Output != OutputDefault && c.Output != OutputGlobal {
		need, have := size.Texts(int64(counters*4), int64(room))
		return 0, fmt.Errorf("%w: GPU output %s: the counters take %s, a block has %s of shared memory; global counts in any number", neighbors.ErrRequest, c.Output, need, have)
	}
	if tooMany || c.Output == OutputGlobal {
		return 0, nil
	}
	switch copies = c.copies; {
	case c.Output == OutputBlock:
		copies = 1
	case copies == 0:
		copies, err = best()
	}
	for counters*copies*4 > room {
		copies /= 2
	}
	return copies, err
}

// tilingOf is how a kernel of that name holds points, and where it counts if it has
// counters.
func tilingOf(kernel string, copies int) Launched {
	words := strings.Split(kernel, "_") // pairs_TILING_OUTPUT… or pair_HASH_TILING_OUTPUT
	if words[0] == "pair" {
		words = words[1:]
	}
	l := Launched{}
	for tiling, name := range tilingNames {
		if tiling != TilingDefault && name == words[1] {
			l.Tiling = tiling
		}
	}
	switch words[2] {
	case "global":
		l.Output = OutputGlobal
	case "shared":
		if l.Output, l.Copies = OutputLanes, copies; copies == 1 {
			l.Output = OutputBlock
		}
	}
	return l
}
