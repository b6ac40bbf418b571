// Package jointest is the conformance suite of joiners. [Run] compares the answers
// of a joiner with brute force on a corpus of difficult inputs, and checks what the
// interface neighbors.Joiner promises.
package jointest

import (
	"slices"
	"sync"
	"testing"

	"skyjoin/neighbors"
)

// Run checks the joiner that newJoiner returns. It is called for each case.
func Run(t *testing.T, newJoiner func() neighbors.Joiner) {
	RunFor(t, newJoiner, func(*neighbors.Plan) bool { return true })
}

// RunWithin is Run for joiners that find neighbours within a radius only, and
// do not support periodic axes.
func RunWithin(t *testing.T, newJoiner func() neighbors.Joiner) {
	RunFor(t, newJoiner, func(p *neighbors.Plan) bool { return p.Within() != nil && querySpace(p).Side == nil })
}

// RunFor checks a joiner on the plans that it supports.
func RunFor(t *testing.T, newJoiner func() neighbors.Joiner, supports func(*neighbors.Plan) bool) {
	RunCorpus(t, newJoiner, supports)
	RunProtocol(t, newJoiner, supports)
}

// RunProtocol is what the interface promises, without the corpus.
func RunProtocol(t *testing.T, newJoiner func() neighbors.Joiner, supports func(*neighbors.Plan) bool) {
	t.Run("protocol", func(t *testing.T) { protocol(t, newJoiner, supports) })
}

// RunCorpus is the corpus alone, for joiners that take all rows of a plan or none.
func RunCorpus(t *testing.T, newJoiner func() neighbors.Joiner, supports func(*neighbors.Plan) bool) {
	RunSome(t, 0, len(cases()), newJoiner, supports)
}

// RunSome is the corpus up to so many cases that have a plan which the joiner supports,
// those of few points first. It fails if there are fewer than least, unless -run
// chooses among the cases.
func RunSome(t *testing.T, least, most int, newJoiner func() neighbors.Joiner, supports func(*neighbors.Plan) bool) {
	points := func(i int) int { return cases()[i].input().Query.Len() }
	order := make([]int, len(cases()))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return points(i) - points(j) })
	met, passedOver := 0, false
	for _, i := range order {
		if met == most {
			break
		}
		c, supported, ran := cases()[i], 0, false
		t.Run(c.name, func(t *testing.T) {
			ran = true
			c.supports = func(p *neighbors.Plan) bool {
				ok := supports(p)
				if ok {
					supported = 1
				}
				return ok
			}
			ref := references(i)
			for _, r := range c.radii {
				checkWithin(t, newJoiner(), c, ref, r)
			}
			checkNearest(t, newJoiner(), c, ref)
		})
		met += supported
		passedOver = passedOver || !ran
	}
	if met < least && !passedOver {
		t.Errorf("%d cases of the corpus are supported, want %d", met, least)
	}
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
