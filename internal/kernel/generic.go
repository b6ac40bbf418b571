package kernel

var generic = Funcs{Name: "generic", Count: countGeneric, Emit: emitGeneric}

func squared(q *Points, i int, d *Points, j int) float64 {
	var sum float64
	for c := range q.Dim {
		x := q.Data[c*q.Stride+i] - d.Data[c*d.Stride+j]
		sum += float64(x * x)
	}
	return sum
}

func countGeneric(q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32) {
	for i := lo; i < hi; i++ {
		n := uint32(0)
		for _, r := range runs {
			for j := r.Lo; j < r.Hi; j++ {
				if squared(q, i, d, int(j)) <= t {
					n++
				}
			}
		}
		count[i-lo] += n
	}
}

func emitGeneric(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, count []uint32) int {
	n := 0
	for i := lo; i < hi; i++ {
		start := n
		for _, r := range runs {
			for j := r.Lo; j < r.Hi; j++ {
				if squared(q, i, d, int(j)) <= t {
					out[n] = d.ID[j]
					n++
				}
			}
		}
		count[i-lo] = uint32(n - start)
	}
	return n
}
