package pairfunc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"syscall"
	"testing"
	"time"
)

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano())
}

func TestZZ(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 20000
	for _, src := range []string{"1/(1+r)", "exp(-r/10)", "a.w*b.w/r", "r < 10"} {
		f, err := Compile(src, Schema{Coordinates: []string{"x", "y", "z"}})
		if err != nil {
			t.Fatal(err)
		}
		ca, _ := f.Columns()
		var tab Table
		tab.Rows = n
		for range ca {
			v := make([]float64, n)
			for i := range v {
				v[i] = rng.Float64() * 100
			}
			tab.Columns = append(tab.Columns, v)
		}
		j := Job{Function: f, A: tab, B: tab, Self: true, Threads: 1}
		if src == "r < 10" {
			j.Reduction = Count
		}
		file, _ := os.Create("/tmp/surv.stat." + fmt.Sprint(len(src)))
		pprof.StartCPUProfile(file)
		start := cpu()
		r, err := j.Run(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		d := cpu() - start
		pprof.StopCPUProfile()
		fmt.Printf("%-14s %.2f ns a pair  %v %d\n", src, d.Seconds()*1e9/float64(j.Total()), r.Sum, r.Count)
	}
}
