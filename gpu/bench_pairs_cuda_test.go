//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"skyjoin/gpu/kernels"
	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

// The results of Pitaksirianan, Nouri & Tu on a card, as Markdown tables; for
// sections, see below, or all of them but cards: SKYJOIN_PAIRS=tiling,output,….
func TestPairsOfThePaper(t *testing.T) {
	needCard(t)
	want := os.Getenv("SKYJOIN_PAIRS")
	j := openPairs(t)
	fmt.Printf("\n%s\n", j.ctx.Device.Name)
	for _, s := range []struct {
		name string
		run  func(*testing.T, *Joiner)
	}{
		{"sdh", benchSDH}, {"tiling", benchTilings}, {"output", benchOutputs}, {"copies", benchCopies}, {"balance", benchBalance},
		{"buffer", benchBuffer}, {"rdf", benchRDF}, {"generated", benchGenerated}, {"join", benchNestedLoop}, {"grid", benchGrid}, {"columns", benchColumns}, {"cards", benchCards},
	} {
		if want == "" && s.name != "cards" || strings.Contains(","+want+",", ","+s.name+",") {
			s.run(t, j)
		}
	}
}

func unifPoints(t testing.TB, n, dim int, seed uint64) *neighbors.Points {
	t.Helper()
	return publishedPoints(t, data{dim: dim, n: n, seed: seed})
}

// kernelTime is the time of the launches of a job without transfers.
func kernelTime(t testing.TB, j *Joiner, cfg Pairs, in neighbors.Input, squared []float64, mode int32) (seconds float64, w *withinWorker) {
	t.Helper()
	seconds, w, err := j.try(pairsTrial{cfg, mode}, in, squared)
	if err != nil {
		t.Fatal(err)
	}
	return seconds, w
}

func halfPairs(n int) float64 { return float64(n) * float64(n-1) / 2 }

func benchSDH(t *testing.T, j *Joiner) {
	fmt.Printf("\n| SDH 2M × 3-D, buckets | threads | copies | seconds, all in | seconds, kernel | pairs/s |\n|---|---|---|---|---|---|\n")
	p := unifPoints(t, 2_000_000, 3, 7)
	for _, bins := range []int{64, 500} {
		for _, threads := range []int{0, 256} {
			squared := squaredEdges(t, linearEdges(0, 174, bins)...)
			j.cfg.Pairs = Pairs{threads: threads, Tiling: TilingShared}
			start := time.Now()
			counts, err := j.BinPairs(context.Background(), neighbors.Input{Query: p}, squared)
			if err != nil {
				t.Fatal(err)
			}
			all := time.Since(start).Seconds()
			sum := uint64(0)
			for _, n := range counts {
				sum += n
			}
			if sum != uint64(halfPairs(p.Len())) {
				t.Errorf("%d pairs in all", sum)
			}
			s, w := kernelTime(t, j, j.cfg.Pairs, neighbors.Input{Query: p}, squared, pairsHalf)
			fmt.Printf("| %d | %d | %d | %.3f | %.3f | %.3g |\n", bins, threads, w.p.Copies, all, s, halfPairs(p.Len())/s)
		}
	}
}

// Kernels of so many columns beside those of any number.
func benchColumns(t *testing.T, j *Joiner) {
	n := benchSizes(t, 512<<10)[0]
	fmt.Printf("\n| SDH, %d points, 100 buckets, columns | of any number, s | their own, s | gain |\n|---|---|---|---|\n", n)
	own := ownKernels
	defer func() { ownKernels = own }()
	for dim := 2; dim <= 6; dim++ {
		in := neighbors.Input{Query: unifPoints(t, n, dim, 7)}
		squared := squaredEdges(t, linearEdges(0, 100*math.Sqrt(float64(dim)), 100)...)
		var s [2]float64
		for k, o := range []map[int]ownership{nil, own} {
			ownKernels = o
			s[k], _ = kernelTime(t, j, Pairs{}, in, squared, pairsHalf)
		}
		fmt.Printf("| %d | %.4f | %.4f | %.2f |\n", dim, s[0], s[1], s[0]/s[1])
	}
}

