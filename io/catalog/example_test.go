package catalog_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// Rows that cannot be used keep their numbers, and are counted by reason.
func ExampleCatalog_Select() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "stars.csv")
	if err := os.WriteFile(path, []byte("id,ra,dec,g\n9007199254740993,10,20,12\n2,11,,13\n3,12,95,14\n4,13,21,19\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	cat, err := catalog.Open(ctx, []string{path}, catalog.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer cat.Close()
	ra, dec, err := cat.Detect()
	if err != nil {
		log.Fatal(err)
	}
	sel, err := cat.Select(ctx, catalog.Request{Columns: []string{ra, dec}, Metric: neighbors.Sky(), Sky: true, Where: "g < 18"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("used rows:", sel.Rows, "of", sel.Total, "filtered:", sel.Filtered)
	for _, s := range sel.Skipped {
		fmt.Println(s.Column, s.Why, s.First)
	}
	ids, err := cat.Read(ctx, []string{"id"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ids[0].Int64[0])
	// Output:
	// used rows: [0] of 4 filtered: 1
	// dec null [1]
	// dec declination outside [-90, 90] [2]
	// 9007199254740993
}
