package house

import (
	"os"
	"path/filepath"
	"testing"
)

// The top level was fixed when the project began; scripts and users rely on it.
func TestTopLevel(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, name := range []string{
		"go.mod", "go.sum", "Makefile", "README.md", "CHANGELOG.md", "LICENSE", "CONTRIBUTING.md", ".ci/run",
		"cmd/cluster", "neighbors", "gpu", "hybrid", "dbscan", "knnclass", "stats2b", "io", "notebooks",
	} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("%s is missing: %v", name, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(root, "io", "*.go")); len(files) > 0 {
		t.Errorf("io/ itself holds no Go code, found %v", files)
	}
}