func benchTilings(t *testing.T, j *Joiner) {
	const n = 512 << 10
	fmt.Printf("\n| 2-PCF, %d points × 3-D | float32 + recheck, s | over naive | float64, s | over naive |\n|---|---|---|---|---|\n", n)
	in := neighbors.Input{Query: unifPoints(t, n, 3, 7)}
	var naive [2]float64
	for _, tiling := range []Tiling{TilingNaive, TilingBoth, TilingShared, TilingRoC, TilingShuffle} {
		var s [2]float64
		for k := range s {
			s[k], _ = kernelTime(t, j, Pairs{Tiling: tiling, Output: outputRegister, float64: k == 1}, in, []float64{100}, pairsHalf)
		}
		if tiling == TilingNaive {
			naive = s
		}
		fmt.Printf("| %s | %.4f | %.2f | %.4f | %.2f |\n", tiling, s[0], naive[0]/s[0], s[1], naive[1]/s[1])
	}
}

func benchOutputs(t *testing.T, j *Joiner) {
	const n = 64 << 10
	in := neighbors.Input{Query: unifPoints(t, n, 3, 7)}
	for _, bins := range []int{64, 500} {
		squared := squaredEdges(t, linearEdges(0, 174, bins)...)
		fmt.Printf("\n| SDH, %d points × 3-D, %d buckets | global atomics, s | one copy a block, s | copies by lane, s | privatization |\n|---|---|---|---|---|\n", n, bins)
		for _, tiling := range []Tiling{TilingNaive, TilingBoth, TilingShared, TilingRoC, TilingShuffle} {
			var s [3]float64
			for k, output := range []Output{OutputGlobal, OutputBlock, OutputLanes} {
				s[k], _ = kernelTime(t, j, Pairs{Tiling: tiling, Output: output}, in, squared, pairsHalf)
			}
			fmt.Printf("| %s | %.4f | %.4f | %.4f | %.1f |\n", tiling, s[0], s[1], s[2], s[0]/s[2])
		}
	}
}

func benchCopies(t *testing.T, j *Joiner) {
	const n = 256 << 10
	fmt.Printf("\n| buckets (SDH, %d points × 3-D) | 1 copy, ms | 2 | 4 | 8 | 16 | 32 | the model's choice | over the best |\n|---|---|---|---|---|---|---|---|---|\n", n)
	in := neighbors.Input{Query: unifPoints(t, n, 3, 7)}
	for _, bins := range []int{1, 2, 5, 10, 20, 35, 50, 65, 92, 120, 152, 200, 250, 300, 400, 450, 500, 600} {
		squared := squaredEdges(t, linearEdges(0, 174, bins)...)
		var ms []float64
		best := 0.0
		row := fmt.Sprintf("| %d ", bins)
		for copies := 1; copies <= 32; copies *= 2 {
			s, _ := kernelTime(t, j, Pairs{copies: copies}, in, squared, pairsHalf)
			ms = append(ms, s*1e3)
			if best == 0 || s*1e3 < best {
				best = s * 1e3
			}
			row += fmt.Sprintf("| %.2f ", s*1e3)
		}
		_, w := kernelTime(t, j, Pairs{}, in, squared, pairsHalf)
		chosen := 0
		for 1<<chosen < int(w.p.Copies) {
			chosen++
		}
		fmt.Printf("%s| %d | %.3f |\n", row, w.p.Copies, ms[chosen]/best)
	}
}

func benchBalance(t *testing.T, j *Joiner) {
	const n = 2 << 20
	fmt.Printf("\n| pairs inside blocks, %d points × 3-D, 500 buckets | unbalanced, ms | balanced, ms | gain |\n|---|---|---|---|\n", n)
	in := neighbors.Input{Query: unifPoints(t, n, 3, 7)}
	squared := squaredEdges(t, linearEdges(0, 174, 500)...)
	for _, threads := range []int{64, 256, 512} {
		var s [2]float64
		for k := range s {
			s[k], _ = kernelTime(t, j, Pairs{unbalanced: k == 0, threads: threads}, in, squared, 3)
		}
		fmt.Printf("| %d threads | %.3f | %.3f | %.1f %% |\n", threads, s[0]*1e3, s[1]*1e3, 100*(s[0]/s[1]-1))
	}
}

func benchBuffer(t *testing.T, j *Joiner) {
	fmt.Printf("\n| item similarity × 3-D, points | pairs | two passes, s | direct buffer, s | gain |\n|---|---|---|---|---|\n")
	for _, n := range benchSizes(t, 500_000, 1_000_000, 2_000_000) {
		in := neighbors.Input{Query: unifPoints(t, n, 3, 7)}
		radius2 := 0.0
		for r := 0.01; ; r *= 1.01 { // about 4 million pairs of uniform points
			if halfPairs(n)*4.18879*r*r*r/1e6 > 4e6 {
				radius2 = r * r
				break
			}
		}
		var s [2]float64
		var found int
		for k, output := range []Output{outputTwoPass, outputBuffer} {
			var w *withinWorker
			s[k], w = kernelTime(t, j, Pairs{Output: output}, in, []float64{radius2}, pairsHalf)
			found = len(w.found)
		}
		fmt.Printf("| %d | %d | %.3f | %.3f | %.2f |\n", n, found, s[0], s[1], s[0]/s[1])
	}
}

