package table_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// A table of its own; the format goes by the name of the file.
func ExampleWrite() {
	columns := []catalog.Column{
		{Field: catalog.Field{Name: "cluster", Type: catalog.Int32}, Int64: []int64{0, 1}},
		{Field: catalog.Field{Name: "extent", Type: catalog.Float64, Unit: "arcmin"}, Float64: []float64{1.5, 0.1}},
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "clusters.csv")
	if err := table.Write(context.Background(), path, columns, table.Options{}); err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// cluster,extent
	// 0,1.5
	// 1,0.1
}
