// Choice times every algorithm of the CPU that finds the neighbours within a
// radius beside the one that a plan chooses, over catalogs of several kinds,
// sizes and dimensions, and prints how many times the time of the best the
// choice takes. It is a measuring tool: the command for users is cmd/cluster.
//
//	choice -n 1000,10000,100000,1000000 -d 1-8 -s 1,10,100,1000 -o choice.csv
//
// The job is to count the neighbours of every row of a self-join. A time is wall
// seconds of a plan, its index and the counts, the least of several runs that the
// algorithms take in turns. What an algorithm takes longer for than three times
// the best so far is not waited for and written as ">" and the time that it was
// given; the answers of all that end must be equal.
//
// The cells go to the file as CSV, line by line; the same cells again are left
// out, so that a run can go on. Standard output has tables of the ratios as
// Markdown.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"time"

	"skyjoin/internal/mock"
	"skyjoin/neighbors"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "choice:", err)
		os.Exit(1)
	}
}

// options are what is measured, and how.
type options struct {
	kinds       []string
	rows        []int
	dims        []int
	mean        []int // neighbours of a row
	algorithms  []neighbors.Algorithm
	threads     int
	repeat      int
	limit, once time.Duration
	out         string
	part, parts int
	seed        uint64
}

func run(ctx context.Context, args []string, to io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	out, err := open(o.out, o.algorithms)
	if err != nil {
		return err
	}
	defer out.close()
	place := -1
	for _, kind := range o.kinds {
		for _, n := range o.rows {
			for _, d := range o.dims {
				if place++; place%o.parts != o.part {
					continue
				}
				if err := o.catalog(ctx, out, kind, n, d); err != nil {
					return err
				}
			}
		}
	}
	out.tables(to)
	return nil
}

// catalog measures all cells of a catalog.
func (o *options) catalog(ctx context.Context, out *table, kind string, n, d int) error {
	var points *neighbors.Points
	var columns [][]float64
	for _, s := range o.mean {
		c := cell{kind: kind, rows: n, dim: d, mean: s}
		if 2*s >= n || out.has(c) {
			continue
		}
		if points == nil {
			var err error
			if columns, err = generate(kind, n, d, o.seed); err != nil {
				return err
			}
			of := make([]neighbors.Column, d)
			for j := range of {
				of[j] = neighbors.Float64s(columns[j])
			}
			if points, err = neighbors.NewPoints(of...); err != nil {
				return err
			}
		}
		c.radius = radius(columns, s)
		if err := o.measure(ctx, points, &c); err != nil {
			return fmt.Errorf("%s, %d rows, %d dimensions, %d neighbours: %w", kind, n, d, s, err)
		}
		if err := out.add(c); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the coordinates of a mock catalog.
func generate(kind string, n, d int, seed uint64) ([][]float64, error) {
	c, err := mock.New(kind, mock.Options{Rows: int64(n), Dim: d, Seed: seed})
	if err != nil {
		return nil, err
	}
	columns := make([][]float64, d)
	const block = 1 << 16
	for lo := int64(0); lo < int64(n); lo += block {
		for j, col := range c.Fill(lo, min(lo+block, int64(n)))[:d] {
			columns[j] = append(columns[j], col.Float64...)
		}
	}
	return columns, nil
}

// parse reads the command line.
func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("choice", flag.ContinueOnError)
	kinds := f.String("data", "uniform,expo,clumps", "kinds of catalogs, as of cluster gen")
	rows := f.String("n", "1000,10000,100000", "rows")
	dims := f.String("d", "1-8", "dimensions")
	mean := f.String("s", "1,10,100,1000", "mean numbers of neighbours; those of half of the rows or more are left out")
	names := f.String("algorithms", "grid,kdtree,newsuperego,superego,rtree,brute", "what is timed beside the choice")
	f.IntVar(&o.threads, "threads", 1, "threads of every join")
	f.IntVar(&o.repeat, "repeat", 3, "runs of each algorithm at least, unless -once is over; of short ones more")
	f.DurationVar(&o.limit, "limit", 5*time.Second, "time that one run may take")
	f.DurationVar(&o.once, "once", time.Second, "time for the runs of an algorithm in one cell, after the first")
	f.StringVar(&o.out, "o", "choice.csv", "file of the cells")
	part := f.String("part", "0/1", "which part of the catalogs, of how many: for several processes with files of their own")
	f.Uint64Var(&o.seed, "seed", 1, "of the catalogs")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected %q", f.Arg(0))
	}
	o.kinds = strings.Split(*kinds, ",")
	for _, list := range []struct {
		name, text string
		to         *[]int
	}{{"n", *rows, &o.rows}, {"d", *dims, &o.dims}, {"s", *mean, &o.mean}} {
		var err error
		if *list.to, err = numbers(list.text); err != nil {
			return nil, fmt.Errorf("-%s: %w", list.name, err)
		}
	}
	o.algorithms = []neighbors.Algorithm{neighbors.Auto}
	for _, name := range strings.Split(*names, ",") {
		a, err := neighbors.ParseAlgorithm(name)
		if err != nil {
			return nil, err
		}
		o.algorithms = append(o.algorithms, a)
	}
	if _, err := fmt.Sscanf(*part, "%d/%d", &o.part, &o.parts); err != nil || o.part < 0 || o.part >= o.parts {
		return nil, fmt.Errorf("-part %q, it must be as 0/4", *part)
	}
	return o, nil
}

