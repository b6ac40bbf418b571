package published

import (
	"fmt"
	"math"

	"skyjoin/gpu"
	"skyjoin/internal/costmodel"
	"skyjoin/neighbors"
)

// gpusj is Gowanlock and Karsin, Accelerating the Similarity Self-Join Using the GPU
// (2019).
var gpusj = Paper{
	Number: "001",
	Title:  "Gowanlock & Karsin, Accelerating the Similarity Self-Join Using the GPU (JPDC 2019)",
	Tables: []*Table{
		&batchSizes, &registers, &advisedBatches,
		compare(Table{Name: "Figure 4", Title: "without and with each way to leave out duplicates, 10 million points", Differs: selfTimes, X: "ε"},
			[]way{kernels("all cells", selfFull), kernels("LINEARCOORD", selfLinear), kernels("UNICOMP", selfUnicomp)},
			lines(radii([]set{unif(2, 10, .8), unif(3, 10, 1), unif(4, 10, 4), unif(5, 10, 6), unif(6, 10, 8)}, .5, 1)...)...),
		&egoThreads,
		compare(Table{Name: "Figure 6", Title: "times by radius, on data that stand in for real ones", Differs: selfTimes + " Long tracks stand in for SW, positions on the whole sky for SDSS, at the least and the largest numbers of neighbours of the paper.", X: "S"},
			selfWays, lines(
				set{kind: "tracks", dim: 2, rows: 1_864_620, mean: 296, as: "SW2DA"}, set{kind: "tracks", dim: 2, rows: 1_864_620, mean: 5800, as: "SW2DA"},
				set{kind: "tracks", dim: 2, rows: 5_159_737, mean: 92, as: "SW2DB"}, set{kind: "tracks", dim: 2, rows: 5_159_737, mean: 2000, as: "SW2DB"},
				set{kind: "sphere", dim: 2, rows: 2_000_000, mean: 36, as: "SDSS2DA"}, set{kind: "sphere", dim: 2, rows: 2_000_000, mean: 851, as: "SDSS2DA"},
				set{kind: "sphere", dim: 2, rows: 15_228_633, mean: 2, as: "SDSS2DB"}, set{kind: "sphere", dim: 2, rows: 15_228_633, mean: 33, as: "SDSS2DB"})...),
		compare(Table{Name: "Figure 7", Title: "times by radius, 2 million points", Differs: selfTimes + selfSpeedups, X: "ε"}, selfWays,
			lines(radii([]set{unif(2, 2, 1), unif(3, 2, 1), unif(4, 2, 8), unif(5, 2, 8), unif(6, 2, 8)}, .2, .6, 1)...)...),
		compare(Table{Name: "Figure 8", Title: "times by radius, 10 million points", Differs: selfTimes + selfSpeedups, X: "ε"}, selfWays,
			lines(radii([]set{unif(2, 10, .5), unif(3, 10, .5), unif(4, 10, 4), unif(5, 10, 4), unif(6, 10, 4)}, .2, .6, 1)...)...),
		compare(Table{Name: "Figure 9", Title: "exponential data, and Figure 11 of them", Differs: selfTimes + " Published speedups over SUPER-EGO, 16 threads, are 1.72 to 2.94 in 2-D, 2.35 to 2.86 in 6-D.", X: "ε"},
			[]way{kernels("UNICOMP", selfUnicomp), rival("SUPER-EGO", neighbors.SuperEGO), speedup("over SUPER-EGO", 1, 0, true)},
			lines(radii([]set{expo(2, 2, .0012), expo(6, 2, .01)}, 1.0/3, 2.0/3, 1)...)...),
		compare(Table{Name: "Figure 13", Title: "float64 over float32, UNICOMP", Differs: "Times of the kernel that counts; the paper has whole joins, and ratios up to 1.2. Pairs at about the radius may be told otherwise in float32: their part of all is the last column.", X: "ε"},
			[]way{precisions()}, lines(radii([]set{unif(2, 2, 1), unif(3, 2, 1), unif(4, 2, 8), unif(5, 2, 8), unif(6, 2, 8), expo(2, 2, .0012), expo(6, 2, .01)}, .4, 1)...)...),
	},
	Not: []Lack{
		{"Table 4, achieved occupancy; Table 5, cache bandwidth", "counters of the card, which `bench/counters.sh` reads by ncu where that is allowed"},
		{"Table 5, SW2DA and SDSS2DA; Fig. 6, SW3D", "the data are not to be had; SW in 3-D has no stand-in"},
		{"Fig. 5, ColorHist", "32 dimensions; plans of joins by SUPER-EGO have up to 8 here"},
		{"Figs. 10–12", "ratios of the columns of Figs. 6 to 9, which have them"},
		{"Figs. 14–17", "SW2DA is not to be had; Table 6 has the model on other data"},
	},
}

var (
	selfFull    = gpu.Config{Pattern: gpu.PatternFull, Batch: selfBatch}
	selfUnicomp = gpu.Config{Pattern: gpu.PatternUnicomp, Batch: selfBatch}
	selfLinear  = gpu.Config{Pattern: gpu.PatternLIDUnicomp, Batch: selfBatch}
)

