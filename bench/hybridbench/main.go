// Hybridbench measures joins on CPU and GPUs together beside either alone, and
// prints the tables of bench/README.md. It needs a build with GPU support.
//
// Times are wall-clock seconds of whole joins from points in memory: index,
// transfers and lists, which are visited and thrown away. Every plan is new, so
// that no index is left from another run. The number of neighbours is compared
// between all runs of a case. Times marked ≈ are estimated from a part of the
// rows, because a run would exceed -limit.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"skyjoin/gpu"
	"skyjoin/neighbors"
)

func main() {
	sections := flag.String("sections", "host,gpus,joins,nearest", "what to measure: host, gpus, joins, nearest")
	budget := flag.Duration("budget", 380*time.Second, "time for all sections; cases that would begin later are left out")
	scale := flag.Float64("scale", 1, "part of the rows of every data set")
	repeat := flag.Int("repeat", 3, "runs of each join, of which the median counts; long ones are run once")
	limit := flag.Duration("limit", 6*time.Second, "time for one run of a join; longer ones are estimated from a part of the rows")
	adaptive := flag.Bool("adaptive", false, "leave the partitions of the papers out")
	only := flag.String("only", "", "measure only cases whose name contains this")
	flag.Parse()
	b := &bench{scale: *scale, repeat: *repeat, limit: *limit, only: *only, adaptive: *adaptive, cpu: neighbors.CPU{}}
	if err := b.sections(strings.Split(*sections, ","), *budget); err != nil {
		fmt.Fprintln(os.Stderr, "hybridbench:", err)
		os.Exit(1)
	}
}

func (b *bench) sections(names []string, budget time.Duration) error {
	devices, err := gpu.Devices()
	if err != nil {
		return err
	}
	for _, d := range devices {
		g, err := gpu.Open(gpu.Config{Devices: []int{d.Index}, Yield: true})
		if err != nil {
			return err
		}
		defer g.Close()
		b.gpus = append(b.gpus, g)
		if b.published == nil {
			l, err := gpu.Open(gpu.Config{Devices: []int{d.Index}, Yield: true, Linear: true})
			if err != nil {
				return err
			}
			defer l.Close()
			b.published = l
		}
	}
	fmt.Printf("%d × %s, %d CPU threads\n", len(devices), devices[0].Name, runtime.GOMAXPROCS(0))
	start := time.Now()
	for i, s := range names {
		b.end = start.Add(budget * time.Duration(i+1) / time.Duration(len(names)))
		f, ok := map[string]func() error{"joins": b.joins, "nearest": b.nearest, "gpus": b.several, "host": b.host}[s]
		if !ok {
			return fmt.Errorf("section %q, it must be host, gpus, joins or nearest", s)
		}
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}
