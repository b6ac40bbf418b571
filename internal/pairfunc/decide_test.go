package pairfunc

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The rules of figure 9, one by one: what is in registers, privatized once or in copies,
// in global memory or in a buffer, and where tiles are; what is asked for stays.
func TestDecide(t *testing.T) {
	small := Card{Shared: 48 << 10, Unified: 46 << 10}
	for _, c := range []struct {
		what   string
		r      Reduction
		perRow bool
		bins   int
		asked  Method
		card   Card
		want   Method
		why    string
	}{
		{"a count", Count, false, 0, Method{}, Volta, Method{"reg-shm", ""}, "registers"},
		{"a sum", Sum, false, 0, Method{}, Volta, Method{"reg-shm", ""}, "words of each thread"},
		{"a result a row", Sum, true, 0, Method{}, Volta, Method{"reg-shm", ""}, "each row"},
		{"pairs", Pairs, false, 0, Method{}, Volta, Method{"reg-shm", ""}, "direct output buffer"},
		{"few buckets", Histogram, false, 10, Method{}, Volta, Method{"reg-roc", "lanes"}, "32 copies"},
		{"many buckets", Histogram, false, 9000, Method{}, Volta, Method{"reg-roc", "block"}, "once"},
		{"too many buckets", Histogram, false, 60_000, Method{}, Volta, Method{"reg-roc", "global"}, "global memory"},
		{"no room in the cache", Histogram, false, 11_000, Method{}, small, Method{"shuffle", "block"}, "registers of a warp"},
		{"a tiling that is asked for", Histogram, false, 10, Method{Tiling: "naive"}, Volta, Method{"naive", "lanes"}, ""},
		{"an output that is asked for", Histogram, false, 10, Method{Output: "global"}, Volta, Method{"reg-roc", "global"}, ""},
	} {
		src := "abs(a.x-b.x)"
		if c.r == Count || c.r == Pairs {
			src += " < 1"
		}
		f, err := Compile(src, Schema{})
		if err != nil {
			t.Fatal(err)
		}
		j := &Job{Function: f, Reduction: c.r, PerRow: c.perRow, Self: true}
		if c.bins > 0 {
			for i := range c.bins + 1 {
				j.Edges = append(j.Edges, float64(i))
			}
		}
		got, why := j.Decide(c.asked, c.card)
		if got != c.want || !strings.Contains(why, c.why) {
			t.Errorf("%s: %+v, want %+v; %q", c.what, got, c.want, why)
		}
		if err := j.CheckMethod(got); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	// γ: the copies grow fewer with the buckets.
	last := 32
	f, err := Compile("abs(a.x-b.x)", Schema{})
	if err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`in (\d+) copies`)
	for _, bins := range []int{1, 20, 50, 100, 300, 2000, 20_000} {
		j := &Job{Function: f, Reduction: Histogram, Edges: make([]float64, bins+1), Self: true}
		_, why := j.Decide(Method{}, Volta)
		copies := 1
		if m := said.FindStringSubmatch(why); m != nil {
			copies, _ = strconv.Atoi(m[1])
		}
		if copies > last || bins == 1 && copies != 32 {
			t.Errorf("%d buckets have %d copies, fewer had %d", bins, copies, last)
		}
		last = copies
	}
	if last != 1 {
		t.Errorf("20,000 buckets have %d copies", last)
	}
}