// selfBatch is b_s.
const selfBatch = 50_000_000

const (
	selfTimes    = "Times are of whole joins of float64, lists brought to the host and dropped, index included, which the paper leaves out; SUPER-EGO has all threads."
	selfSpeedups = " The paper has means over all its data of 26.9 over CPU-RTREE, at most 125, and 2.39 over SUPER-EGO of 32 threads in float32; UNICOMP up to 2.47."
)

// selfWays are the columns of Figures 6 to 8, and of 10 to 12, which follow from them.
var selfWays = []way{
	kernels("all cells", selfFull), kernels("UNICOMP", selfUnicomp), bruteForce(), rival("SUPER-EGO", neighbors.SuperEGO), sequential("CPU-RTREE"),
	speedup("UNICOMP over all cells", 0, 1, true), speedup("over SUPER-EGO", 3, 1, true), speedup("over CPU-RTREE", 4, 1, true),
}

// bruteForce is the time of a kernel that compares all points, without the transfer of
// what it finds.
func bruteForce() way {
	return one("brute force, s", true, 2, func(b *bench, s *subject) (took float64, err error) {
		err = b.on(gpu.Config{Pattern: gpu.PatternBrute}, func(j *gpu.Joiner) error {
			p, err := b.plan(s)
			if err != nil {
				return err
			}
			took, err = seconds(func() error { return neighbors.Count(b.ctx, j, p, p.Work(), make([]int64, p.Len())) })
			return err
		})
		return took, err
	})
}

// precisions are Fig. 13.
func precisions() way {
	return way{[]Column{{"float64, s", 1, true}, {"float32, s", 1, true}, {"ratio", 0, true}, {"told otherwise", 0, true}}, func(b *bench, s *subject, _ []float64) (v []float64, err error) {
		err = b.on(selfUnicomp, func(j *gpu.Joiner) error {
			p, err := b.plan(s)
			if err != nil {
				return err
			}
			took, found, err := single(j, p)
			v = []float64{took[0], took[1], took[0] / took[1], math.Abs(float64(found[1])-float64(found[0])) / max(float64(found[0]), 1)}
			return err
		})
		return v, err
	}}
}

// batchSizes is Table 4.
var batchSizes = Table{
	Name:    "Table 4",
	Title:   "sizes of batches, Expo2D2M, ε = 0.0004, UNICOMP",
	Differs: "Times of whole joins. " + pinnedDiffers,
	Columns: []Column{{"s", 1, true}},
	rows: []row{
		batched(50_000_000, 3, 2.07), batched(100_000_000, 3, 2.71), batched(200_000_000, 3, 4.01), batched(300_000_000, 3, 5.07), batched(900_000_000, 1, 6.3),
	},
}

const pinnedDiffers = "Buffers are kept between joins here, so that of several runs only the first allocates pinned memory, which is what large batches cost in the paper."

func batched(size, streams int, published float64) row {
	return row{label: fmt.Sprintf("b_s %d, %d streams", size, streams), published: []float64{published}, measure: func(b *bench) ([]float64, error) {
		s, err := b.subject(expo(2, 2, .0004))
		if err != nil {
			return nil, err
		}
		most := max(int(float64(size)*b.scale), 1)
		return measureWays(b, s, []way{kernels("", gpu.Config{Pattern: gpu.PatternUnicomp, Batch: most, Streams: streams})})
	}}
}

// registers is Table 5 as far as it needs no counters.
var registers = Table{
	Name:    "Table 5",
	Title:   "UNICOMP beside the pattern of all cells",
	Differs: "One kernel carries out all patterns here, so that its registers, and what they allow, do not depend on the pattern; published occupancies are 62.5 % without UNICOMP and 50 with. " + selfTimes,
	Columns: []Column{{"ratio of times", 0, true}, {"theoretical occupancy, %", 0, true}},
	rows:    []row{compared(unif(5, 2, 8), 2.32, 50), compared(unif(6, 2, 8), 2.47, 50)},
}

func compared(s set, published ...float64) row {
	return row{label: s.name(), published: published, measure: func(b *bench) ([]float64, error) {
		data, err := b.subject(s)
		if err != nil {
			return nil, err
		}
		filled := one("", true, 0, func(b *bench, s *subject) (part float64, err error) {
			err = b.on(selfUnicomp, func(j *gpu.Joiner) error {
				part, err = occupancy(j, fmt.Sprintf("pattern_pairs_%d", s.dim), 256)
				return err
			})
			return 100 * part, err
		})
		v, err := measureWays(b, data, []way{kernels("", selfFull), kernels("", selfUnicomp), speedup("", 0, 1, true), filled})
		if err != nil {
			return nil, err
		}
		return v[2:], nil
	}}
}

