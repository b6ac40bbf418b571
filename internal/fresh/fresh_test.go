package fresh

import (
	"slices"
	"testing"
)

// Values stay, wherever in its pages a slice begins and ends.
func TestTouch(t *testing.T) {
	all := make([]uint32, 1<<16)
	for i := range all {
		all[i] = uint32(i)
	}
	want := slices.Clone(all)
	for _, lo := range []int{0, 1, 1023, 1024, 1025, 30000} {
		for _, n := range []int{0, 1, 5, 1024, 1025, 5000, len(all) - lo} {
			Touch(all[lo : lo+min(n, len(all)-lo)])
		}
	}
	Touch[float64](nil)
	if !slices.Equal(all, want) {
		t.Error("values have changed")
	}
}
