package page

import "math"

// A branch is a range of right ascensions that are drawn less a multiple of 360 degrees.
type branch struct {
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"` // not in it
	Shift float64 `json:"shift"`
}

// gapBins is how many parts of the circle are looked at for one without rows.
const gapBins = 720

// acrossZero returns right ascensions, of any range in degrees, so that those of a field
// are in one piece, and how they are shifted: not at all where they are in one piece as
// they are, or all around.
func acrossZero(values []float64) ([]float64, []branch) {
	lo, hi := math.Inf(1), math.Inf(-1)
	var full [gapBins]bool
	for _, v := range values {
		if math.Abs(v) <= largest {
			lo, hi = min(lo, v), max(hi, v)
			full[int(turned(v)/360*gapBins)%gapBins] = true
		}
	}
	if !(hi-lo >= 180) || hi-lo > 1e6 {
		return values, nil
	}
	middle, widest := 0.0, 0
	for i := range gapBins {
		n := 0
		for n < gapBins && !full[(i+n)%gapBins] {
			n++
		}
		if n > widest {
			middle, widest = math.Mod((float64(i)+float64(n)/2)*360/gapBins, 360), n
		}
	}
	first, last := math.Floor((lo-middle)/360), math.Floor((hi-middle)/360)
	if widest < 2 || first == last {
		return values, nil
	}
	var branches []branch
	for k := first; k <= last; k++ {
		branches = append(branches, branch{middle + 360*k, middle + 360*(k+1), 360 * (k + 1)})
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.NaN()
		for _, b := range branches {
			if v >= b.Lo && v < b.Hi {
				out[i] = v - b.Shift
			}
		}
	}
	return out, branches
}

// turned is an angle of [0, 360).
func turned(degrees float64) float64 {
	if degrees = math.Mod(degrees, 360); degrees < 0 {
		degrees += 360
	}
	return degrees
}
