//go:build cuda && linux

package gpu

import (
	"errors"
	"fmt"
	"testing"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// Every pattern in every order, with every number of threads in one of them;
// batches are so small that some overflow.
func TestPatternsConform(t *testing.T) {
	var configs []Config
	for i, p := range []Pattern{PatternFull, PatternUnicomp, PatternLIDUnicomp, PatternBrute} {
		for k, o := range []Order{OrderNone, OrderSortByWL, OrderWorkQueue} {
			configs = append(configs, Config{Pattern: p, Order: o, Threads: 1 << ((i + 2*k) % 6), Batch: 20000})
		}
	}
	for i, k := range []int{1, 2, 4, 8, 16, 32} {
		configs = append(configs, Config{Pattern: []Pattern{PatternFull, PatternUnicomp, PatternLIDUnicomp}[i%3], Threads: k})
	}
	if testing.Short() {
		configs = configs[7:8] // a half pattern, which other joins run in full; sorted by work
	}
	for _, c := range configs {
		t.Run(fmt.Sprintf("%s %s %d", c.Pattern, c.Order, c.Threads), func(t *testing.T) {
			j, err := Open(c)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			jointest.RunFor(t, func() neighbors.Joiner { return j }, func(p *neighbors.Plan) bool { return p.Within() != nil && supports(p) == nil })
		})
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []Config{{Pattern: "half"}, {Order: "random"}, {Threads: 3}, {Threads: 64}, {Streams: -1}, {Batch: -1}, {Memory: -1}, {Devices: []int{0, 1}}} {
		if _, err := Open(c); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%+v: error %v, want %v", c, err, neighbors.ErrRequest)
		}
	}
}
