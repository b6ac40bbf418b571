package house

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"skyjoin/neighbors"
)

// TestMetricsOfTheCLibrary compares enum skyjoin_metric_kind of the C header, and the
// constants of the Python package, with the table of metrics, by whose places the C
// library knows them.
func TestMetricsOfTheCLibrary(t *testing.T) {
	header, err := os.ReadFile("../../capi/skyjoin.h")
	if err != nil {
		t.Fatal(err)
	}
	_, enum, _ := strings.Cut(string(header), "enum skyjoin_metric_kind {")
	enum, _, _ = strings.Cut(enum, "}")
	found := regexp.MustCompile(`SKYJOIN_(\w+) = (\d+)`).FindAllStringSubmatch(enum, -1)
	metrics := neighbors.Metrics()
	if len(found) != len(metrics) {
		t.Fatalf("the header has %d metrics, the table %d", len(found), len(metrics))
	}
	var names []string
	for i, m := range metrics {
		name := strings.ReplaceAll(strings.ToUpper(m.Name), "-", "_")
		names = append(names, name)
		if found[i][1] != name || found[i][2] != strconv.Itoa(i) {
			t.Errorf("the header has SKYJOIN_%s = %s, the table SKYJOIN_%s = %d", found[i][1], found[i][2], name, i)
		}
	}
	python, err := os.ReadFile("../../python/src/skyjoin/_library.py")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("\n%s = range(%d)\n", strings.Join(names, ", "), len(names)); !strings.Contains(string(python), want) {
		t.Errorf("_library.py does not have %q", want)
	}
}
