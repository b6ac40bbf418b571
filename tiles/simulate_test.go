package tiles

import (
	"math"
	"testing"
)

// Tiles on slots, worked out by hand.
func TestSimulate(t *testing.T) {
	p := &Plan{}
	for range 10 {
		p.Tiles = append(p.Tiles, Tile{Rows: 100, Seconds: 4, Memory: fixedMemory*4/3 + 7, Read: 120})
	}
	f := p.Simulate(Machines{Slots: 4, Threads: 2, Start: 1})
	// Three rounds of 4, 4 and 2 tiles, of 1 + 4/2 seconds.
	if f.Seconds != 9 || f.Work != 40 || f.Longest != 3 || f.Memory != fixedMemory*4/3+7 || f.Read != 1200 || f.Lost != 0 || math.Abs(f.Busy-30./36) > 1e-12 {
		t.Errorf("%+v", f)
	}
	p.Tiles[9].Seconds = 100 // the last is the longest: nothing else is left to do
	if f := p.Simulate(Machines{Slots: 10}); f.Seconds != 100 || f.Busy > .2 {
		t.Errorf("%+v", f)
	}
	p.Tiles[9].Seconds = 4
	if f := p.Simulate(Machines{Slots: 1, Scale: 3}); f.Seconds != 120 || f.Memory != fixedMemory*4/3+21 || f.Read != 3600 {
		t.Errorf("%+v", f)
	}
	// 10 tiles of 120 rows at 60 rows a second, whatever the slots.
	if f := p.Simulate(Machines{Slots: 5, Read: 60}); f.Seconds != 2*(4+10) {
		t.Errorf("%+v", f)
	}
	f = p.Simulate(Machines{Slots: 2, Fail: .3, Seed: 1})
	if f.Lost == 0 || f.Work != 40 || f.Seconds < 20+float64(f.Lost) {
		t.Errorf("%+v", f)
	}
}
