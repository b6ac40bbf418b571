package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// withNoKeys appends what has to be behind keys.
func withNoKeys(keys []uint64) []uint64 {
	for range WindowSlack {
		keys = append(keys, NoKey)
	}
	return keys
}

// ascending returns n different keys from least on, with gaps of many sizes: so
// that windows hold few and many of them, and move by one or by all.
func ascending(r *rand.Rand, n int, least uint64) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		least += 1 + r.Uint64N(1<<r.IntN(8))
		keys[i] = least
	}
	return keys
}

func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	for _, f := range All() {
		for range 300 {
			keys := ascending(r, r.IntN(300), 1000)
			query := ascending(r, r.IntN(100), r.Uint64N(20000)+1000)
			if r.IntN(2) == 0 {
				query = keys
			}
			windows := make([]Window, r.IntN(8))
			for i := range windows {
				from := r.Int64N(2000) - 1000
				windows[i] = Window{From: uint64(from), To: uint64(from + r.Int64N(1<<r.IntN(10)))}
			}
			all := withNoKeys(slices.Clone(keys))
			for len(query) > 0 {
				n := 1 + r.IntN(len(query))
				compareWindows(t, f, keys, all, query[:n], windows)
				query = query[n:]
				if r.IntN(4) == 0 {
					for i := range windows {
						windows[i].Rewind(0)
					}
				}
			}
		}
	}
}

// compareWindows compares ranges with those that a look at all keys finds.
func compareWindows(t *testing.T, f *Funcs, keys, all, query []uint64, windows []Window) {
	t.Helper()
	cells, end := make([]Run, len(query)*len(windows)+1), make([]uint32, len(query))
	f.Windows(all, query, windows, cells, end)
	n := uint32(0)
	for i, q := range query {
		for _, w := range windows {
			lo, hi := len(keys), len(keys)
			for k, key := range slices.Backward(keys) {
				if key >= q+w.From {
					lo = k
				}
				if key > q+w.To {
					hi = k
				}
			}
			if lo >= hi {
				continue
			}
			if want := (Run{uint32(lo), uint32(hi)}); cells[n] != want {
				t.Fatalf("%s: query %d of %d, window [%d, %d] of %d: cells %v, want %v", f.Name, i, len(query), int64(w.From), int64(w.To), len(windows), cells[n], want)
			}
			n++
		}
		if end[i] != n {
			t.Fatalf("%s: %d ranges up to query %d of %d, want %d", f.Name, end[i], i, len(query), n)
		}
	}
}

func TestWindowsMisfit(t *testing.T) {
	keys := withNoKeys([]uint64{5, 6})
	query, windows := []uint64{5, 6}, []Window{{To: 1}}
	for _, f := range All() {
		for name, call := range map[string]func(){
			"keys":      func() { f.Windows(keys[:9], query, windows, make([]Run, 3), make([]uint32, 2)) },
			"ranges":    func() { f.Windows(keys, query, windows, make([]Run, 2), make([]uint32, 2)) },
			"ends":      func() { f.Windows(keys, query, windows, make([]Run, 3), make([]uint32, 1)) },
			"no window": func() { f.Windows(keys, query, []Window{{Lo: 3}}, make([]Run, 3), make([]uint32, 2)) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic over %s", f.Name, name)
					}
				}()
				call()
			}()
		}
	}
}

func TestAdvance(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 16))
	for _, n := range []int{0, 1, 7, 8, 9, 16, 17, 100, 1000} {
		keys := ascending(r, n, 0)
		all := withNoKeys(slices.Clone(keys))
		for range 100 {
			i := r.IntN(n + 1)
			key := all[i] + r.Uint64N(1<<r.IntN(16)+1)
			if key > NoKey {
				continue
			}
			want := uint64(i)
			for all[want] < key {
				want++
			}
			if got := Advance(all, uint64(i), key); got != want {
				t.Fatalf("of %d keys, from %d to key %d: %d, want %d", n, i, key, got, want)
			}
		}
	}
}
