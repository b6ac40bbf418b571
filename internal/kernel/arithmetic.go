package kernel

import (
	"fmt"
	"math"
)

// An Operation is one of arithmetic, on numbers or on two of them. Comparisons give 1
// if they hold and 0 if not.
type Operation int

const (
	Add Operation = iota
	Subtract
	Multiply
	Divide
	Less
	AtMost
	Negate // from here on of one number
	Magnitude
	Root
)

// checkApply panics unless there are operands for all results.
func checkApply(op Operation, x, y, z []float64) {
	if len(x) < len(z) || op < Negate && len(y) < len(z) || op < Add || op > Root {
		panic(fmt.Sprintf("kernel: operation %d on %d and %d numbers for %d results", op, len(x), len(y), len(z)))
	}
}

func applyGeneric(op Operation, x, y, z []float64) {
	checkApply(op, x, y, z)
	x = x[:len(z)]
	if op < Negate {
		y = y[:len(z)]
	}
	switch op {
	case Add:
		for i := range z {
			z[i] = x[i] + y[i]
		}
	case Subtract:
		for i := range z {
			z[i] = x[i] - y[i]
		}
	case Multiply:
		for i := range z {
			z[i] = float64(x[i] * y[i])
		}
	case Divide:
		for i := range z {
			z[i] = x[i] / y[i]
		}
	case Less:
		for i := range z {
			z[i] = oneIf(x[i] < y[i])
		}
	case AtMost:
		for i := range z {
			z[i] = oneIf(x[i] <= y[i])
		}
	case Negate:
		for i := range z {
			z[i] = -x[i]
		}
	case Magnitude:
		for i := range z {
			z[i] = math.Abs(x[i])
		}
	case Root:
		for i := range z {
			z[i] = math.Sqrt(x[i])
		}
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// MostParts is the largest number of terms that Parts takes.
const MostParts = 512

func partsGeneric([]float64, *[16]float64) bool { return false }
