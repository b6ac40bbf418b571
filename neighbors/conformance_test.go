package neighbors_test

import (
	"fmt"
	"testing"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

func TestBruteConforms(t *testing.T) {
	jointest.Run(t, func() neighbors.Joiner { return neighbors.Brute{} })
}

func TestCPUConforms(t *testing.T) {
	for _, threads := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			jointest.Run(t, func() neighbors.Joiner { return neighbors.CPU{Threads: threads} })
		})
	}
}

func TestAlgorithmsConform(t *testing.T) {
	for _, a := range []neighbors.Algorithm{neighbors.KDTree, neighbors.Scan} {
		t.Run(string(a), func(t *testing.T) {
			jointest.Run(t, func() neighbors.Joiner { return neighbors.CPU{Threads: 2, Algorithm: a} })
		})
	}
}