// numbers reads a list such as 1,3-5 or 1000,1e6.
func numbers(text string) ([]int, error) {
	var all []int
	for _, item := range strings.Split(text, ",") {
		lo, hi, isRange := strings.Cut(item, "-")
		a, err := strconv.ParseFloat(lo, 64)
		b := a
		if isRange && err == nil {
			b, err = strconv.ParseFloat(hi, 64)
		}
		if err != nil || a < 1 || b < a || b > neighbors.MaxRows {
			return nil, fmt.Errorf("%q is no number and no range of numbers", item)
		}
		for n := int(a); n <= int(b); n++ {
			all = append(all, n)
		}
	}
	return all, nil
}

// measure times all algorithms in a cell.
func (o *options) measure(ctx context.Context, points *neighbors.Points, c *cell) error {
	best, spent := o.limit, make([]time.Duration, len(o.algorithms))
	c.times = make([]timing, len(o.algorithms))
	for turn := 0; ; turn++ {
		going := false
		for i, a := range o.algorithms {
			t := &c.times[i]
			if t.over || turn > 0 && spent[i] > o.once || turn >= o.repeat && spent[i] > o.once/20 {
				continue
			}
			allowed := o.limit
			if a != neighbors.Auto {
				allowed = min(allowed, 3*best+20*time.Millisecond)
			}
			r, err := once(ctx, points, c.radius, a, o.threads, allowed)
			if err != nil {
				return fmt.Errorf("%s: %w", cmp.Or(a, "auto"), err)
			}
			if r.over {
				if turn == 0 {
					*t = r.timing
				}
				t.over = turn == 0
				spent[i] += 2 * o.once
				continue
			}
			going = true
			if turn > 0 {
				spent[i] += r.seconds
			}
			if t.seconds == 0 || r.seconds < t.seconds {
				t.seconds = r.seconds
			}
			best = min(best, r.seconds)
			if a == neighbors.Auto {
				c.chosen = r.chosen
			}
			if c.answer == nil {
				c.answer = &r.answer
			} else if *c.answer != r.answer {
				return fmt.Errorf("%s finds %v, others %v", cmp.Or(a, "auto"), r.answer, *c.answer)
			}
		}
		if !going {
			return nil
		}
	}
}

// A result is that of one run.
type result struct {
	timing
	answer
	chosen neighbors.Algorithm
}

// An answer tells counts from others.
type answer struct {
	pairs  int64
	digest uint64
}

// once carries out the join once.
func once(ctx context.Context, points *neighbors.Points, radius float64, a neighbors.Algorithm, threads int, allowed time.Duration) (r result, err error) {
	count := make([]int64, points.Len())
	runtime.GC()
	timed, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	begin := time.Now()
	p, err := neighbors.Prepare(timed, neighbors.Input{Query: points, Threads: threads}, neighbors.Within{Radius: radius})
	if err == nil {
		err = neighbors.CPU{Threads: threads, Algorithm: a}.Count(timed, p, p.Work(), count)
	}
	r.seconds = time.Since(begin)
	if err != nil {
		if timed.Err() == nil || ctx.Err() != nil {
			return r, err
		}
		r.seconds, r.over = allowed, true
		return r, nil
	}
	r.chosen = p.Algorithm()
	for row, n := range count {
		r.pairs += n
		r.digest += uint64(n) * (uint64(row)*0x9E3779B97F4A7C15 | 1)
	}
	return r, nil
}
