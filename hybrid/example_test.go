package hybrid_test

import (
	"context"
	"fmt"
	"log"

	"skyjoin/hybrid"
	"skyjoin/neighbors"
)

// Two joiners share one join. In practice GPUs is what package gpu opens.
func ExampleJoiner_Count() {
	ctx := context.Background()
	points, err := neighbors.NewPoints(neighbors.Float64s([]float64{0, 1, 2, 10}))
	if err != nil {
		log.Fatal(err)
	}
	plan, err := neighbors.Prepare(ctx, neighbors.Input{Query: points}, neighbors.Within{Radius: 1})
	if err != nil {
		log.Fatal(err)
	}
	j := &hybrid.Joiner{CPU: neighbors.CPU{}, GPUs: []neighbors.Joiner{neighbors.CPU{}}}
	count := make([]int64, plan.Len())
	if err := j.Count(ctx, plan, plan.Work(), count); err != nil {
		log.Fatal(err)
	}
	fmt.Println(count)
	// Output: [1 2 1 0]
}
