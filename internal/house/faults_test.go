package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/faults.md names is in the package that it names, and so is
// every input.
func TestFaultsAreGuarded(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "faults.md"))
	if err != nil {
		t.Fatal(err)
	}
	group := regexp.MustCompile("`([a-z0-9/]+)` (Test[^;|]*)")
	name := regexp.MustCompile("Test[A-Za-z0-9]+")
	input := regexp.MustCompile("`([^`]+)`")
	found := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], "---") || cells[1] == " fault " {
			continue
		}
		groups := group.FindAllStringSubmatch(cells[2], -1)
		if len(groups) == 0 {
			t.Errorf("no test guards%s", cells[1])
		}
		for _, g := range groups {
			folder := filepath.Join(root, filepath.FromSlash(g[1]))
			tests := testsOf(t, folder)
			for _, test := range name.FindAllString(g[2], -1) {
				if found++; !strings.Contains(tests, "func "+test+"(") {
					t.Errorf("%s has no %s, which docs/faults.md names", g[1], test)
				}
			}
			for _, file := range input.FindAllStringSubmatch(g[2], -1) {
				if _, err := os.Stat(filepath.Join(folder, "testdata", file[1])); err != nil {
					t.Errorf("docs/faults.md: %v", err)
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("%d tests are named", found)
	}
}

// testsOf is the text of the tests of a package.
func testsOf(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("no tests in %s: %v", folder, err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
