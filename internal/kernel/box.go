package kernel

// A Box holds the least and the largest coordinates of points.
type Box struct{ Least, Most []float64 }

// NewBox returns a box of dim coordinates, of no points yet.
func NewBox(dim int) Box { return Box{make([]float64, dim), make([]float64, dim)} }

// Around sets the box to that of the points [lo, hi) of p, of which there is at
// least one.
func (b Box) Around(p *Points, lo, hi int) {
	for c := range p.Dim {
		x := p.Data[c*p.Stride+lo : c*p.Stride+hi]
		least, most := x[0], x[0]
		for _, v := range x[1:] {
			if v < least {
				least = v
			}
			if v > most {
				most = v
			}
		}
		b.Least[c], b.Most[c] = least, most
	}
}

// Nearest returns the least d² that points of two boxes can have, and Farthest
// the largest. They are made by the operations of d² itself, so that rounding,
// which is monotone, keeps them bounds.
func (b Box) Nearest(o Box) (d2 float64) {
	for c := range b.Least {
		near := max(b.Least[c]-o.Most[c], o.Least[c]-b.Most[c], 0)
		d2 += float64(near * near)
	}
	return d2
}

// Farthest is the other bound, see Nearest.
func (b Box) Farthest(o Box) (d2 float64) {
	for c := range b.Least {
		far := max(b.Most[c]-o.Least[c], o.Most[c]-b.Least[c])
		d2 += float64(far * far)
	}
	return d2
}
