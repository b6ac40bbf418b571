package knnclass_test

import (
	"context"
	"fmt"
	"log"

	"skyjoin/knnclass"
	"skyjoin/neighbors"
)

// The class of a new object from the three nearest training rows.
func ExampleModel_Predict() {
	ctx := context.Background()
	line := func(x ...float64) *neighbors.Points {
		p, err := neighbors.NewPoints(neighbors.Float64s(x))
		if err != nil {
			log.Fatal(err)
		}
		return p
	}
	classes, labels := knnclass.Encode([]string{"star", "star", "galaxy", "galaxy", "galaxy"})
	model, err := knnclass.NewClassifier(line(0, 0.1, 1, 1.1, 1.2), neighbors.Euclidean(), labels, len(classes), nil)
	if err != nil {
		log.Fatal(err)
	}
	p, err := model.Predict(ctx, line(0.2, 1.05), knnclass.Options{K: 3})
	if err != nil {
		log.Fatal(err)
	}
	for i, c := range p.Class {
		fmt.Printf("%s %.2f\n", classes[c], p.Share[i])
	}
	// Output:
	// star 0.67
	// galaxy 1.00
}
