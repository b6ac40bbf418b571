package format

import "testing"

func TestWidened(t *testing.T) {
	for _, c := range []struct{ a, b, want Type }{
		{Int8, Int64, Int64}, {Uint8, Uint32, Uint32}, {Uint8, Int8, Int16}, {Uint8, Int64, Int64}, {Uint16, Int16, Int32}, {Uint32, Int8, Int64},
		{Float32, Float64, Float64}, {String, String, String}, {Decimal, Decimal, Decimal},
		{Uint64, Int64, Unsupported}, {Uint64, Uint8, Uint64}, {Int32, Float64, Unsupported}, {Decimal, Float64, Unsupported},
		{Timestamp, Float64, Unsupported}, {Bool, Int8, Unsupported}, {String, Float64, Unsupported}, {List, Float32, Unsupported},
	} {
		for _, p := range [][2]Type{{c.a, c.b}, {c.b, c.a}} {
			if got, ok := Widened(p[0], p[1]); ok != (c.want != Unsupported) || ok && got != c.want {
				t.Errorf("%v and %v: %v, %v; want %v", p[0], p[1], got, ok, c.want)
			}
		}
	}
}
