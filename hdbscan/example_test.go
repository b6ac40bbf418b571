package hdbscan_test

import (
	"context"
	"fmt"
	"log"

	"skyjoin/hdbscan"
	"skyjoin/neighbors"
)

// Two clusters of different densities, and a row between them that is hardly in
// one.
func ExampleBuild() {
	x := []float64{0, .1, .2, .3, 9, 20, 22, 24, 26}
	points, err := neighbors.NewPoints(neighbors.Float64s(x))
	if err != nil {
		log.Fatal(err)
	}
	tree, err := hdbscan.Build(context.Background(), points, neighbors.Euclidean(), hdbscan.Options{MinSamples: 2})
	if err != nil {
		log.Fatal(err)
	}
	condensed, err := tree.Condense(3)
	if err != nil {
		log.Fatal(err)
	}
	clusters, err := condensed.Select(hdbscan.Selection{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(clusters.Labels)
	fmt.Printf("%.2f\n", clusters.Probabilities)
	for label, id := range clusters.Nodes {
		c := condensed.Clusters[id]
		fmt.Printf("cluster %d: %d rows, from %.1f down to %.1f\n", label, c.Rows, c.Birth, c.Death)
	}
	// Output:
	// [0 0 0 0 0 1 1 1 1]
	// [1.00 1.00 1.00 1.00 0.01 1.00 1.00 1.00 1.00]
	// cluster 0: 5 rows, from 11.0 down to 0.1
	// cluster 1: 4 rows, from 11.0 down to 2.0
}

// One tree answers for any size and any ε.
func ExampleTree_Cut() {
	points, err := neighbors.NewPoints(neighbors.Float64s([]float64{0, 1, 2, 4, 5, 6, 9}))
	if err != nil {
		log.Fatal(err)
	}
	tree, err := hdbscan.Build(context.Background(), points, neighbors.Euclidean(), hdbscan.Options{MinSamples: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, eps := range []float64{1, 2, 3} {
		labels, err := tree.Cut(eps, 0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(eps, labels)
	}
	// Output:
	// 1 [0 0 0 1 1 1 -1]
	// 2 [0 0 0 0 0 0 -1]
	// 3 [0 0 0 0 0 0 0]
}
