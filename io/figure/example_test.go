package figure_test

import (
	"bytes"
	"fmt"
	"log"

	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

func ExampleClusterMap() {
	f, err := figure.ClusterMap{
		X:      neighbors.Float64s([]float64{359.9, 0.1, 0.0, 1.5}),
		Y:      neighbors.Float64s([]float64{12.0, 12.1, 11.9, 12.6}),
		Labels: []int32{0, 0, 0, -1},
		Sky:    true,
		Style:  figure.Style{Width: figure.SingleColumn},
	}.Figure()
	if err != nil {
		log.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Encode(&b, "png"); err != nil {
		log.Fatal(err)
	}
	width, _ := f.Size()
	fmt.Printf("%.0f mm wide\n", width)
	// Output: 84 mm wide
}

func ExampleKDistance() {
	f, err := figure.KDistance{
		Distances: []float64{2, 3, 3, 6, 12}, // to the second neighbour
		K:         2,
		Knee:      3,
		Unit:      "arcsec",
	}.Figure()
	if err != nil {
		log.Fatal(err)
	}
	width, height := f.Size()
	fmt.Printf("%.0f × %.0f mm\n", width, height)
	// Output: 84 × 63 mm
}

func ExamplePoints() {
	f, err := figure.Points{
		X: []float64{0.1, 1, 10}, Y: []float64{2.1, 0.3, -0.01}, Err: []float64{0.2, 0.05, 0.02},
		LogX: true, LogY: true,
		XAxis: figure.Axis{Name: "θ", Unit: "deg"}, YAxis: figure.Axis{Name: "w(θ)"},
	}.Figure()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Encode(&bytes.Buffer{}, "svg"))
	// Output: <nil>
}

func ExampleFormat() {
	fmt.Println(figure.Format("map.SVG"))
	_, err := figure.Format("map.jpg")
	fmt.Println(err)
	// Output:
	// svg <nil>
	// invalid request: figure "map.jpg" ends in ".jpg", the formats are .png, .svg and .pdf
}
