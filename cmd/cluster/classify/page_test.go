package classify

import (
	"os"
	"strings"
	"testing"
)

// Examples of the page of classify train and predict the same sky: of each class some
// rows are found, which those of another field never are.
func TestPageFindsItsClusters(t *testing.T) {
	page, err := os.ReadFile("../../../docs/commands/classify.md")
	if err != nil {
		t.Fatal(err)
	}
	classes, inTable := 0, false
	for line := range strings.Lines(string(page)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 5 && words[0] == "CLASS" && words[3] == "RECALL":
			inTable = true
		case len(words) != 5:
			inTable = false
		case inTable:
			if classes++; words[2] <= "0.3" || words[3] <= "0.5" {
				t.Errorf("of class %s the example finds next to nothing: %s", words[0], line)
			}
		}
	}
	if classes < 14 {
		t.Errorf("%d classes in two examples", classes)
	}
}
