// Package jointest is the conformance suite of joiners: [Run] puts one through
// a corpus of nasty inputs, against a brute force of its own, and through the
// protocol of neighbors.Joiner.
package jointest

import (
	"testing"

	"skyjoin/neighbors"
)

// Run checks the joiner that newJoiner returns. It is called for each case.
func Run(t *testing.T, newJoiner func() neighbors.Joiner) { run(t, newJoiner, true) }

// RunWithin is Run for joiners that find neighbours within a radius only, and
// know no periodic axes.
func RunWithin(t *testing.T, newJoiner func() neighbors.Joiner) { run(t, newJoiner, false) }

func run(t *testing.T, newJoiner func() neighbors.Joiner, whole bool) {
	for _, c := range corpus() {
		if !whole && c.kind == periodic {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			ref := newReference(c)
			for _, r := range c.radii {
				checkWithin(t, newJoiner(), c, ref, r)
			}
			if whole {
				checkNearest(t, newJoiner(), c, ref)
			}
		})
	}
	t.Run("protocol", func(t *testing.T) { protocol(t, newJoiner, whole) })
}
