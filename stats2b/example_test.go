package stats2b_test

import (
	"context"
	"fmt"
	"log"

	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

func ExampleCount() {
	points, err := neighbors.NewPoints(neighbors.Float64s([]float64{0.5, 9.5, 5}))
	if err != nil {
		log.Fatal(err)
	}
	bins, err := stats2b.EdgeBins(0.1, 2, 4.6)
	if err != nil {
		log.Fatal(err)
	}
	c, err := stats2b.Count(context.Background(), &stats2b.Sample{Points: points}, nil, neighbors.Periodic(10), bins, stats2b.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Pairs, "of", c.Total)
	// Output: [1 2] of 3
}

// The density around each of four points, by a kernel that falls linearly to 0
// at a distance of 2.
func ExampleDensity() {
	points, err := neighbors.NewPoints(neighbors.Float64s([]float64{0, 1, 2, 10}))
	if err != nil {
		log.Fatal(err)
	}
	d, err := stats2b.Density(context.Background(), &stats2b.Sample{Points: points}, nil, neighbors.Euclidean(), stats2b.Linear, 2, stats2b.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d)
	// Output: [0.5 1 0.5 0]
}