func benchRDF(t *testing.T, j *Joiner) {
	const n = 1_000_000
	fmt.Printf("\n| RDF, %d × %d points, box | buckets | copies | seconds | pairs/s |\n|---|---|---|---|---|\n", n, n)
	in := neighbors.Input{Query: unifPoints(t, n, 3, 7), Data: unifPoints(t, n, 3, 8)}
	for _, side := range []float64{0, 100} {
		if side > 0 {
			in.Metric = neighbors.Periodic(side, side, side)
		}
		for _, bins := range []int{50, 500} {
			squared := squaredEdges(t, linearEdges(0, 50, bins)...)
			s, w := kernelTime(t, j, Pairs{}, in, squared, pairsCross)
			fmt.Printf("| %s | %d | %d | %.3f | %.3g |\n", map[bool]string{true: "periodic", false: "open"}[side > 0], bins, w.p.Copies, s, n*n/s)
		}
	}
}

// benchSizes returns the sizes, or the one of SKYJOIN_PAIRS_POINTS.
func benchSizes(t *testing.T, sizes ...int) []int {
	text := os.Getenv("SKYJOIN_PAIRS_POINTS")
	if text == "" {
		return sizes
	}
	n := 0
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Fatal(err)
	}
	return []int{n}
}

// benchCards runs SKYJOIN_PAIRS_CARDS, a list of BUCKETS:CARDS.
func benchCards(t *testing.T, _ *Joiner) {
	runs := os.Getenv("SKYJOIN_PAIRS_CARDS")
	if runs == "" {
		runs = "500:1,500:2,500:4"
	}
	n := benchSizes(t, 20_000_000)[0]
	fmt.Printf("\n| SDH, %d points × 3-D, buckets | GPUs | seconds, all in | pairs/s | times the cards of the first of these buckets |\n|---|---|---|---|---|\n", n)
	in := neighbors.Input{Query: unifPoints(t, n, 3, 7)}
	first := map[int]float64{} // seconds of all cards of the first run
	before := map[int][]uint64{}
	for run := range strings.SplitSeq(runs, ",") {
		var bins, k int
		if _, err := fmt.Sscanf(run, "%d:%d", &bins, &k); err != nil {
			t.Fatalf("%q is not BUCKETS:CARDS", run)
		}
		var devices []int
		for d := range k {
			devices = append(devices, d)
		}
		cards, err := OpenCards(Config{Devices: devices})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		counts, err := cards.BinPairs(context.Background(), in, squaredEdges(t, linearEdges(0, 174, bins)...))
		if err != nil {
			t.Fatal(err)
		}
		s := time.Since(start).Seconds()
		if err := cards.Close(); err != nil {
			t.Error(err)
		}
		sum := uint64(0)
		for _, c := range counts {
			sum += c
		}
		if old, ok := before[bins]; sum != uint64(n)*uint64(n-1)/2 || ok && !slices.Equal(old, counts) {
			t.Errorf("%d buckets on %d GPUs: %d pairs, or not those of the run before", bins, k, sum)
		}
		before[bins] = counts
		if first[bins] == 0 {
			first[bins] = s * float64(k)
		}
		fmt.Printf("| %d | %d | %.2f | %.3g | %.3f |\n", bins, k, s, halfPairs(n)/s, s*float64(k)/first[bins])
	}
}

// handWritten are pair functions as one would write them, with the expressions
// that generate the same.
var handWritten = []struct {
	src, body string
	edges     []float64
}{
	{"sqrt(dx*dx+dy*dy+dz*dz)", "double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2]; return sqrt(x * x + y * y + z * z);", linearEdges(0, 174, 100)},
	{"abs(a.z-b.z)", "return fabs(a[0] - b[0]);", linearEdges(0, 100, 100)},
	{"1 - dot(a,b)/(norm(a)*norm(b))", "return 1 - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (a[3] * b[3]);", linearEdges(0, 1, 100)},
}

