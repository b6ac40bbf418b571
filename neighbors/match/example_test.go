package match_test

import (
	"context"
	"fmt"
	"log"

	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// The rows of two catalogs that are the same object, nearest pairs first.
func ExampleCross() {
	sky := func(ra, dec []float64) *neighbors.Points {
		p, err := neighbors.NewPoints(neighbors.Float64s(ra), neighbors.Float64s(dec))
		if err != nil {
			log.Fatal(err)
		}
		return p
	}
	a := sky([]float64{10, 20, 30}, []float64{0, 0, 0})
	b := sky([]float64{20.0001, 10.0002, 10.0001}, []float64{0, 0, 0})
	res, err := match.Cross(context.Background(), a, b, neighbors.Sky(), match.Options{Radius: neighbors.Arcsec})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range res.Pairs {
		fmt.Printf("%d %d %.2f\n", p.A, p.B, p.Distance/neighbors.Arcsec)
	}
	fmt.Println(res.Candidates, "candidates,", res.AmbiguousA, "row of A with more than one")
	// Output:
	// 0 2 0.36
	// 1 0 0.36
	// 3 candidates, 1 row of A with more than one
}
