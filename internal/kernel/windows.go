package kernel

import "fmt"

// A Window is a range of the keys of cells that moves up with the keys of
// queries: from From to To on from each, modulo 2^64.
type Window struct {
	Lo       uint64 // the first cell whose key is not known to be below the window
	From, To uint64
	hi       uint64 // where the last range that is not empty ends, or before
	until    uint64 // the range is known to be empty for lower keys
}

// Rewind moves a window back or on to where its first cell is lo.
func (w *Window) Rewind(lo int) { w.Lo, w.hi, w.until = uint64(lo), uint64(lo), 0 }

const (
	// WindowSlack is the number of keys that are behind those of cells.
	WindowSlack = 8
	// NoKey is what they are. Keys of cells are below 2^62.
	NoKey uint64 = 1<<63 - 1
)

// checkWindows panics unless the keys end as they should, and there is room for
// all ranges and one more.
func checkWindows(keys, query []uint64, windows []Window, cells []Run, end []uint32) {
	n := len(keys) - WindowSlack
	if n < 0 || keys[n] != NoKey || keys[n+WindowSlack-1] != NoKey {
		panic(fmt.Sprintf("kernel: %d keys without those behind", len(keys)))
	}
	if need := len(query)*len(windows) + 1; len(cells) < need || len(end) < len(query) {
		panic(fmt.Sprintf("kernel: room for %d ranges of %d queries, not %d of %d", len(cells), len(end), need, len(query)))
	}
	for i := range windows {
		if windows[i].Lo > uint64(n) {
			panic(fmt.Sprintf("kernel: a window at cell %d of %d", windows[i].Lo, n))
		}
	}
}

func windowsGeneric(keys, query []uint64, windows []Window, cells []Run, end []uint32) {
	checkWindows(keys, query, windows, cells, end)
	windowsFrom(keys, query, windows, cells, end, 0)
}

// windowsFrom finds the ranges of the queries from first on.
func windowsFrom(keys, query []uint64, windows []Window, cells []Run, end []uint32, first int) {
	n := uint32(0)
	if first > 0 {
		n = end[first-1]
	}
	for i := first; i < len(query); i++ {
		key := query[i]
		for k := range windows {
			w := &windows[k]
			if key < w.until {
				continue
			}
			from, last, lo := key+w.From, key+w.To, w.Lo
			if keys[lo] < from {
				if lo++; keys[lo] < from {
					lo = Advance(keys, lo+1, from)
				}
				w.Lo = lo
			}
			if next := keys[lo]; next > last {
				w.until = key + next - last
				continue
			}
			hi := max(w.hi, lo+1)
			if keys[hi] <= last {
				hi = Advance(keys, hi+1, last+1)
			}
			w.hi = hi
			cells[n] = Run{uint32(lo), uint32(hi)}
			n++
		}
		end[i] = n
	}
}

// Advance returns the first of the ascending keys from i on that is at least
// key. There must be one.
func Advance(keys []uint64, i, key uint64) uint64 {
	for range 8 {
		if keys[i] >= key {
			return i
		}
		i++
	}
	// Steps that double, then halves.
	lo, step := i, uint64(8)
	for lo+step < uint64(len(keys)) && keys[lo+step] < key {
		lo += step
		step *= 2
	}
	hi := min(lo+step, uint64(len(keys)-1))
	for lo < hi {
		if mid := lo + (hi-lo)/2; keys[mid] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
