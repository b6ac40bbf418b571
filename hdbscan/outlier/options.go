package outlier

import "skyjoin/neighbors"

// Options say how LOF runs. The zero value counts exactly k neighbours, on all
// cores.
type Options struct {
	// Ties counts all rows that are as near as the k-th neighbour, as Breunig et
	// al. do; else ties go to the lowest rows.
	Ties bool

	// Joiner finds the nearest neighbours; nil is neighbors.CPU with the
	// Threads and Memory below.
	Joiner neighbors.Joiner

	// Threads and Memory are for the index and the lists; 0 is all cores and no
	// cap. Lists take 12·k bytes a row.
	Threads int
	Memory  int64
}
