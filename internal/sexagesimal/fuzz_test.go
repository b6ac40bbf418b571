package sexagesimal

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

// FuzzDegrees reads any text: an angle within a turn, or none. The sign turns it
// around, and text with colons has the value that exact fractions have.
func FuzzDegrees(f *testing.F) {
	for _, text := range []string{"00:42:44.3", "-00 30 15", "00h42m43s", "41°16′9″", "23:59:60", "12d", "−1:2:3.12345678901234567890", "1:2", "10.5h"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, hours bool) {
		v, ok := Degrees(text, hours)
		if !ok {
			return
		}
		if !(math.Abs(v) <= 360) {
			t.Fatalf("%q is %v", text, v)
		}
		if first := strings.TrimSpace(text)[0]; first >= '0' && first <= '9' {
			if w, ok := Degrees("-"+strings.TrimSpace(text), hours); !ok || w != -v {
				t.Fatalf("%q is %v, with a minus sign %v, %v", text, v, w, ok)
			}
		}
		fields := strings.Split(text, ":")
		if len(fields) != 3 || strings.Trim(text, "0123456789.:") != "" {
			return
		}
		sum := new(big.Rat)
		for _, digits := range fields {
			r, ok := new(big.Rat).SetString(digits)
			if !ok {
				t.Fatalf("%q is an angle, %q no number", text, digits)
			}
			sum.Add(sum.Mul(sum, big.NewRat(60, 1)), r)
		}
		each := int64(1)
		if hours {
			each = 15
		}
		if want, _ := sum.Mul(sum, big.NewRat(each, 3600)).Float64(); v != want {
			t.Fatalf("%q is %v, want %v", text, v, want)
		}
	})
}
