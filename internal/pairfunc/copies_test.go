package pairfunc

import (
	"math"
	"testing"
)

// The latency of equations 2 to 5, by hand for few lanes, and what follows for
// the copies: more of them while enough threads run, fewer where they would
// leave a processor idle.
func TestCopiesModel(t *testing.T) {
	if got := latency(1, 10, 1); got != 1 {
		t.Errorf("without sharing: %v rounds", got)
	}
	free := math.Exp(-2.0 / 20) // of two lanes and ten bins
	if got, want := latency(2, 10, 1), free+(1-free)*2; math.Abs(got-want) > 1e-15 {
		t.Errorf("two lanes: %v rounds, want %v", got, want)
	}
	for _, bins := range []int{1, 10, 600} {
		for sharing := 1; sharing < 32; sharing *= 2 {
			if CopiesTime(1024, bins, sharing) > CopiesTime(1024, bins, 2*sharing) {
				t.Errorf("%d bins: %d lanes on a copy are slower than %d", bins, sharing, 2*sharing)
			}
		}
	}
	if CopiesTime(2048, 64, 1) != CopiesTime(enoughThreads, 64, 1) {
		t.Error("more threads than enough gain something")
	}
	if CopiesTime(64, 600, 1) < CopiesTime(1024, 600, 2) {
		t.Error("an idle processor costs nothing")
	}
	if !math.IsInf(CopiesTime(0, 64, 1), 1) {
		t.Error("copies that do not fit take no time")
	}
}