func benchGenerated(t *testing.T, j *Joiner) {
	const n = 256 << 10
	fmt.Printf("\n| generated kernels, histogram of %d rows in 100 bins | hand-written, s | generated, s | ratio |\n|---|---|---|---|\n", n)
	for _, h := range handWritten {
		job := functionJob(t, h.src, n, 0, pairfunc.Histogram)
		job.Edges = h.edges
		s := &functionRun{job: job, r: &pairfunc.Result{}, partPairs: [][]partPair{{{0, n, 0, n, pairsHalf}}}}
		s.a, s.b = job.RowColumns()
		s.histogramTables()
		name := job.KernelName(s.method, "shared")
		source := job.CUDA(s.method, kernels.Common, kernels.Pairs)
		from := strings.Index(source, "value(const double")
		open := from + strings.Index(source[from:], "{")
		end := open + strings.Index(source[open:], "\n\t}")
		hand := strings.ReplaceAll(source[:open]+"{ "+h.body+source[end:], "pair_", "hand_")
		for _, text := range []string{source, hand} {
			if err := j.ctx.Compile(text); err != nil {
				t.Fatal(err)
			}
		}
		var best [2]float64
		err := j.lanes[0].st.Do(func() error {
			w, err := s.worker(j.lanes[0])
			if err != nil {
				return err
			}
			defer w.end()
			if err := w.do(0); err != nil { // sets the copies
				return err
			}
			counters := (int(w.p.Bins) + 2) * int(w.p.Copies) * 4
			for range 3 {
				for k, kernel := range []string{strings.ReplaceAll(name, "pair_", "hand_"), name} {
					start := time.Now()
					if w.start(kernel, counters); w.sync() != nil {
						return w.err
					}
					if s := time.Since(start).Seconds(); best[k] == 0 || s < best[k] {
						best[k] = s
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("| %s | %.4f | %.4f | %.3f |\n", h.src, best[0], best[1], best[1]/best[0])
	}
}

func benchNestedLoop(t *testing.T, j *Joiner) {
	const n = 1 << 20
	fmt.Printf("\n| nested-loop join, %d × %d rows | pairs | seconds, all in | pairs met/s |\n|---|---|---|---|\n", n, n)
	for _, src := range []string{"abs(a.x - b.x) < 5e-5", "a.x < b.y and abs(a.z-b.z) < 2e-4"} {
		job := functionJob(t, src, n, n, pairfunc.Pairs)
		if _, err := j.Reduce(context.Background(), functionJob(t, src, 10, 10, pairfunc.Pairs), func(a, b []uint32) error { return nil }); err != nil {
			t.Fatal(err) // compiled beforehand
		}
		start := time.Now()
		r, err := j.Reduce(context.Background(), job, func(a, b []uint32) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		s := time.Since(start).Seconds()
		fmt.Printf("| %s | %d | %.3f | %.3g |\n", src, r.Count, s, n*n/s)
	}
	radius := 5e-5
	in := neighbors.Input{Query: unifPoints(t, n, 1, 7), Data: unifPoints(t, n, 1, 8)}
	for _, c := range []Pairs{{Tiling: TilingNaive, Output: outputBuffer, float64: true}, {Output: outputTwoPass, float64: true}, {Output: outputBuffer, float64: true}, {Output: outputBuffer}} {
		s, w := kernelTime(t, j, c, in, []float64{radius * radius}, pairsCross)
		fmt.Printf("| built in: tiling %q, output %q, float64 %v | %d | %.3f | %.3g |\n", c.Tiling, c.Output, c.float64, len(w.found), s, n*n/s)
	}
}

func benchGrid(t *testing.T, j *Joiner) {
	fmt.Printf("\n| pair counts, 20 log bins 0.1 to 5, side 100 | pairs | seconds, all in |\n|---|---|---|\n")
	for _, n := range []int{1_000_000, 4_000_000} {
		in := neighbors.Input{Query: unifPoints(t, n, 3, 7)}
		squared := squaredEdges(t, logEdges(0.1, 5, 20)...)
		j.cfg.Pairs = Pairs{}
		best, sum := 0.0, uint64(0)
		for range 3 {
			start := time.Now()
			counts, err := j.BinPairs(context.Background(), in, squared)
			if err != nil {
				t.Fatal(err)
			}
			if s := time.Since(start).Seconds(); best == 0 || s < best {
				best = s
			}
			sum = 0
			for _, k := range counts {
				sum += k
			}
		}
		fmt.Printf("| %d | %d | %.4f |\n", n, sum, best)
	}
}
