// Skybench runs one job of the comparison in bench/table.py on an .npy
// file and prints a line that the peers print too. It is a measuring tool: the
// command for users is cmd/cluster.
//
//	skybench FILE.npy count|table|pairs|knn|dbscan|dbscan+pairs|tree|hdbscan|bins|sdh EPS|K THREADS [MINPTS] [ALGORITHM] [SIDE]
//
// SIDE is that of a periodic box, of joins and of knn; 0 is none.
//
// A table has all neighbours of every row, pairs has each pair once; dbscan+pairs
// also counts all pairs, as cluster dbscan does. A tree is the spanning tree and the
// dendrogram of HDBSCAN* with min-samples K; hdbscan finds clusters in it, too, of at
// least MINPTS rows. Tables and pairs are made twice,
// the second time in the memory of the first ("again"). SKYBENCH_PROFILE names a file
// for a profile of the processor's time.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"syscall"
	"time"

	"skyjoin/dbscan"
	"skyjoin/hdbscan"
	"skyjoin/internal/each"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "skybench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 4 {
		return fmt.Errorf("usage: skybench FILE.npy count|table|pairs|knn|dbscan|dbscan+pairs|tree|hdbscan|bins|sdh EPS|K THREADS [MINPTS] [ALGORITHM] [SIDE]")
	}
	cols, err := readNPY(args[0])
	if err != nil {
		return err
	}
	runtime.GC()
	arg, err := strconv.ParseFloat(args[2], 64)
	if err != nil {
		return err
	}
	threads, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(threads)
	minPoints, algorithm := 10.0, neighbors.Auto
	if len(args) > 4 {
		if minPoints, err = strconv.ParseFloat(args[4], 64); err != nil {
			return err
		}
	}
	if len(args) > 5 {
		algorithm = neighbors.Algorithm(args[5])
	}
	metric := neighbors.Euclidean()
	if len(args) > 6 {
		side, err := strconv.ParseFloat(args[6], 64)
		if err != nil {
			return err
		}
		if side > 0 {
			metric = neighbors.Periodic(slices.Repeat([]float64{side}, len(cols))...)
		}
	}
	points, err := neighbors.NewPoints(cols...)
	if err != nil {
		return err
	}
	j := neighbors.CPU{Threads: threads, Algorithm: algorithm}
	ctx := context.Background()
	if path := os.Getenv("SKYBENCH_PROFILE"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		runtime.SetCPUProfileRate(2000)
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	job, ok := jobs(ctx, j, neighbors.Input{Query: points, Metric: metric, Threads: threads}, arg, minPoints)[args[1]]
	if !ok {
		return fmt.Errorf("job %q", args[1])
	}
	wall, cpu := time.Now(), cpuSeconds()
	check, err := job()
	if err != nil {
		return err
	}
	out := map[string]any{"wall": time.Since(wall).Seconds(), "cpu": cpuSeconds() - cpu, "mb": peakMB(), "check": check}
	if args[1] == "table" || args[1] == "pairs" {
		wall, cpu := time.Now(), cpuSeconds()
		if again, err := job(); err != nil || again != check {
			return fmt.Errorf("a second time: %s instead of %s, %v", again, check, err)
		}
		out["again"], out["cpu again"] = time.Since(wall).Seconds(), cpuSeconds()-cpu
	}
	if fraction, ok := looks[args[1]]; ok {
		all, err := candidates(ctx, j, neighbors.Input{Query: points, Metric: metric, Threads: threads}, arg)
		if err != nil {
			return err
		}
		out["candidates"], out["dim"] = float64(all)*fraction, len(cols)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// looks holds the jobs that compare all candidates, and how many times each of
// an ordered pair of rows: a half where a pair is looked at once.
var looks = map[string]float64{"count": .5, "pairs": .5, "bins": .5, "table": 1}

// candidates returns how many ordered pairs the cells of a join leave to compare.
func candidates(ctx context.Context, j neighbors.CPU, in neighbors.Input, eps float64) (int64, error) {
	p, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: eps})
	if err != nil {
		return 0, err
	}
	return j.Candidates(ctx, p)
}

// jobs returns every job, each of which returns what its answer is checked by.
func jobs(ctx context.Context, j neighbors.CPU, in neighbors.Input, arg, minPoints float64) map[string]func() (string, error) {
	var memory neighbors.Gatherer
	return map[string]func() (string, error){
		"count": func() (string, error) { return count(ctx, j, in, arg) },
		"table": func() (string, error) { return table(ctx, j, in, arg, memory.Gather) },
		"pairs": func() (string, error) { return table(ctx, j, in, arg, memory.GatherPairs) },
		"knn":   func() (string, error) { return knn(ctx, j, in, int(arg)) },
		// 20 logarithmic bins up to the radius.
		"bins": func() (string, error) {
			return bins(ctx, in, func() (stats2b.Bins, error) { return stats2b.LogBins(arg/50, arg, 20) })
		},
		// 100 bins of all pairs.
		"sdh": func() (string, error) {
			return bins(ctx, in, func() (stats2b.Bins, error) { return stats2b.LinearBins(0, arg, 100) })
		},
		"tree":         func() (string, error) { return density(ctx, j, in, arg, 0) },
		"hdbscan":      func() (string, error) { return density(ctx, j, in, arg, minPoints) },
		"dbscan":       func() (string, error) { return cluster(ctx, j, in, arg, minPoints, true) },
		"dbscan+pairs": func() (string, error) { return cluster(ctx, j, in, arg, minPoints, false) },
	}
}

