package gpu

import (
	"errors"
	"fmt"
	"slices"

	"skyjoin/neighbors"
)

// ErrNotBuilt says that the program was built without GPU support.
var ErrNotBuilt = errors.New("this build has no GPU support")

// Config says which GPUs to use and how. The zero value is the first GPU and
// the fastest kernels.
type Config struct {
	Devices []int // indexes as the driver numbers them; nil: the first
	Streams int   // streams per device; 0: 3
	Batch   int   // neighbours that a batch has room for, unless one row has more; 0: chosen from the result
	Memory  int64 // bytes of pinned host memory and of device memory for results, each; 0: no cap but the card's

	// Pattern selects a published kernel, with Threads a query and the rows in
	// an Order. Threads or Order alone select PatternFull.
	Pattern Pattern
	Threads int // 1, 2, 4, 8, 16 or 32; 0: 1
	Order   Order
}

// A Pattern is the choice of cells that a published kernel looks at.
type Pattern string

const (
	// PatternDefault is none of the published kernels but those of this
	// package, which count first and need no estimate.
	PatternDefault Pattern = ""
	// PatternFull looks at all adjacent cells: GPUSELFJOINGLOBAL of Gowanlock &
	// Karsin, GPUCALCGLOBAL of Gallet & Gowanlock.
	PatternFull Pattern = "full"
	// PatternUnicomp looks at an adjacent cell from one side only, chosen by
	// the parity of coordinates (Gowanlock & Karsin).
	PatternUnicomp Pattern = "unicomp"
	// PatternLIDUnicomp looks at the adjacent cells of greater number only:
	// LID-UNICOMP of Gallet & Gowanlock, also LINEARCOORD.
	PatternLIDUnicomp Pattern = "lid-unicomp"
	// PatternBrute looks at all points.
	PatternBrute Pattern = "brute"
)

// An Order is the order in which a published kernel takes the rows.
type Order string

const (
	// OrderNone is the order of the rows, dealt out to the batches in turn.
	OrderNone Order = "none"
	// OrderSortByWL sorts each of these batches by decreasing work (SORTBYWL).
	OrderSortByWL Order = "sortbywl"
	// OrderWorkQueue sorts all rows by decreasing work and lets threads take
	// the next from a counter (WORKQUEUE).
	OrderWorkQueue Order = "workqueue"
)

// The half patterns find each pair once and report it both ways, so that a
// batch holds parts of lists. They serve self-joins of all rows in an open
// space, whose counts or whole table are held on the card; other joins run
// PatternFull.
func (p Pattern) half() bool { return p == PatternUnicomp || p == PatternLIDUnicomp }

// check validates the configuration and fills in what follows from it. Errors
// wrap neighbors.ErrRequest.
func (c *Config) check() error {
	if c.Streams < 0 || c.Streams > 64 {
		return fmt.Errorf("%w: %d GPU streams, it must be 1 to 64", neighbors.ErrRequest, c.Streams)
	}
	if c.Batch < 0 || c.Memory < 0 {
		return fmt.Errorf("%w: GPU batches of %d neighbours and %d bytes, neither can be negative", neighbors.ErrRequest, c.Batch, c.Memory)
	}
	patterns := []Pattern{PatternDefault, PatternFull, PatternUnicomp, PatternLIDUnicomp, PatternBrute}
	if !slices.Contains(patterns, c.Pattern) {
		return fmt.Errorf("%w: GPU pattern %q, it must be full, unicomp, lid-unicomp or brute", neighbors.ErrRequest, c.Pattern)
	}
	if !slices.Contains([]Order{"", OrderNone, OrderSortByWL, OrderWorkQueue}, c.Order) {
		return fmt.Errorf("%w: GPU order %q, it must be none, sortbywl or workqueue", neighbors.ErrRequest, c.Order)
	}
	if !slices.Contains([]int{0, 1, 2, 4, 8, 16, 32}, c.Threads) {
		return fmt.Errorf("%w: %d GPU threads a query, it must be 1, 2, 4, 8, 16 or 32", neighbors.ErrRequest, c.Threads)
	}
	if c.Pattern == PatternDefault && (c.Threads > 0 || c.Order != "") {
		c.Pattern = PatternFull
	}
	c.Streams, c.Threads = max(c.Streams, 0), max(c.Threads, 1)
	if c.Streams == 0 {
		c.Streams = 3
	}
	if c.Order == "" {
		c.Order = OrderNone
	}
	return nil
}

// A Device is one GPU as the driver describes it.
type Device struct {
	Index      int
	Name       string
	Memory     int64  // bytes
	Capability string // compute capability, such as "9.0"
	Processors int    // multiprocessors
}
