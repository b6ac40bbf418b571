package hybrid

import (
	"sync/atomic"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// sampled is how many rows of each side are compared to estimate a result.
const sampled = 1024

// pairs estimates how many pairs of a query row and a data row are within the
// radius of a plan.
func pairs(p *neighbors.Plan) float64 {
	query, data := p.QuerySpace(), p.DataSpace()
	// Of a self-join two different sets of rows, so that none meets itself.
	a, na := thin(query, 0)
	b, nb := thin(data, 0.5)
	if na == 0 || nb == 0 {
		return 0
	}
	dim := query.Dim()
	var found atomic.Int64
	par.Chunks(par.Threads(0), na, func(_, lo, hi int) {
		n := 0
		for i := lo; i < hi; i++ {
			for k := range nb {
				sum := 0.0
				for j := range dim {
					d := a[i*dim+j] - b[k*dim+j]
					if query.Side != nil && query.Side[j] > 0 {
						d = max(d, -d)
						d = min(d, query.Side[j]-d)
					}
					sum += float64(d * d)
				}
				if sum <= p.SquaredRadius() {
					n++
				}
			}
		}
		found.Add(int64(n))
	})
	return float64(found.Load()) / float64(na) / float64(nb) * float64(query.Len()) * float64(data.Len())
}

// thin returns the coordinates, row by row, of rows that are evenly apart.
func thin(s *neighbors.Space, offset float64) ([]float64, int) {
	n := min(s.Len(), sampled)
	rows := make([]float64, 0, n*s.Dim())
	step := float64(s.Len()) / float64(max(n, 1))
	for i := range n {
		row := min(int((float64(i)+offset)*step), s.Len()-1)
		for _, c := range s.Columns {
			rows = append(rows, c.At(row))
		}
	}
	return rows, n
}
