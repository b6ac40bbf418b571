package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every file and every test that docs/published.md names exists, and a row that names
// no test says what is missing.
func TestPublishedMethodsAreGuarded(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "published.md"))
	if err != nil {
		t.Fatal(err)
	}
	group := regexp.MustCompile("`([a-z0-9/]+)` (Test[^;|]*)")
	name := regexp.MustCompile("Test[A-Za-z0-9]+")
	found := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "---") || cells[2] == " begins in " {
			continue
		}
		if file := strings.Trim(cells[2], " `"); file != "" {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				t.Errorf("docs/published.md: %v", err)
			}
		}
		groups := group.FindAllStringSubmatch(cells[3], -1)
		if len(groups) == 0 && !strings.HasPrefix(cells[3], " missing") {
			t.Errorf("neither a test nor what is missing stands with%s", cells[1])
		}
		for _, g := range groups {
			tests := testsOf(t, filepath.Join(root, filepath.FromSlash(g[1])))
			for _, test := range name.FindAllString(g[2], -1) {
				if found++; !strings.Contains(tests, "func "+test+"(") {
					t.Errorf("%s has no %s, which docs/published.md names", g[1], test)
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("%d tests are named", found)
	}
}
