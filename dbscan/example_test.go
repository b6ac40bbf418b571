package dbscan_test

import (
	"context"
	"fmt"
	"log"

	"skyjoin/dbscan"
	"skyjoin/neighbors"
)

// Three galaxies within 0.15° of each other, across RA 0, and a lone one.
func ExampleRun() {
	ra := []float64{359.95, 0.02, 0.08, 10}
	dec := []float64{5, 5.01, 4.98, 5}
	points, err := neighbors.NewPoints(neighbors.Float64s(ra), neighbors.Float64s(dec))
	if err != nil {
		log.Fatal(err)
	}
	eps := 0.15 * neighbors.Degree
	result, err := dbscan.Run(context.Background(), points, neighbors.Sky(), eps, dbscan.Options{MinPoints: 3})
	if err != nil {
		log.Fatal(err)
	}
	for row, label := range result.Labels {
		fmt.Println(row, label, result.Core[row])
	}
	// Output:
	// 0 0 true
	// 1 0 true
	// 2 0 true
	// 3 -1 false
}

// New points join the clusters of a run; none of them becomes core.
func ExampleModel_Predict() {
	ctx := context.Background()
	on := func(x ...float64) *neighbors.Points {
		p, err := neighbors.NewPoints(neighbors.Float64s(x))
		if err != nil {
			log.Fatal(err)
		}
		return p
	}
	points := on(0, 1, 2, 10, 11, 12)
	result, err := dbscan.Run(ctx, points, neighbors.Euclidean(), 1, dbscan.Options{MinPoints: 2})
	if err != nil {
		log.Fatal(err)
	}
	model, err := result.Model(points, neighbors.Euclidean(), 1, dbscan.BorderFirst)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := model.Predict(ctx, on(2.5, 11.5, 6), dbscan.Join{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Algorithm, labels)
	// Output: cells [0 1 -1]
}
