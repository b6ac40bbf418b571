package fresh

import (
	"slices"
	"testing"
)

// Values stay, wherever in its pages a slice begins and ends.
func TestAll(t *testing.T) {
	all := make([]uint32, 1<<21)
	for i := range all {
		all[i] = uint32(i)
	}
	want := slices.Clone(all)
	for _, lo := range []int{0, 1, 1023, 1024, 1025, 30000, 1 << 19} {
		for _, n := range []int{0, 1, 5, 1024, 1025, 5000, 1<<20 + 5, len(all) - lo} {
			All(all[lo : lo+min(n, len(all)-lo)])
		}
	}
	All[float64](nil)
	if !slices.Equal(all, want) {
		t.Error("values have changed")
	}
}

// A front goes at least as far as it is told to, in any steps, and never past
// the end.
func TestFront(t *testing.T) {
	for _, step := range []int{1000, 1 << 16, 1 << 20} {
		all := make([]uint32, 1<<21+7)
		f := NewFront(all)
		for left := len(all); left > 0; left -= min(step, left) {
			f.Reach(left)
			if len(f.rest) > left {
				t.Fatalf("%d elements left, not %d", len(f.rest), left)
			}
			if n := len(f.rest); n > 0 && &f.rest[n-1] != &all[len(all)-1] {
				t.Fatal("the end has moved")
			}
		}
		f.Reach(0)
		f.Reach(0)
	}
}
