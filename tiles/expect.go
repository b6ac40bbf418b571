package tiles

import (
	"cmp"
	"math"
	"slices"
)

// expect estimates the rows, memory and time of each tile from the sample.
func (p *Plan) expect(d division, s *sample) {
	n := d.tiles()
	p.Tiles = make([]Tile, n)
	rows, halo, work := make([]float64, n), make([]float64, n), make([]float64, n)
	add := func(owner int32, near []int32, weight, w float64) {
		rows[owner] += weight
		work[owner] += w
		for _, t := range near {
			if t != owner {
				halo[t] += weight
				work[t] += w / 3 // halo rows are read and indexed, but not queried
			}
		}
	}
	if p.Metric.onSky() {
		slices.SortFunc(s.sky, func(a, b skyPoint) int { return cmp.Compare(a.cell, b.cell) })
		w := skyWork(s.sky, p.Metric.angle(p.Radius))
		sd := d.(*skyDivision)
		for i, q := range s.sky {
			owner, near := sd.at(q.cell)
			add(owner, near, q.weight, w[i])
		}
	} else {
		w := slices.Clone(s.box)
		(&boxCutter{}).weigh(w, p.Radius)
		sc := &scratch{}
		bd := d.(*boxDivision)
		for _, q := range w { // in another order than s.box
			sc.x = append(sc.x[:0], q.x...)
			owner, near := bd.at(sc)
			add(owner, near, q.rows, q.weight)
		}
	}
	for t := range p.Tiles {
		p.Tiles[t].Rows, p.Tiles[t].Halo = int64(math.Round(rows[t])), int64(math.Round(halo[t]))
		p.Tiles[t].Memory = tileMemory(p.Tiles[t].Rows+p.Tiles[t].Halo, len(p.Sets[0].Columns), p.Metric.onSky())
		p.Tiles[t].Seconds = work[t] * workSeconds
	}
}

// Memory estimates how many bytes it takes to cluster a number of rows at once.
func Memory(rows int64, columns int, sky bool) int64 {
	if sky {
		columns++ // positions are unit vectors
	}
	return fixedMemory + rows*int64(rowMemory+coordinateMemory*columns)
}

// tileMemory is Memory plus a third, for the buffers that a tile reads its rows
// from.
func tileMemory(rows int64, columns int, sky bool) int64 { return Memory(rows, columns, sky) * 4 / 3 }

// Costs of a tile, measured on sky catalogs with one core of a processor with
// AVX-512: bytes of memory per row and per coordinate, including garbage that has
// not been collected yet, and seconds per unit of work (see rowWork).
const (
	fixedMemory      = 36 << 20
	rowMemory        = 16
	coordinateMemory = 28
	workSeconds      = 6e-9
)
