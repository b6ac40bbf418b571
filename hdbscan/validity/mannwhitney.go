package validity

import (
	"math"
	"slices"
)

// exactRows is up to how many rows of the smaller side the distribution of U is
// counted, as in scipy.
const exactRows = 8

// mannWhitney tests whether the values of x tend to be less than those of y. It
// returns the probability of this or more by chance and the standard deviations of
// a normal distribution that are as improbable.
func mannWhitney(x, y []float64) (sigma, p float64) {
	m, n := float64(len(x)), float64(len(y))
	u, ties := statistic(x, y)
	if ties == 0 && min(len(x), len(y)) <= exactRows {
		p = exactP(len(x), len(y), int(u))
		return math.Sqrt2 * math.Erfcinv(2*p), p
	}
	total := m + n
	variance := m * n / 12 * (total + 1 - ties/(total*(total-1)))
	if variance == 0 { // all are equal
		return 0, 1
	}
	sigma = (m*n/2 - u - 0.5) / math.Sqrt(variance)
	return sigma, math.Erfc(sigma/math.Sqrt2) / 2
}

// statistic returns U, the pairs in which the value of x is greater, ties being
// half of one, and the sum of t³ - t over the ties of all values.
func statistic(x, y []float64) (u, ties float64) {
	all := slices.Concat(x, y)
	slices.Sort(all)
	x = slices.Sorted(slices.Values(x))
	next := 0 // of x
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end] == all[i] {
			end++
		}
		own := 0
		for next < len(x) && x[next] == all[i] {
			own, next = own+1, next+1
		}
		before := i - (next - own) // values of y that are less
		u += float64(own) * (float64(before) + float64(end-i-own)/2)
		t := float64(end - i)
		ties += t*t*t - t
		i = end
	}
	return u, ties
}

// exactP returns the share of all ways to mix m values with n in which U is at most
// u (Mann & Whitney 1947, equation 2).
func exactP(m, n, u int) float64 {
	if m > n {
		m, n = n, m
	}
	// ways[k] is the number of ways to choose some of the values such that U is k:
	// the coefficients of the Gaussian binomial, as shares of all.
	ways := make([]float64, m*n+1)
	ways[0] = 1
	for i := 1; i <= m; i++ {
		top := i * n
		for k := top; k >= n+i; k-- { // times 1 - q^(n+i)
			ways[k] -= ways[k-n-i]
		}
		for k := i; k <= top; k++ { // over 1 - q^i
			ways[k] += ways[k-i]
		}
		for k := range top + 1 { // the ways of i values are C(n+i, i)
			ways[k] *= float64(i) / float64(n+i)
		}
	}
	sum := 0.0
	for k := range u + 1 {
		sum += ways[k]
	}
	return min(sum, 1)
}
