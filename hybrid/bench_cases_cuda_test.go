//go:build cuda && linux

package hybrid_test

import "math"

// A joinCase is a data set and a radius.
type joinCase struct {
	dataset
	radius float64
}

// joinCases have S, the mean number of neighbours, at the ends and in the
// middle of the ranges of HEGJOIN's Table 2; where it begins with 0, at 10. The
// sky stands in for Gaia.
var joinCases = []joinCase{
	{dataset{"Expo", 2, 2_000_000}, 4.05e-4},
	{dataset{"Expo", 2, 2_000_000}, 2.02e-3},
	{dataset{"Expo", 4, 2_000_000}, 2.015e-3},
	{dataset{"Expo", 4, 2_000_000}, 4.5e-3},
	{dataset{"Expo", 4, 2_000_000}, 1.004e-2},
	{dataset{"Expo", 6, 2_000_000}, 5.345e-3},
	{dataset{"Expo", 6, 2_000_000}, 1.511e-2},
	{dataset{"Expo", 8, 2_000_000}, 1.0165e-2},
	{dataset{"Expo", 8, 2_000_000}, 1.504e-2},
	{dataset{"Expo", 2, 10_000_000}, 8.5e-5},
	{dataset{"Expo", 2, 10_000_000}, 4.05e-4},
	{dataset{"Sky", 2, 10_000_000}, 0.03 * math.Pi / 180},
	{dataset{"Sky", 2, 10_000_000}, 0.1 * math.Pi / 180},
	{dataset{"Expo", 4, 10_000_000}, 8.2e-4},
	{dataset{"Expo", 4, 10_000_000}, 4.015e-3},
	{dataset{"Expo", 6, 10_000_000}, 4.025e-3},
	{dataset{"Expo", 6, 10_000_000}, 8.08e-3},
	{dataset{"Expo", 8, 10_000_000}, 8.13e-3},
	{dataset{"Expo", 8, 10_000_000}, 1.204e-2},
}

// A nearestCase is a data set and numbers of neighbours.
type nearestCase struct {
	dataset
	k []int
}

// nearestCases are those of HYBRIDKNN-JOIN's tables.
var nearestCases = []nearestCase{
	{dataset{"Unif", 2, 10_000_000}, []int{8, 32, 128}},
	{dataset{"Expo", 2, 10_000_000}, []int{8, 32, 128}},
	{dataset{"Unif", 4, 10_000_000}, []int{8, 32, 128}},
	{dataset{"Expo", 4, 10_000_000}, []int{8, 32, 128}},
	{dataset{"Unif", 6, 10_000_000}, []int{8, 32, 128}},
	{dataset{"Expo", 6, 10_000_000}, []int{8, 32, 128}},
}

// partitionCases are those of joinCases that both sides do in little time, so
// that dividing them is worth a thought.
var partitionCases = []joinCase{
	{dataset{"Expo", 2, 2_000_000}, 2.02e-3},
	{dataset{"Expo", 2, 10_000_000}, 4.05e-4},
	{dataset{"Sky", 2, 10_000_000}, 0.03 * math.Pi / 180},
	{dataset{"Expo", 4, 2_000_000}, 4.5e-3},
	{dataset{"Expo", 6, 2_000_000}, 5.345e-3},
}

// partitionNearest are those that the published search ends within seconds.
var partitionNearest = []nearestCase{
	{dataset{"Unif", 2, 10_000_000}, []int{8}},
	{dataset{"Unif", 2, 2_000_000}, []int{8, 32}},
	{dataset{"Expo", 2, 2_000_000}, []int{8}},
	{dataset{"Unif", 4, 2_000_000}, []int{8}},
	{dataset{"Unif", 6, 2_000_000}, []int{8}},
}

// sharedCases are those where both sides have something to do.
var sharedCases = []joinCase{
	{dataset{"Expo", 2, 2_000_000}, 2.02e-3},
	{dataset{"Expo", 2, 10_000_000}, 4.05e-4},
	{dataset{"Expo", 4, 10_000_000}, 4.015e-3},
	{dataset{"Expo", 4, 2_000_000}, 1.004e-2},
}

// severalCases are heavy enough for several GPUs.
var severalCases = []joinCase{
	{dataset{"Expo", 2, 2_000_000}, 2.02e-3},
	{dataset{"Expo", 6, 2_000_000}, 1.2e-2},
	{dataset{"Expo", 8, 2_000_000}, 1.504e-2},
	{dataset{"Expo", 4, 10_000_000}, 4.015e-3},
	{dataset{"Expo", 6, 10_000_000}, 8.08e-3},
	{dataset{"Expo", 8, 10_000_000}, 9e-3},
}
