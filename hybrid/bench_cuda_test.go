//go:build cuda && linux

package hybrid_test

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"skyjoin/gpu"
	"skyjoin/neighbors"
)

// A section is a part of what is measured, and of the time for it.
type section struct {
	name  string
	share int // of the time
	run   func(*bench) error
}

var sections = []section{
	{"host", 3, (*bench).host},
	{"gpus", 40, (*bench).several},
	{"joins", 120, (*bench).joins},
	{"nearest", 110, (*bench).nearest},
	{"partitions", 80, (*bench).partitions},
	{"sharing", 40, (*bench).sharing},
}

var (
	chosen   = flag.String("sections", "", "what TestTables measures: all, or some of host,gpus,joins,nearest,partitions,sharing")
	budget   = flag.Duration("budget", 380*time.Second, "time for all sections, by their weights; cases that would begin later are left out")
	scale    = flag.Float64("scale", 1, "part of the rows of every data set")
	rounds   = flag.Int("rounds", 5, "runs of each join, after one that warms up")
	patience = flag.Duration("patience", 4*time.Second, "time for the rounds of a case: of long joins there are fewer")
	limit    = flag.Duration("limit", 6*time.Second, "time for one run of the CPU; longer ones are estimated from a part of the rows")
	only     = flag.String("only", "", "measure only cases whose name contains one of these")
)

// TestTables measures joins on CPU and GPUs together beside either alone, and
// prints the tables of bench/README.md, on a card (make bench-hybrid).
//
// Times are wall-clock seconds of whole joins from points in memory: index,
// transfers and lists, which are visited and thrown away. Every plan is new, so
// that no index is left from another run. The joiners of a case are run in turn,
// round by round, after one round that warms up; a time is the median, with the
// least in brackets. The number of neighbours is compared between all runs of a
// case. Times marked ≈ are estimated from a part of the rows, because a run of the
// CPU would exceed -limit.
func TestTables(t *testing.T) {
	if *chosen == "" {
		t.Skip("-sections names nothing to measure")
	}
	b := &bench{scale: *scale, rounds: *rounds, patience: *patience, limit: *limit, only: strings.Split(*only, ","), cpu: neighbors.CPU{}}
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	wanted := names
	if *chosen != "all" {
		wanted = strings.Split(*chosen, ",")
	}
	if err := b.measure(wanted, strings.Join(names, ","), *budget); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) measure(names []string, all string, budget time.Duration) error {
	var chosen []section
	total := 0
	for _, n := range names {
		i := slices.IndexFunc(sections, func(s section) bool { return s.name == n })
		if i < 0 {
			return fmt.Errorf("section %q, it must be of %s", n, all)
		}
		chosen = append(chosen, sections[i])
		total += sections[i].share
	}
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
			lb, err := gpu.Open(gpu.Config{Devices: []int{d.Index}, Yield: true, Pattern: gpu.PatternFull, Order: gpu.OrderWorkQueue})
			if err != nil {
				return err
			}
			defer lb.Close()
			b.lbjoin = lb
		}
	}
	fmt.Printf("%d × %s, %d CPU threads\n", len(devices), devices[0].Name, runtime.GOMAXPROCS(0))
	b.end = time.Now()
	for _, s := range chosen {
		b.end = b.end.Add(budget * time.Duration(s.share) / time.Duration(total))
		if err := s.run(b); err != nil {
			return err
		}
	}
	return nil
}
