package stats2b

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// FuzzParseBins reads any bins, and any file of edges: ascending edges, or an
// error.
func FuzzParseBins(f *testing.F) {
	for _, text := range []string{"log:1:10:3", "lin:0:1:7", "1,2,3", "# c\n1 2\n3,4", "lin:0:1:99999999999", "log:0:inf:3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "edges")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Skip()
		}
		parse := func(s string) (Length, error) {
			v, err := strconv.ParseFloat(s, 64)
			return Length{Value: v}, err
		}
		for _, spec := range []string{text, "@" + path} {
			if len(spec) > 0 && spec[0] == '@' && spec != "@"+path {
				continue
			}
			b, _, err := ParseBins(spec, parse)
			if err == nil && (len(b.Edges()) < 2 || !slices.IsSorted(b.Edges())) {
				t.Errorf("%q: edges %v", spec, b.Edges())
			}
		}
	})
}
