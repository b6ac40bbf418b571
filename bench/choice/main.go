// Choice times every algorithm of the CPU that finds the neighbours within a
// radius beside the one that a plan chooses, over catalogs of several kinds,
// sizes and dimensions, and prints how many times the time of the best the
// choice takes. It is a measuring tool: the command for users is cmd/cluster.
//
//	choice -n 1000,10000,100000,1000000 -d 1-8 -s 1,10,100,1000 -o choice.csv
//	choice -tables choice.csv other.csv
//
// The job is to count the neighbours of every row of a self-join. A time is wall
// seconds of a plan, its index and the counts, the least of several runs that the
// algorithms take in turns. What an algorithm takes longer for than -patience times
// the best so far is not waited for and written as ">" and the time that it was
// given, with the time that the share of the rows that it had begun makes expect
// behind a "~". The choice itself is given -limit, and the others as much where that
// is not enough. The answers of all that end must be equal.
//
// The cells go to the file as CSV, line by line; the same cells again are left
// out, so that a run can go on, and several processes may write to one file. Standard
// output has tables of the ratios as Markdown, with -tables those of files alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

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
	mean        []int   // neighbours of a row
	radius      float64 // instead of those; 0: none
	contestants []contestant
	threads     int
	repeat      int
	patience    float64
	limit, once time.Duration
	out         string
	tables      []string // files to make tables of, and nothing else
	part, parts int
	seed        uint64
}

func run(ctx context.Context, args []string, to io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.tables != nil {
		var t table
		for _, path := range o.tables {
			if err := t.read(path); err != nil {
				return err
			}
		}
		t.write(to)
		return nil
	}
	out, err := open(o.out)
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
	out.write(to)
	return nil
}

// catalog measures all cells of a catalog.
func (o *options) catalog(ctx context.Context, out *table, kind string, n, d int) error {
	var c *catalog
	for _, s := range o.mean {
		cell := cell{kind: kind, rows: n, dim: d, mean: s, threads: o.threads, radius: o.radius, pairs: -1, times: make([]timing, len(names))}
		if 2*s >= n || out.has(cell) {
			continue
		}
		if c == nil {
			var err error
			if c, err = generate(kind, n, d, o.seed); err != nil {
				return err
			}
			defer c.remove()
			if o.contestants[len(o.contestants)-1].name == nanoflann {
				if _, err := c.file(); err != nil {
					return err
				}
			}
		}
		if s > 0 {
			cell.radius = radius(c.columns, s)
		}
		if err := o.measure(ctx, c, &cell); err != nil {
			return fmt.Errorf("%s, %d rows, %d dimensions, radius %v: %w", kind, n, d, cell.radius, err)
		}
		if err := out.add(cell); err != nil {
			return err
		}
	}
	return nil
}

// parse reads the command line.
func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("choice", flag.ContinueOnError)
	kinds := f.String("data", "uniform,expo,clumps", "kinds of catalogs, as of cluster gen")
	rows := f.String("n", "1000,10000,100000", "rows")
	dims := f.String("d", "1-8", "dimensions")
	mean := f.String("s", "1,10,100,1000", "mean numbers of neighbours; those of half of the rows or more are left out")
	f.Float64Var(&o.radius, "radius", 0, "radius, instead of those of -s")
	names := f.String("algorithms", "grid,kdtree,newsuperego,superego,rtree,brute", "what is timed beside the choice")
	nanoflann := f.String("nanoflann", "", "program of bench/peers/nanoflann.cpp, to be timed too, on one thread of its own process")
	f.IntVar(&o.threads, "threads", 1, "threads of every join")
	f.IntVar(&o.repeat, "repeat", 3, "runs of each algorithm at least, unless -once is over; of short ones more")
	f.Float64Var(&o.patience, "patience", 3, "times the best time that the others are given")
	f.DurationVar(&o.limit, "limit", 5*time.Second, "time that one run may take")
	f.DurationVar(&o.once, "once", time.Second, "time for the runs of an algorithm in one cell, of which there is at least one")
	f.StringVar(&o.out, "o", "choice.csv", "file of the cells")
	part := f.String("part", "0/1", "which part of the catalogs, of how many: for several processes")
	f.Uint64Var(&o.seed, "seed", 1, "of the catalogs")
	tables := f.Bool("tables", false, "print the tables of the files that are named; of a cell in several of them the last that was measured whole")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case *tables && f.NArg() == 0:
		return nil, errors.New("-tables: no files")
	case *tables:
		o.tables = f.Args()
		return o, nil
	case f.NArg() > 0:
		return nil, fmt.Errorf("unexpected %q", f.Arg(0))
	case o.patience < 1:
		return nil, fmt.Errorf("-patience %v, it must be at least 1", o.patience)
	case o.radius < 0:
		return nil, fmt.Errorf("-radius %v, it must be positive", o.radius)
	case *nanoflann != "" && o.threads > 1:
		return nil, fmt.Errorf("-nanoflann runs on one thread, not on %d", o.threads)
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
	if o.radius > 0 {
		o.mean = []int{0}
	}
	o.contestants = []contestant{algorithm(neighbors.Auto)}
	for _, name := range strings.Split(*names, ",") {
		a, err := neighbors.ParseAlgorithm(name)
		if err != nil {
			return nil, err
		}
		o.contestants = append(o.contestants, algorithm(a))
	}
	if *nanoflann != "" {
		o.contestants = append(o.contestants, peer(*nanoflann))
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
