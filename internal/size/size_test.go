package size

import (
	"math"
	"testing"
)

func TestText(t *testing.T) {
	for in, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 100 << 20: "100.0 MiB", 8 << 30: "8.0 GiB", math.MaxInt64: "8.0 EiB", -5: "-5 B",
	} {
		if got := Text(in); got != want {
			t.Errorf("%d: %s, want %s", in, got, want)
		}
	}
}

// What is rounded up is enough when it is given back.
func TestUp(t *testing.T) {
	for in, want := range map[int64]string{0: "0 B", 7: "7 B", 1023: "1023 B", 100 << 20: "100.0 MiB", 100<<20 + 1: "100.1 MiB", 1<<30 + 1<<22: "1.1 GiB", 8 << 30: "8.0 GiB"} {
		if got := Up(in); got != want {
			t.Errorf("%d: %s, want %s", in, got, want)
		}
	}
}

func TestTextsTellApart(t *testing.T) {
	for _, c := range []struct {
		a, b   int64
		wa, wb string
	}{
		{2 << 20, 1 << 20, "2.0 MiB", "1.0 MiB"},
		{1<<30 + 1<<22, 1 << 30, "1.004 GiB", "1.000 GiB"},
		{5, 5, "5 B", "5 B"},
		{1 << 40, 1 << 40, "1.0 TiB", "1.0 TiB"},
		{math.MaxInt64, math.MaxInt64 - 1, "9223372036854775807 B", "9223372036854775806 B"},
	} {
		if a, b := Texts(c.a, c.b); a != c.wa || b != c.wb {
			t.Errorf("%d and %d: %s and %s, want %s and %s", c.a, c.b, a, b, c.wa, c.wb)
		}
	}
}
