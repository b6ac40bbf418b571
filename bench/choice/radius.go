package main

import (
	"math"
	"slices"
	"strconv"
	"sync"

	"skyjoin/internal/par"
)

// radius returns the distance within which rows have so many neighbours on
// average, by the distances of a sample of the rows from all. It has six digits, as
// in the file.
func radius(columns [][]float64, mean int) float64 {
	n := len(columns[0])
	queries := min(n, max(64, min(1000, int(2e8)/n)))
	want := queries * (mean + 1) // each is its own neighbour, too
	var mu sync.Mutex
	var least []float64
	par.Chunks(par.Threads(0), n, func(_, lo, hi int) {
		part := leastSquares(columns, queries, want, lo, hi)
		mu.Lock()
		defer mu.Unlock()
		least = append(least, part...)
	})
	slices.Sort(least)
	r, _ := strconv.ParseFloat(strconv.FormatFloat(math.Sqrt(least[want-1]), 'g', 6, 64), 64)
	return r
}

// leastSquares returns the least squares of distances, at least want of them if
// there are as many, of the rows [lo, hi) and a number of rows that are spread
// over all.
func leastSquares(columns [][]float64, queries, want, lo, hi int) []float64 {
	n := len(columns[0])
	most := math.Inf(1)
	var all []float64
	sums := make([]float64, hi-lo)
	for q := range queries {
		row := int(uint64(q) * uint64(n) / uint64(queries))
		clear(sums)
		for _, c := range columns {
			x := c[row]
			for i, y := range c[lo:hi] {
				sums[i] += (x - y) * (x - y)
			}
		}
		for _, d2 := range sums {
			if d2 < most {
				all = append(all, d2)
			}
		}
		if len(all) > 4*want {
			slices.Sort(all)
			all = all[:want]
			most = all[want-1]
		}
	}
	return all
}
