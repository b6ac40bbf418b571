package job

import (
	"testing"
)

func TestTwoDigits(t *testing.T) {
	for in, want := range map[float64]int64{0: 0, 7: 7, 42.4: 42, 99.6: 100, 123: 120, 4_999_950_000: 5_000_000_000, 1.25e10: 13_000_000_000} {
		if got := TwoDigits(in); got != want {
			t.Errorf("%v: %d, want %d", in, got, want)
		}
	}
}
