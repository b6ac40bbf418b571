package house

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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

// The places where changes belong, on the page about the architecture, are there.
func TestPlacesOfChanges(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Where a change belongs\n")
	table, _, _ = strings.Cut(table, "\n## ")
	seen := 0
	for _, m := range regexp.MustCompile("`([\\w*./]*/[\\w*./]+)`").FindAllStringSubmatch(table, -1) {
		seen++
		if found, _ := filepath.Glob(filepath.Join(root, m[1])); len(found) == 0 {
			t.Errorf("there is no %s", m[1])
		}
	}
	if seen < 25 {
		t.Errorf("%d places", seen)
	}
}

// The table of packages on the page about the architecture has the first sentence
// of each package's documentation: go test ./internal/house -update writes it.
func TestPackageTable(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "architecture.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), "<!-- packages: go test ./internal/house -update -->\n")
	have, after, ok2 := strings.Cut(rest, "<!-- end of packages -->\n")
	if !ok || !ok2 {
		t.Fatalf("%s has no marks around the table of packages", page)
	}
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}}\t{{.Name}}\t{{.Doc}}", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	want := "| package | what it is |\n|---|---|\n"
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		path := strings.TrimPrefix(f[0], module)
		says, err := purpose(path, f[1], f[2])
		if err != nil {
			t.Error(err)
		}
		want += fmt.Sprintf("| `%s` | %s |\n", path, strings.ReplaceAll(says, "|", "\\|"))
	}
	if have == want {
		return
	}
	if !*update {
		t.Fatalf("the table of packages in %s is not what their documentation says; go test ./internal/house -update writes it", page)
	}
	if err := os.WriteFile(page, []byte(before+"<!-- packages: go test ./internal/house -update -->\n"+want+"<!-- end of packages -->\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// purpose returns what the first sentence of a package's documentation says of it.
func purpose(path, name, sentence string) (string, error) {
	subject := "Package " + name
	if name == "main" {
		name = path[strings.LastIndexByte(path, '/')+1:]
		subject = strings.ToUpper(name[:1]) + name[1:]
	}
	says, ok := strings.CutPrefix(sentence, subject+" ")
	switch {
	case !ok:
		return "", fmt.Errorf("the documentation of %s begins with %q, not with %s", path, sentence, subject)
	case !strings.HasSuffix(says, ".") || len(says) < 12:
		return "", fmt.Errorf("the first sentence about %s is %q: it must say in words of its own what the package does, and end with a full stop", path, sentence)
	}
	return strings.TrimSuffix(says, "."), nil
}

// The check itself must be able to fail.
func TestPurpose(t *testing.T) {
	for _, c := range []struct {
		path, name, sentence string
		ok                   bool
	}{
		{"internal/grid", "grid", "Package grid is a sparse grid index.", true},
		{"cmd/cluster", "main", "Cluster finds clusters.", true},
		{"internal/grid", "grid", "", false},
		{"internal/grid", "grid", "Package gird is a sparse grid index.", false},
		{"internal/grid", "grid", "Package grid is a sparse grid index:", false},
		{"internal/grid", "grid", "Package grid.", false},
	} {
		if _, err := purpose(c.path, c.name, c.sentence); (err == nil) != c.ok {
			t.Errorf("%q of %s: %v", c.sentence, c.path, err)
		}
	}
}