// density is HDBSCAN* up to the clusters of at least size rows; 0 is the tree alone.
func density(ctx context.Context, j neighbors.CPU, in neighbors.Input, samples, size float64) (string, error) {
	tree, err := hdbscan.Build(ctx, in.Query, in.Metric, hdbscan.Options{MinSamples: samples, Joiner: j, Threads: in.Threads})
	if err != nil {
		return "", err
	}
	if size == 0 {
		nodes, _ := tree.Nodes()
		return fmt.Sprintf("%d merges", nodes), nil
	}
	c, err := tree.Condense(size)
	if err != nil {
		return "", err
	}
	k, err := c.Select(hdbscan.Selection{})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d clusters, %d noise", k.Clusters(), k.NoiseCount), nil
}

func count(ctx context.Context, j neighbors.CPU, in neighbors.Input, eps float64) (string, error) {
	p, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: eps})
	if err != nil {
		return "", err
	}
	counts := make([]int64, in.Query.Len())
	if err := j.Count(ctx, p, p.Work(), counts); err != nil {
		return "", err
	}
	var sum int64
	for _, c := range counts {
		sum += c
	}
	return fmt.Sprint(sum), nil
}

// bins counts pairs by distance: all of them, those in the first bin, and those
// in the last.
func bins(ctx context.Context, in neighbors.Input, make func() (stats2b.Bins, error)) (string, error) {
	b, err := make()
	if err != nil {
		return "", err
	}
	c, err := stats2b.Count(ctx, &stats2b.Sample{Points: in.Query}, nil, in.Metric, b, stats2b.Options{Threads: in.Threads})
	if err != nil {
		return "", err
	}
	var sum uint64
	for _, n := range c.Pairs {
		sum += n
	}
	return fmt.Sprintf("%d %d %d", sum, c.Pairs[0], c.Pairs[len(c.Pairs)-1]), nil
}

// table keeps every list: of all neighbours, or of each pair once.
func table(ctx context.Context, j neighbors.CPU, in neighbors.Input, eps float64, gather func(context.Context, neighbors.Joiner, *neighbors.Plan, int64) ([]neighbors.Batch, error)) (string, error) {
	p, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: eps})
	if err != nil {
		return "", err
	}
	batches, err := gather(ctx, j, p, 0)
	if err != nil {
		return "", err
	}
	var sum int
	for _, b := range batches {
		sum += len(b.Index)
	}
	return fmt.Sprint(sum), nil
}

func knn(ctx context.Context, j neighbors.CPU, in neighbors.Input, k int) (string, error) {
	p, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: k})
	if err != nil {
		return "", err
	}
	sums := make([]float64, j.Workers()*8)
	err = j.Visit(ctx, p, p.Work(), func(worker int, b *neighbors.Batch) error {
		for i := range b.Rows {
			sums[worker*8] += b.Dist[b.Offset[i+1]-1]
		}
		return nil
	})
	var sum float64
	for _, s := range sums {
		sum += s
	}
	return fmt.Sprintf("%.6f", sum), err
}

func cluster(ctx context.Context, j neighbors.CPU, in neighbors.Input, eps, minPoints float64, skip bool) (string, error) {
	r, err := dbscan.Run(ctx, in.Query, in.Metric, eps, dbscan.Options{MinPoints: minPoints, SkipPairs: skip, Joiner: j, Threads: j.Threads})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d clusters, %d noise, %d core", r.Clusters(), r.NoiseCount, r.CoreCount), nil
}

func cpuSeconds() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)*1e-6
}

func peakMB() int64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Maxrss / 1024
}

var shape = regexp.MustCompile(`'shape': \((\d+), (\d+)\)`)

// readNPY reads a float64, C-ordered, two-dimensional .npy file by column.
func readNPY(path string) ([]neighbors.Column, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	head := make([]byte, 10)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	text := make([]byte, binary.LittleEndian.Uint16(head[8:]))
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	m := shape.FindSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%s: not a matrix", path)
	}
	n, _ := strconv.Atoi(string(m[1]))
	dim, _ := strconv.Atoi(string(m[2]))
	cols := each.To(dim, func(j int) []float64 { return make([]float64, n) })
	row := make([]byte, 8*dim)
	for i := range n {
		if _, err := io.ReadFull(r, row); err != nil {
			return nil, err
		}
		for j := range cols {
			cols[j][i] = math.Float64frombits(binary.LittleEndian.Uint64(row[8*j:]))
		}
	}
	out := each.To(dim, func(j int) neighbors.Column { return neighbors.Float64s(cols[j]) })
	return out, nil
}
