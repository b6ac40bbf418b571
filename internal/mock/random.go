package mock

import "math"

// golden is the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// split is one step of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
func split(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit returns the top 53 bits as a number in [0, 1).
func unit(bits uint64) float64 { return float64(bits>>11) * 0x1p-53 }

// value returns the j-th number in [0, 1) of a seed.
func value(seed, j uint64) float64 { return unit(split(split(seed) + j)) }

// A stream is the random numbers of one row, or of one cluster: SplitMix64
// started at a hash of the seed and the row.
type stream struct {
	state uint64
	spare float64 // the second of a pair of normal numbers
	has   bool
}

// purposes keep the streams of rows and of clusters apart.
const (
	ofRows     = 0
	ofClusters = 1 << 63
)

func newStream(seed, purpose, i uint64) *stream {
	return &stream{state: split(split(split(seed)^purpose) + i)}
}

// float returns a number in [0, 1).
func (r *stream) float() float64 {
	x := split(r.state)
	r.state += golden
	return unit(x)
}

// between returns a number in [lo, hi).
func (r *stream) between(lo, hi float64) float64 { return lo + float64((hi-lo)*r.float()) }

// exponential returns a number of the exponential distribution of mean 1.
func (r *stream) exponential() float64 { return -log(1 - r.float()) }

// normal returns a number of the standard normal distribution (Box & Muller,
// 1958).
func (r *stream) normal() float64 {
	if r.has {
		r.has = false
		return r.spare
	}
	radius := math.Sqrt(2 * r.exponential())
	sin, cos := sincos(360 * r.float())
	r.spare, r.has = float64(radius*sin), true
	return float64(radius * cos)
}
