package kernel

import "math"

func rootsGeneric(x []float64) {
	for i, v := range x {
		x[i] = math.Sqrt(v)
	}
}
