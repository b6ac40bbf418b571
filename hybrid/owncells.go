package hybrid

import (
	"math"

	"skyjoin/internal/epsilon"
	"skyjoin/internal/hook"
	"skyjoin/internal/par"
	"skyjoin/internal/workq"
	"skyjoin/neighbors"
)

func init() { hook.Provide("hybrid.OwnCells", ownCells) }

// ownCells orders query rows by the points in their own cell of a grid of side ε_min, as
// HYBRIDKNN-JOIN does (§4.5); ε_min is that of §4.4. It is nil where there is none, as
// where all points coincide.
func ownCells(p *neighbors.Plan, rows []uint32, threads int) (*workq.Deque, error) {
	side, err := epsilon.Choose(p, p.Nearest().K, epsilon.CPU{Pairs: p, Threads: threads})
	if err != nil || side == 0 {
		return nil, err
	}
	query, data := querySpace(p), dataSpace(p)
	least := make([]float64, data.Dim())
	for j, c := range data.Columns {
		least[j] = math.Inf(1)
		for i := range c.Len() {
			least[j] = min(least[j], c.At(i))
		}
	}
	// Cells are told apart by a hash: where two have the same, rows are out of order,
	// which changes no answer.
	cells := func(s interface{ Len() int }, at func(j, i int) float64) []uint64 {
		all := make([]uint64, s.Len())
		par.Chunks(par.Threads(threads), len(all), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				for j := range least {
					all[i] = mix(all[i] ^ uint64(int64(math.Floor((at(j, i)-least[j])/side))))
				}
			}
		})
		return all
	}
	count := map[uint64]int64{}
	own := cells(data, func(j, i int) float64 { return data.Columns[j].At(i) })
	for _, c := range own {
		count[c]++
	}
	if !p.Self() {
		own = cells(query, func(j, i int) float64 { return query.Columns[j].At(i) })
	}
	return workq.Ordered(rows, func(row uint32) int64 { return count[own[row]] }, p.Cost), nil
}

// mix is splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
