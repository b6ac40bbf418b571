package costmodel

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSampleInfersTheLarger(t *testing.T) {
	s := Sample{Queries: 9, Step: 3, Found: []uint32{48, 34, 25}}
	var got []uint64
	s.each(func(i int, estimate uint64) {
		if i != len(got) {
			t.Errorf("query %d after %d others", i, len(got))
		}
		got = append(got, estimate)
	})
	if want := []uint64{48, 48, 48, 34, 34, 34, 25, 25, 25}; !slices.Equal(got, want) {
		t.Errorf("decreasing: %v, want %v", got, want)
	}
	rising := Sample{Queries: 5, Step: 2, Found: []uint32{1, 7, 2}}
	got = nil
	rising.each(func(_ int, estimate uint64) { got = append(got, estimate) })
	if want := []uint64{1, 7, 7, 7, 2}; !slices.Equal(got, want) || rising.Total() != 24 {
		t.Errorf("rising: %v, in total %d, want %v", got, rising.Total(), want)
	}
}

// Work that decreases gives batches of more and more queries.
func TestBatchesOfEqualResults(t *testing.T) {
	var found []uint32
	for i := range 100 {
		found = append(found, uint32(10*(100-i)))
	}
	s := Sample{Queries: 1000, Step: 10, Found: found}
	ends := s.Batches(s.Total()/8, 3)
	if len(ends) < 8 || len(ends) > 9 {
		t.Errorf("%d batches, want 8: %v", len(ends), ends)
	}
	last, lo := 0, 0
	for _, hi := range ends[:len(ends)-1] {
		if hi-lo < last {
			t.Errorf("batches end at %v: that to %d has fewer queries than the one before", ends, hi)
		}
		last, lo = hi-lo, hi
	}
	if ends := (&Sample{Queries: 10, Step: 100, Found: []uint32{0}}).Batches(5, 3); len(ends) == 0 || ends[len(ends)-1] != 10 {
		t.Errorf("of no results: %v", ends)
	}
	if ends := (&Sample{}).Batches(5, 3); ends != nil {
		t.Errorf("of no queries: %v", ends)
	}
}

func TestBatchesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Sample{Queries: rapid.IntRange(1, 300).Draw(t, "queries"), Step: rapid.IntRange(1, 40).Draw(t, "step")}
		for i := 0; i < s.Queries; i += s.Step {
			s.Found = append(s.Found, rapid.Uint32Range(0, 50).Draw(t, "found"))
		}
		room := rapid.Uint64Range(1, 500).Draw(t, "room")
		var estimates []uint64
		s.each(func(_ int, e uint64) { estimates = append(estimates, e) })
		lo := 0
		ends := s.Batches(room, rapid.IntRange(0, 5).Draw(t, "least"))
		for _, hi := range ends {
			var sum uint64
			for _, e := range estimates[lo:hi] {
				sum += e
			}
			if hi <= lo || (sum > room && hi-lo > 1) {
				t.Fatalf("batches end at %v: [%d, %d) has %d of room for %d", ends, lo, hi, sum, room)
			}
			lo = hi
		}
		if lo != s.Queries {
			t.Fatalf("batches end at %v, there are %d queries", ends, s.Queries)
		}
	})
}
