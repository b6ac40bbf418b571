//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"skyjoin/internal/costmodel"
	"skyjoin/neighbors"
)

// A modelled is a data set on which the model of the best batch size is set
// beside the measured one.
type modelled struct {
	data
	reference float64 // radius of the calibration
	radii     []float64
}

const (
	modelRuns    = 3 // of which the median counts
	modelLimit   = 75 * time.Second
	leastPairs   = 1 << 10 // of a batch
	modelStreams = 3
)

// The numbers of batches that are tried, about; the model is for a hundred at most.
var modelBatches = []int64{3, 6, 15, 40, 100}

// TestPublishedModel sets the batch size that the model of Gowanlock & Karsin
// advises beside the best one that is found by trying, as Table 6 of GPU-SJ does
// for SW2DA, which is not to be had. Each data set is calibrated at a reference
// radius with two batch sizes; the times are those of a join that has to
// allocate its pinned buffers. SKYJOIN_MODEL_POINTS takes so many points
// instead, with as many neighbours, on the emulator too.
func TestPublishedModel(t *testing.T) {
	n := 0
	if text := os.Getenv("SKYJOIN_MODEL_POINTS"); text != "" {
		if _, err := fmt.Sscan(text, &n); err != nil {
			t.Fatal(err)
		}
	} else if os.Getenv("SKYJOIN_GPU") == "" {
		t.Skip("SKYJOIN_GPU is not set: no card")
	}
	j, err := Open(Config{Pattern: PatternUnicomp, Streams: modelStreams})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	fmt.Println("| data, ε | neighbours | b_s by the model | s predicted | s there | best b_s tried | s there | loss, % |\n|---|---|---|---|---|---|---|---|")
	end := time.Now().Add(modelLimit)
	for _, c := range []modelled{
		{expo2D2M, 1.4e-4, []float64{8e-5, 1.1e-4, 1.4e-4, 2e-4}},
		{unif2D2M, .2, []float64{.2, .3}},
		{unif3D2M, 1.4, []float64{1.4, 2}},
		{unif4D2M, 4, []float64{4, 5.5}},
		{unif5D2M, 8, []float64{8, 9.5}},
		{unif6D2M, 10, []float64{10, 12}},
		{expo6D2M, .006, []float64{.006, .008}},
	} {
		if n > 0 {
			shrink := math.Pow(float64(c.n)/float64(n), 1/float64(c.dim))
			c.n, c.reference = n, c.reference*shrink
			for i := range c.radii {
				c.radii[i] *= shrink
			}
		}
		if time.Now().After(end) {
			fmt.Printf("| %s | not run: %v are over | | | | | | |\n", c.name, modelLimit)
			continue
		}
		c.sweep(t, j)
	}
}

// sweep calibrates and prints a line for each radius.
func (c *modelled) sweep(t *testing.T, j *Joiner) {
	points := publishedPoints(t, c.data)
	plan := func(radius float64) (*neighbors.Plan, int64) {
		p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points}, neighbors.Within{Radius: radius})
		if err != nil {
			t.Fatal(err)
		}
		count := make([]int64, p.Len())
		if err := j.Count(context.Background(), p, p.Work(), count); err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, n := range count {
			sum += n
		}
		return p, sum
	}
	p, results := plan(c.reference)
	large, small := inBatches(t, j, p, results/5, true), inBatches(t, j, p, results/50, true)
	m, err := costmodel.FitBatch(c.dim, c.reference, large, small)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	fmt.Printf("%s, ε %.3g: T₁ %.4f s, θ %.3g s, T₂ %.3g s/GiB; %d batches %.4f, again %.4f s; %d batches %.4f, again %.4f s\n", c.name, c.reference, m.Join, m.Launch, m.Pin*(1<<30)/4,
		large.Batches, large.First, large.Again, small.Batches, small.First, small.Again)
	for _, radius := range c.radii {
		p, results := plan(radius)
		advised := m.Best(radius, leastPairs, results, modelStreams)
		there := inBatches(t, j, p, advised, false)
		best := there
		tried := ""
		for _, n := range modelBatches {
			r := inBatches(t, j, p, max(results/n, leastPairs), false)
			tried += fmt.Sprintf(" %.3g: %.4f", float64(r.Batch), r.First)
			if r.First < best.First {
				best = r
			}
		}
		fmt.Printf("%s, ε %.3g, s by b_s:%s\n", c.name, radius, tried)
		fmt.Printf("| %s %.3g | %.1f | %.3g | %.3f | %.3f | %.3g | %.3f | %.1f |\n", c.name, radius, float64(results)/float64(c.n), float64(advised),
			m.Seconds(radius, advised, false), there.First, float64(best.Batch), best.First, 100*(there.First/best.First-1))
	}
}

// inBatches joins with a batch size, with buffers that have to be allocated and,
// if wanted, again with buffers that are there.
func inBatches(t *testing.T, j *Joiner, p *neighbors.Plan, batch int64, again bool) costmodel.Run {
	t.Helper()
	j.cfg.Batch = int(max(batch, 1))
	r := costmodel.Run{Batch: int64(j.cfg.Batch)}
	join := func() float64 {
		var batches atomic.Int64
		start := time.Now()
		err := j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error {
			batches.Add(1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Batches = int(batches.Load())
		return time.Since(start).Seconds()
	}
	var first, kept []float64
	for range modelRuns {
		j.shed()
		first = append(first, join())
		if again {
			kept = append(kept, join())
		}
	}
	r.First = median(first)
	if again {
		r.Again = median(kept)
	}
	return r
}
