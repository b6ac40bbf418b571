package parquet

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
)

// powers of ten that are exact in float64.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// scaled returns the float64 nearest to v / 10^scale.
func scaled(v int64, scale int) float64 {
	const exact = 1 << 53
	if -exact <= v && v <= exact && scale < len(pow10) {
		return float64(v) / pow10[scale] // one rounding of two exact numbers
	}
	var buf [40]byte
	return parseScaled(strconv.AppendInt(buf[:0], v, 10), scale)
}

// scaledBytes is scaled for a big-endian number in two's complement.
func scaledBytes(b string, scale int) float64 {
	if len(b) <= 8 {
		var v int64
		if b != "" && b[0] >= 0x80 {
			v = -1
		}
		for i := range len(b) {
			v = v<<8 | int64(b[i])
		}
		return scaled(v, scale)
	}
	return parseScaled(bigEndian(b).Append(nil, 10), scale)
}

// bigEndian returns a number in two's complement.
func bigEndian(b string) *big.Int {
	z := new(big.Int).SetBytes([]byte(b))
	if b != "" && b[0] >= 0x80 {
		z.Sub(z, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return z
}

// parseScaled rounds the decimal number once.
func parseScaled(digits []byte, scale int) float64 {
	digits = append(digits, 'e')
	f, err := strconv.ParseFloat(string(strconv.AppendInt(digits, int64(-scale), 10)), 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN() // digits and an exponent always parse
	}
	return f
}

// julianUnixEpoch is the Julian day number of 1970-01-01.
const julianUnixEpoch = 2440588

// int96Time returns Unix seconds and nanoseconds of a little-endian INT96 time
// stamp: eight bytes of nanoseconds in the day, four of the Julian day number.
func int96Time(b string) (seconds, nanos int64) {
	for i := 7; i >= 0; i-- {
		nanos = nanos<<8 | int64(b[i])
	}
	day := int64(int32(uint32(b[8]) | uint32(b[9])<<8 | uint32(b[10])<<16 | uint32(b[11])<<24))
	return (day-julianUnixEpoch)*86400 + nanos/1e9, nanos % 1e9
}

// int96Seconds returns the nearest float64 to the seconds of an INT96.
func int96Seconds(b string) float64 {
	seconds, nanos := int96Time(b)
	if most := int64(math.MaxInt64)/1e9 - 1; -most < seconds && seconds < most {
		return scaled(seconds*1e9+nanos, 9)
	}
	return float64(seconds)
}

// halfToFloat32 returns the value of a little-endian IEEE 754 half, exactly.
func halfToFloat32(b string) float32 {
	h := uint32(b[0]) | uint32(b[1])<<8
	sign, exp, frac := h>>15<<31, h>>10&0x1f, h&0x3ff
	switch exp {
	case 0:
		return float32(math.Copysign(math.Ldexp(float64(frac), -24), float64(1-2*int32(h>>15))))
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// uuidText returns the canonical text of 16 bytes.
func uuidText(b string) string {
	out := make([]byte, 0, 36)
	for i, end := range []int{4, 6, 8, 10, 16} {
		if i > 0 {
			out = append(out, '-')
		}
		out = hex.AppendEncode(out, []byte(b[(len(out)-i)/2:end]))
	}
	return string(out)
}
