//go:build cuda && linux

package gpu

import (
	_ "embed"
	"fmt"
	"slices"

	"skyjoin/neighbors"
)

// half reports whether a pattern finds each pair once and reports it both ways, so
// that a batch holds parts of lists. Such patterns serve self-joins of all rows in
// an open space, whose counts are held on the card and whole table on the host.
func (p Pattern) half() bool { return p == PatternUnicomp || p == PatternLIDUnicomp }

// mostBatch is more neighbours than a card holds, and small enough for arithmetic.
const mostBatch = 1 << 40

// check validates the configuration and sets the defaults. Errors wrap
// neighbors.ErrRequest.
func (c *Config) check() error {
	if len(c.Devices) > 1 {
		return fmt.Errorf("%w: GPUs %v, a Joiner runs on one; several share a join by a joiner for each", neighbors.ErrRequest, c.Devices)
	}
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
	c.Batch, c.Threads = min(c.Batch, mostBatch), max(c.Threads, 1)
	if c.Streams == 0 {
		c.Streams = 3
	}
	if c.Order == "" {
		c.Order = OrderNone
	}
	return nil
}