// advisedBatches is Table 6, on other data.
var advisedBatches = Table{
	Name:    "Table 6",
	Title:   "the size of batches that the model advises, and the best of those tried",
	Differs: "The paper has SW2DA, which is not to be had, and slowdowns of .987 to 1 there; here uniform and exponential data, calibrated at the first radius by two sizes. A slowdown is the best time over that of the model's choice. " + pinnedDiffers,
	Columns: []Column{{"advised b_s", 1, true}, {"best b_s of those tried", 1, true}, {"slowdown", 0, true}},
	rows: []row{
		advised(expo(2, 2, 1.4e-4), 1), advised(expo(2, 2, 1.4e-4), 1.4), advised(unif(2, 2, .2), 1), advised(unif(2, 2, .2), 1.5), advised(unif(3, 2, 1.4), 1), advised(unif(4, 2, 4), 1),
		advised(unif(5, 2, 8), 1), advised(unif(6, 2, 10), 1), advised(expo(6, 2, .006), 1),
	},
}

// triedBatches are the numbers of batches that are tried, about; the model is for a
// hundred at most.
var triedBatches = []int64{3, 6, 15, 40, 100}

// leastBatch is the least number of pairs of a batch.
const leastBatch = 1 << 10

func advised(s set, at float64) row {
	t := s
	t.radius = rounded(s.radius * at)
	return row{label: t.name(), measure: func(b *bench) ([]float64, error) {
		if !b.card {
			return []float64{none, none, none}, nil
		}
		reference, err := b.subject(s)
		if err != nil {
			return nil, err
		}
		other, err := b.subject(t)
		if err != nil {
			return nil, err
		}
		run := func(s *subject, batch int64, again bool) (r costmodel.Run, err error) {
			r.Batch = max(batch, leastBatch)
			err = b.on(gpu.Config{Pattern: gpu.PatternUnicomp, Batch: int(r.Batch)}, func(j *gpu.Joiner) error {
				once := func() (float64, error) {
					p, err := b.plan(s)
					if err != nil {
						return 0, err
					}
					found := 0
					took, err := seconds(func() error {
						for batch, err := range j.Join(b.ctx, p, p.Work()) {
							if err != nil {
								return err
							}
							found += len(batch.Index)
						}
						return nil
					})
					s.found = int64(found)
					return took, err
				}
				if r.First, err = once(); err == nil && again {
					r.Again, err = once()
				}
				return err
			})
			r.Batches = int(math.Ceil(float64(s.found) / float64(r.Batch)))
			return r, err
		}
		if _, err := run(reference, selfBatch, false); err != nil { // counts the neighbours
			return nil, err
		}
		large, err := run(reference, reference.found/5, true)
		if err != nil {
			return nil, err
		}
		small, err := run(reference, reference.found/50, true)
		if err != nil {
			return nil, err
		}
		m, err := costmodel.FitBatch(s.dim, b.radius(s), large, small)
		if err != nil {
			return []float64{none, none, none}, nil // too little to tell the two apart
		}
		if _, err := run(other, selfBatch, false); err != nil {
			return nil, err
		}
		choice := m.Best(b.radius(t), leastBatch, max(other.found, leastBatch), 3)
		there, err := run(other, choice, false)
		if err != nil {
			return nil, err
		}
		best := there
		for _, n := range triedBatches {
			r, err := run(other, other.found/n, false)
			if err != nil {
				return nil, err
			}
			if r.First < best.First {
				best = r
			}
		}
		return []float64{float64(there.Batch), float64(best.Batch), best.First / there.First}, nil
	}}
}

// egoThreads is Fig. 5.
var egoThreads = Table{
	Name:    "Figure 5",
	Title:   "scalability of SUPER-EGO",
	Differs: "Time to join by so many threads, without the sort, over that of all threads asked for of the machine: more threads than it has are not measured.",
	Columns: []Column{{"1 thread, s", 1, false}, {"all threads, s", 1, false}, {"speedup", 0, false}},
	rows:    []row{scaled(unif(2, 2, .4)), scaled(unif(3, 2, 1)), scaled(expo(2, 2, .0004)), scaled(expo(6, 2, .006))},
}

func scaled(s set) row {
	return row{label: s.name(), measure: func(b *bench) ([]float64, error) {
		data, err := b.subject(s)
		if err != nil {
			return nil, err
		}
		var took [2]float64
		for i, threads := range []int{1, b.threads} {
			j := neighbors.CPU{Threads: threads, Algorithm: neighbors.SuperEGO}
			p, err := b.plan(data)
			if err != nil {
				return nil, err
			}
			if err := neighbors.Index(b.ctx, j, p); err != nil {
				return nil, err
			}
			took[i], err = seconds(func() error {
				return neighbors.Visit(b.ctx, j, p, p.Work(), func(int, *neighbors.Batch) error { return nil })
			})
			if err != nil {
				return nil, err
			}
		}
		return []float64{took[0], took[1], took[0] / took[1]}, nil
	}}
}

// rounded leaves out what binary fractions add to a decimal one.
func rounded(v float64) float64 {
	digits := math.Pow(10, 3-math.Floor(math.Log10(v)))
	return math.Round(v*digits) / digits
}
