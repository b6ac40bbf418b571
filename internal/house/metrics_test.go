package house

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"skyjoin/neighbors"
)

// TestMetricsOfTheCLibrary compares enum skyjoin_metric_kind of the C header with the
// table of metrics, by whose places the C library knows them.
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
	for i, m := range metrics {
		name := strings.ReplaceAll(strings.ToUpper(m.Name), "-", "_")
		if found[i][1] != name || found[i][2] != strconv.Itoa(i) {
			t.Errorf("the header has SKYJOIN_%s = %s, the table SKYJOIN_%s = %d", found[i][1], found[i][2], name, i)
		}
	}
}
