//go:build !purego

package kernel

import "unsafe"

// windowsVector compares eight keys at a time with both ends of a window, and
// leaves queries to portable code for which a window has to move far. Nothing
// branches on how far it moves otherwise: where points are sparse, that is
// chance.
func windowsVector(kernel int, keys, query []uint64, windows []Window, cells []Run, end []uint32) {
	checkWindows(keys, query, windows, cells, end)
	if len(windows) == 0 {
		clear(end[:len(query)])
		return
	}
	a := args{
		keys: &keys[0], table: (*uint64)(unsafe.Pointer(&windows[0])), end: len(windows),
		runs: &cells[0], count: unsafe.SliceData(end),
	}
	for a.first < len(query) {
		a.q, a.nq = (*float64)(unsafe.Pointer(&query[a.first])), len(query)-a.first
		call(kernel, &a)
		done := len(query) - 1 - a.nq
		if done == len(query) {
			return
		}
		for i := range windows {
			windows[i].Rewind(int(windows[i].Lo)) // for portable code
		}
		windowsFrom(keys, query[:done+1], windows, cells, end, done)
		a.n, a.first = int(end[done]), done+1
	}
}
