package published

import (
	"math"

	"skyjoin/gpu"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// twobody is Pitaksirianan, Nouri and Tu, Algorithms and Framework for Computing 2-Body
// Statistics on GPUs.
var twobody = Paper{
	Number: "002",
	Title:  "Pitaksirianan, Nouri & Tu, Algorithms and Framework for Computing 2-Body Statistics on GPUs",
	Tables: []*Table{
		compare(Table{Name: "Figure 11", Title: "loads of vectors, 2-PCF", Differs: pairTimes + " The paper has float2 5 % faster than single numbers with tiles in shared memory, 11 % through the read-only cache, and no gain from wider loads."},
			append(vectors("SHM", gpu.TilingShared), vectors("RoC", gpu.TilingRoC)...), pairLines(0, 512<<10, 2_000_000)...),
		compare(Table{Name: "Figure 12", Title: "tilings, 2-PCF", Differs: pairTimes + " The paper has speedups over the naive kernel of 3.9 on average for both tilings in shared memory, 3.3 for the read-only cache."},
			append(tilings("registers"), speedup("SHM-SHM over naive", 0, 1, true), speedup("Reg-SHM over naive", 0, 2, true), speedup("Reg-RoC over naive", 0, 3, true)), pairLines(0, 64<<10, 512<<10, 2_000_000)...),
		compare(Table{Name: "Figure 13", Title: "outputs, SDH of 500 buckets, over a CPU", Differs: pairTimes + " The paper has 13.48 for privatization in one copy a block (Reg-RoC-Out over Register-SHM), 12.05 for Naive-Out over Register-SHM, and 52 for Reg-RoC-Out over a CPU of six cores; the CPU has its vector instructions here, as GCC gave them to the paper's."},
			[]way{
				pairKernel("Register-SHM", gpu.TilingShared, gpu.OutputGlobal), pairKernel("Naive-Out", gpu.TilingNaive, gpu.OutputBlock), pairKernel("Reg-SHM-Out", gpu.TilingShared, gpu.OutputBlock),
				pairKernel("Reg-RoC-Out", gpu.TilingRoC, gpu.OutputBlock), allPairs(), speedup("privatization", 0, 3, true), speedup("Naive-Out over Register-SHM", 0, 1, true), speedup("Reg-RoC-Out over the CPU", 4, 3, true),
			}, pairLines(500, 64<<10, 512<<10)...),
		compare(Table{Name: "Figure 14", Title: "buckets, Reg-RoC-Out", Differs: pairTimes, X: "buckets"}, []way{pairKernel("Reg-RoC-Out", gpu.TilingRoC, gpu.OutputBlock)}, buckets(10, 50, 100, 500, 1000, 2000, 5000)...),
		compare(Table{Name: "Figure 15", Title: "copies of the histogram in a block, and the model's choice, Table 5", Differs: pairTimes + " In the paper 32 copies are best up to 10 buckets, 16 up to 35, 8 up to 92, 4 up to 152, 2 up to 300, and the model says 10, 30, 65, 150, 450.", X: "buckets"},
			append(copies(1, 2, 4, 8, 16, 32), chosenCopies()), buckets(5, 20, 50, 100, 200, 300, 600)...),
		compare(Table{Name: "Figure 16", Title: "item similarity, some 4 million pairs", Differs: pairTimes + " The paper has the two passes 23 times as fast as its CPU, and the direct buffer of pages 48 times. Places taken by warps are what default runs use."},
			[]way{similarity("two passes", "two-pass"), similarity("direct buffer", "paged"), similar(), similarity("places taken by warps", "buffer"), speedup("two passes over the CPU", 2, 0, true), speedup("direct buffer over the CPU", 2, 1, true), speedup("direct buffer over two passes", 0, 1, true)}, pairLines(0, 512<<10)...),
		compare(Table{Name: "Figure 17", Title: "pairs inside blocks, balanced", Differs: pairTimes + " The paper has a gain of 12 to 13 %."},
			[]way{inside("unbalanced", true), inside("balanced", false), speedup("speedup", 0, 1, true)}, line{pairSet(500, 2_000_000), []float64{none, none, 1.125}}),
		compare(Table{Name: "Figure 18", Title: "shuffled tiles, SDH of 500 buckets", Differs: pairTimes + " The paper has all three at almost the same time."},
			[]way{pairKernel("Shuffle", gpu.TilingShuffle, gpu.OutputBlock), pairKernel("Reg-SHM", gpu.TilingShared, gpu.OutputBlock), pairKernel("Reg-RoC", gpu.TilingRoC, gpu.OutputBlock)}, pairLines(500, 512<<10)...),
		&cards,
		compare(Table{Name: "Figure 20", Title: "RDF of two sets in a box", Differs: pairTimes + " The paper has 1.88 times the speed of VMD with 50 buckets and up to 1.18 with 500; VMD is a program of others, which is not run here."},
			[]way{radial()}, pairLines(50, 1_000_000)[0], pairLines(500, 1_000_000)[0]),
	},
	Not: []Lack{
		{"Tables 3, 4", "counters of the card, which `bench/counters.sh` reads by ncu where that is allowed"},
		{"Fig. 20, VMD; Fig. 21, the join of others", "programs that are not run here; `make bench-pairs` has our nested-loop join alone"},
	},
}

const pairTimes = "Uniform points in three dimensions. Times of kernels alone, the points being on the card; distances are found in float32 and again in float64 where that does not decide."

func pairSet(buckets, rows int) set {
	return set{kind: "uniform", dim: 3, rows: rows, buckets: buckets}
}

func pairLines(buckets int, rows ...int) (all []line) {
	for _, n := range rows {
		all = append(all, line{pairSet(buckets, n), nil})
	}
	return all
}

func buckets(counts ...int) (all []line) {
	for _, n := range counts {
		all = append(all, pairLines(n, 512_000)...)
	}
	return all
}

// squaredEdges are the thresholds of d² of the subject's buckets, which hold all pairs.
func (s *subject) squaredEdges() []float64 {
	edges := make([]float64, max(s.buckets, 1)+1)
	for i := range edges {
		edges[i] = kernel.SquaredEdge(diagonal * float64(i) / float64(len(edges)-1))
	}
	return edges
}

// diagonal is more than the largest distance in a cube of side 100.
const diagonal = 174

// A trial is how kernels over all pairs work beyond their tiling and output.
type trial struct {
	copies, threads, width int
	unbalanced, inside     bool
}

// pairTrial times kernels over all pairs.
func pairTrial(name string, tiling gpu.Tiling, output gpu.Output, t trial, squared func(*bench, *subject) []float64) way {
	return one(name+", s", true, 2, func(b *bench, s *subject) (took float64, err error) {
		err = b.on(gpu.Config{Pairs: gpu.Pairs{Tiling: tiling, Output: output}}, func(j *gpu.Joiner) error {
			took, _, _, err = pairSeconds(j, neighbors.Input{Query: s.points}, squared(b, s), t.copies, t.threads, t.width, t.unbalanced, t.inside)
			return err
		})
		return took, err
	})
}

func binned(_ *bench, s *subject) []float64 { return s.squaredEdges() }

// pairKernel times a histogram of the distances of all pairs.
func pairKernel(name string, tiling gpu.Tiling, output gpu.Output) way {
	return pairTrial(name, tiling, output, trial{}, binned)
}

// tilings time the tilings of the 2-PCF, whose radius holds most pairs.
func tilings(output gpu.Output) (all []way) {
	for _, t := range []struct {
		name   string
		tiling gpu.Tiling
	}{{"naive", gpu.TilingNaive}, {"SHM-SHM", gpu.TilingBoth}, {"Reg-SHM", gpu.TilingShared}, {"Reg-RoC", gpu.TilingRoC}} {
		all = append(all, pairTrial(t.name, t.tiling, output, trial{}, func(*bench, *subject) []float64 { return []float64{100 * 100} }))
	}
	return all
}

// vectors count pairs with loads of one to four numbers.
func vectors(name string, tiling gpu.Tiling) (all []way) {
	for width := 1; width <= 4; width++ {
		load := "float"
		if width > 1 {
			load += number(float64(width))
		}
		all = append(all, pairTrial(load+"-"+name, tiling, "registers", trial{width: width}, func(*bench, *subject) []float64 { return []float64{100 * 100} }))
	}
	return all
}

func copies(counts ...int) (all []way) {
	for _, n := range counts {
		all = append(all, pairTrial(map[bool]string{true: "1 copy", false: number(float64(n)) + " copies"}[n == 1], gpu.TilingShared, gpu.OutputLanes, trial{copies: n}, binned))
	}
	return all
}

// chosenCopies is what the model chooses.
func chosenCopies() way {
	return one("the model's choice", true, 0, func(b *bench, s *subject) (chosen float64, err error) {
		err = b.on(gpu.Config{}, func(j *gpu.Joiner) error {
			_, _, n, err := pairSeconds(j, neighbors.Input{Query: s.points}, s.squaredEdges(), 0, 0, 0, false, false)
			chosen = float64(n)
			return err
		})
		return chosen, err
	})
}

// similarity lists the pairs within a distance that some 4 million have.
func similarity(name string, output gpu.Output) way {
	return pairTrial(name, gpu.TilingShared, output, trial{}, func(b *bench, s *subject) []float64 {
		r := s.similar(b)
		return []float64{r * r}
	})
}

// similar is the distance of Fig. 16, by the volume of its ball.
func (s *subject) similar(b *bench) float64 {
	n := float64(s.points.Len())
	return math.Cbrt(4e6 * b.scale / (n * (n - 1) / 2) * 1e6 / (4 * math.Pi / 3))
}

// similar finds the same pairs by comparing all on the CPU.
func similar() way {
	return one("CPU, all pairs, s", false, 2, func(b *bench, s *subject) (float64, error) {
		t := *s
		t.query = neighbors.Within{Radius: s.similar(b)}
		return b.join(&t, b.cpu(neighbors.Scan), nil)
	})
}

func inside(name string, unbalanced bool) way {
	return pairTrial(name, gpu.TilingShared, gpu.OutputDefault, trial{threads: 256, unbalanced: unbalanced, inside: true}, binned)
}

// allPairs times a histogram of the distances of all pairs by all threads of the CPU,
// each with counters of its own.
func allPairs() way {
	return one("CPU, s", false, 2, func(b *bench, s *subject) (float64, error) {
		n := s.points.Len()
		p := &kernel.Points{Stride: (n+kernel.Slack)/8*8 + 8, N: n, Dim: s.dim}
		p.Data = make([]float64, s.dim*p.Stride+kernel.Slack)
		for k, c := range s.columns {
			copy(p.Data[k*p.Stride:], c.Float64)
		}
		bins, err := kernel.NewBins(s.squaredEdges())
		if err != nil {
			return 0, err
		}
		return seconds(func() error {
			par.Chunks(b.threads*pairChunks, n, func(_, lo, hi int) {
				h := kernel.NewHistogram(bins)
				kernel.Best().Hist(p, lo, hi, n, p, nil, h)
				h.Take(make([]uint64, bins.Len()))
			})
			return b.ctx.Err()
		})
	})
}

// pairChunks are the parts that a thread takes: earlier rows have more pairs.
const pairChunks = 16

// radial times the RDF of two sets in a periodic box.
func radial() way {
	return one("kernel, s", true, 2, func(b *bench, s *subject) (took float64, err error) {
		other, err := points(s.columns)
		if err != nil {
			return 0, err
		}
		in := neighbors.Input{Query: s.points, Data: other, Metric: neighbors.Periodic(100, 100, 100)}
		edges := make([]float64, s.buckets+1)
		for i := range edges {
			edges[i] = kernel.SquaredEdge(50 * float64(i) / float64(s.buckets))
		}
		err = b.on(gpu.Config{}, func(j *gpu.Joiner) error {
			took, _, _, err = pairSeconds(j, in, edges, 0, 0, 0, false, false)
			return err
		})
		return took, err
	})
}

// cards is Fig. 19.
var cards = Table{
	Name:    "Figure 19",
	Title:   "several GPUs, SDH of 500 buckets, 20 million points",
	Differs: "Times with transfers. As many GPUs as there are, up to eight.",
	Columns: []Column{{"1 GPU, s", 2, true}, {"n GPUs, s", 2, true}, {"speedup", 0, true}},
	rows:    []row{spread(2, 1.97), spread(4, 3.72), spread(8, 6.85)},
}

func spread(n int, published float64) row {
	return row{label: number(float64(n)) + " GPUs", published: []float64{none, none, published}, measure: func(b *bench) ([]float64, error) {
		there, err := gpu.Devices()
		if !b.card || err != nil || len(there) < n {
			return []float64{none, none, none}, nil
		}
		s, err := b.subject(pairSet(500, 20_000_000))
		if err != nil {
			return nil, err
		}
		var took [2]float64
		for i, count := range []int{1, n} {
			var cfg gpu.Config
			for d := range count {
				cfg.Devices = append(cfg.Devices, d)
			}
			all, err := gpu.OpenCards(cfg)
			if err != nil {
				return nil, err
			}
			took[i], err = seconds(func() error {
				_, err := all.BinPairs(b.ctx, neighbors.Input{Query: s.points}, s.squaredEdges())
				return err
			})
			if e := all.Close(); err == nil {
				err = e
			}
			if err != nil {
				return nil, err
			}
		}
		return []float64{took[0], took[1], took[0] / took[1]}, nil
	}}
}
