//go:build cuda && linux

package gpu

import (
	"testing"

	"skyjoin/hybrid"
	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// Cells of other sizes than the data ask for find the same.
func TestFineCellsConform(t *testing.T) {
	for _, reach := range []int{2, 3} {
		j, err := Open(Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		j.lay = divided(reach)
		jointest.RunFor(t, func() neighbors.Joiner { return j }, func(p *neighbors.Plan) bool {
			return p.Within() != nil && querySpace(p).Dim() <= 3
		})
		if testing.Short() {
			break
		}
	}
}

func TestConformance(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	jointest.RunFor(t, func() neighbors.Joiner { return j }, func(p *neighbors.Plan) bool {
		if q := p.Nearest(); q != nil && testing.Short() && q.K > 3 {
			return false // many rounds take long on the emulator
		}
		return supports(p) == nil
	})
}

// A roomLess joiner says that it holds no more than some points of a search for
// the nearest.
type roomLess struct {
	*Joiner
	room int
}

func (r roomLess) Room(p *neighbors.Plan) int {
	if p.Nearest() == nil {
		return r.Joiner.Room(p)
	}
	return r.room
}

// The nearest in slabs, by the card alone.
func TestSlabsConform(t *testing.T) {
	if testing.Short() {
		t.Skip("many small searches take long on the emulator")
	}
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	jointest.RunFor(t, func() neighbors.Joiner {
		return &hybrid.Joiner{GPUs: []neighbors.Joiner{roomLess{j, 130}}}
	}, func(p *neighbors.Plan) bool {
		q := p.Nearest()
		return q != nil && q.K < 10 && supports(p) == nil
	})
}
