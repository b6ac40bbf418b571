package parquet

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// A decimal is the float64 nearest to its exact value, whatever its size.
func TestScaledIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.IntRange(0, 38).Draw(t, "scale")
		raw := rapid.SliceOfN(rapid.Byte(), 1, 18).Draw(t, "bytes")
		z := new(big.Int).SetBytes(raw)
		if raw[0] >= 0x80 {
			z.Sub(z, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
		}
		exact := new(big.Rat).SetFrac(z, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
		want, _ := exact.Float64()
		if got := scaledBytes(string(raw), scale); got != want {
			t.Errorf("%v / 10^%d is %v, want %v", z, scale, got, want)
		}
		if z.IsInt64() {
			if got := scaled(z.Int64(), scale); got != want {
				t.Errorf("%v / 10^%d is %v, want %v", z, scale, got, want)
			}
		}
	})
}

func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float32{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 0x1p-14, 0x0001: 0x1p-24, 0x83ff: -0x1.ff8p-15,
		0x7c00: float32(math.Inf(1)), 0xfc00: float32(math.Inf(-1)),
	} {
		if got := halfToFloat32(string([]byte{byte(bits), byte(bits >> 8)})); got != want {
			t.Errorf("%#04x is %v, want %v", bits, got, want)
		}
	}
	if got := halfToFloat32("\x00\x80"); got != 0 || !math.Signbit(float64(got)) {
		t.Errorf("-0 is %v", got)
	}
	if got := halfToFloat32("\x01\x7e"); got == got {
		t.Errorf("NaN is %v", got)
	}
}

func TestUUID(t *testing.T) {
	if got := uuidText("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"); got != "00112233-4455-6677-8899-aabbccddeeff" {
		t.Error(got)
	}
}
