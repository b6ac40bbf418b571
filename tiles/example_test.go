package tiles_test

import (
	"fmt"

	"skyjoin/tiles"
)

// Where the labelled copies of the inputs go.
func ExampleLabelledPath() {
	fmt.Println(tiles.LabelledPath("survey/north/a.parquet", "survey", "out"))
	// Output: out/north/a.parquet
}
