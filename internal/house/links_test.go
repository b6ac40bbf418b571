package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// answers are questions of newcomers, by what the page with the answer says.
var answers = map[string]string{
	"sklearn.cluster.DBSCAN(eps=…, min_samples=…)": "`cluster dbscan IN -c x,y --eps 0.3 --min-points 10 -o OUT`",
	"stilts tmatch2 find=best":                     "`cluster match a.fits b.fits -c ra,dec --columns-b RAJ2000,DEJ2000 --radius 1arcsec`",
	"corr2":                                        "`corr2 config.yaml` with `nn_file_name` is `cluster corr DATA",
	"DDrppi":                                       "`cluster corr IN -c x,y,z --box L --kind rppi --los z --bins … --pi lin:0:40:40`",
	"the JSON of match":                            "### `result` of `cluster match`",
	"how to run on Slurm":                          "`cluster submit slurm PLAN -- FLAGS`",
}

// From the README every page is two clicks away at most, and so are the answers to the
// questions of newcomers. No link between pages is broken.
func TestPagesAreTwoClicksAway(t *testing.T) {
	root := filepath.Join("..", "..")
	clicks := map[string]int{"README.md": 0}
	left := []string{"README.md"}
	found := map[string]bool{}
	for len(left) > 0 {
		page := left[0]
		left = left[1:]
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Errorf("a link leads to %s: %v", page, err)
			continue
		}
		for question, says := range answers {
			found[question] = found[question] || clicks[page] <= 2 && strings.Contains(string(text), says)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)(?:#([^)]*))?\)`).FindAllStringSubmatch(string(text), -1) {
			to := filepath.Join(filepath.Dir(page), m[1])
			if filepath.Ext(to) != ".md" {
				if _, err := os.Stat(filepath.Join(root, to)); err != nil {
					t.Errorf("%s: %v", page, err)
				}
				continue
			}
			if _, seen := clicks[to]; !seen {
				clicks[to] = clicks[page] + 1
				left = append(left, to)
			}
		}
	}
	for question, done := range found {
		if !done {
			t.Errorf("no page within two clicks of the README answers %q", question)
		}
	}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(pages), err)
		}
		for _, path := range pages {
			page, _ := filepath.Rel(root, path)
			if n, seen := clicks[page]; !seen || n > 2 {
				t.Errorf("%s is %d clicks away from the README (0: never)", page, n)
			}
		}
	}
}
