package columns

import (
	"testing"

	"skyjoin/io/catalog"
)

// A class is the same text whatever type its column has, so that answers can be
// compared with the truth.
func TestTextOfClasses(t *testing.T) {
	for _, c := range []catalog.Column{
		{Int64: []int64{1_000_000}}, {Uint64: []uint64{1_000_000}}, {Float64: []float64{1e6}}, {Float32: []float32{1e6}}, {String: []string{"1000000"}},
	} {
		if got := Text(&c, 0); got != "1000000" {
			t.Errorf("%+v is %s", c, got)
		}
	}
	if got := Text(&catalog.Column{Float32: []float32{.1}}, 0) + Text(&catalog.Column{Bool: []bool{true}}, 0); got != "0.1true" {
		t.Error(got)
	}
}
