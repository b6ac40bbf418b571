package neighbors_test

import (
	"context"
	"fmt"
	"log"

	"skyjoin/neighbors"
)

// columns makes points of columns.
func columns(values ...[]float64) *neighbors.Points {
	var cols []neighbors.Column
	for _, c := range values {
		cols = append(cols, neighbors.Float64s(c))
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// A stream of neighbour lists: each batch holds the whole lists of some rows.
func ExampleCPU_Join() {
	ctx := context.Background()
	in := neighbors.Input{Query: columns([]float64{0, 1, 2, 10})}
	plan, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: 1})
	if err != nil {
		log.Fatal(err)
	}
	count := make([]int, plan.Len())
	for batch, err := range (neighbors.CPU{}).Join(ctx, plan, plan.Work()) {
		if err != nil {
			log.Fatal(err)
		}
		for i, row := range batch.Rows {
			count[row] = len(batch.List(i))
		}
	}
	fmt.Println(count)
	// Output: [1 2 1 0]
}

// The two nearest rows of every row; of equally far ones the first.
func ExampleCollect() {
	ctx := context.Background()
	in := neighbors.Input{Query: columns([]float64{0, 1, 2, 10})}
	plan, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: 2})
	if err != nil {
		log.Fatal(err)
	}
	table, err := neighbors.Collect(ctx, neighbors.CPU{}, plan, 0)
	if err != nil {
		log.Fatal(err)
	}
	for row := range plan.Len() {
		fmt.Println(row, table.List(row), table.Dists(row))
	}
	// Output:
	// 0 [1 2] [1 2]
	// 1 [0 2] [1 1]
	// 2 [1 0] [1 2]
	// 3 [2 1] [8 9]
}

// Two catalogs on the sky: distances are angles in radians, right across RA 0.
func ExamplePrepare_sky() {
	ctx := context.Background()
	in := neighbors.Input{
		Query:  columns([]float64{359.9999, 45}, []float64{0, 30}),
		Data:   columns([]float64{0.0001, 100}, []float64{0, 0}),
		Metric: neighbors.Sky(),
	}
	plan, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: neighbors.Arcsec, Distance: true})
	if err != nil {
		log.Fatal(err)
	}
	table, err := neighbors.Collect(ctx, neighbors.CPU{}, plan, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d %.3f arcsec\n", table.List(0), table.Dists(0)[0]/neighbors.Arcsec)
	fmt.Println(table.List(1))
	// Output:
	// [0] 0.720 arcsec
	// []
}

// In a periodic box the distance is that of the nearest image.
func ExamplePeriodic() {
	ctx := context.Background()
	in := neighbors.Input{Query: columns([]float64{0.5, 99.5}, []float64{50, 50}), Metric: neighbors.Periodic(100, 100)}
	plan, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Distance(0, 1))
	// Output: 1
}

// A Gatherer keeps one whole table after the other in the same memory.
func ExampleGatherer() {
	ctx := context.Background()
	var g neighbors.Gatherer
	for _, radius := range []float64{1, 2} {
		in := neighbors.Input{Query: columns([]float64{0, 1, 2, 10})}
		plan, err := neighbors.Prepare(ctx, in, neighbors.Within{Radius: radius})
		if err != nil {
			log.Fatal(err)
		}
		batches, err := g.GatherPairs(ctx, neighbors.CPU{}, plan, 0)
		if err != nil {
			log.Fatal(err)
		}
		pairs := 0
		for _, b := range batches {
			pairs += len(b.Index)
		}
		fmt.Println(plan.Algorithm(), pairs, "pairs")
	}
	// Output:
	// grid 2 pairs
	// grid 3 pairs
}
