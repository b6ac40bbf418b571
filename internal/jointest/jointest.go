// Package jointest is the conformance suite of joiners: [Run] puts one through
// a corpus of nasty inputs, against a brute force of its own, and through the
// protocol of neighbors.Joiner.
package jointest

import (
	"sync"
	"testing"

	"skyjoin/neighbors"
)

// Run checks the joiner that newJoiner returns. It is called for each case.
func Run(t *testing.T, newJoiner func() neighbors.Joiner) { run(t, newJoiner, true) }

// RunWithin is Run for joiners that find neighbours within a radius only, and
// know no periodic axes.
func RunWithin(t *testing.T, newJoiner func() neighbors.Joiner) { run(t, newJoiner, false) }

func run(t *testing.T, newJoiner func() neighbors.Joiner, whole bool) {
	for i, c := range cases() {
		if !whole && c.kind == periodic {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			ref := references(i)
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

// cases is the corpus, made once for all runs.
var cases = sync.OnceValue(corpus)

// kept holds the references of the cases, made when first asked for.
var kept struct {
	sync.Mutex
	refs map[int]*reference
}

func references(i int) *reference {
	kept.Lock()
	defer kept.Unlock()
	if kept.refs == nil {
		kept.refs = map[int]*reference{}
	}
	if kept.refs[i] == nil {
		kept.refs[i] = newReference(cases()[i])
	}
	return kept.refs[i]
}
