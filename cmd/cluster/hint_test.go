package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// Clusterings that separate nothing say so in one line, with a number that helps:
// the rows are at 0, 1, … 9 and 100, 101, … 109.
func TestHints(t *testing.T) {
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("%d,%d", i, 2), fmt.Sprintf("%d,%d", 100+i, 3))
	}
	in := cmdtest.CSVOf(t, append([]string{"x,w"}, lines...)...)
	sky := cmdtest.CSVOf(t, "ra,dec", "10,0", "10.5,0", "11,0", "11.5,0")
	const kdist1, kdist2 = "; half of the rows have 1 other within 1; 'cluster kdist -k 1' advises on radii", "; half of the rows have 2 others within 1; 'cluster kdist -k 2' advises on radii"
	for _, c := range []struct{ line, want string }{
		{"dbscan IN -c x --eps 0.5 --min-points 3", "all rows are noise: none has 2 others within --eps 0.5" + kdist2},
		{"dbscan IN -c x --eps 99 --min-points 3", "all rows are in one cluster: --eps 99 separates nothing" + kdist2},
		{"dbscan IN -c x --eps 2 --min-points 3", "all rows are core: a smaller --eps than 2 tells dense places from others" + kdist2},
		{"dbscan IN -c x --eps 1 --min-points 3", ""},
		{"dbscan IN -c x --eps 1 --min-points 1", "all rows are core, as --min-points 1 makes them; those alone are noise with --min-points 2" + kdist1},
		{"dbscan IN -c x --eps 0.5 --min-points 1", "no two rows are within --eps 0.5: each is a cluster by itself" + kdist1},
		{"dbscan IN -c x --eps 0 --min-points 2", ""},
		{"dbscan IN -c x --eps 1 --min-points 21", "--min-points 21 is more than the 20 rows that can be used, so no row is core"},
		{"dbscan IN -c x --eps 1 --min-points 100 --weights w", "all rows are noise: no sum of weights within --eps 1 reaches --min-points 100; half of the rows have a weight of at least 3"},
		{"dbscan IN -c x --eps 1 --min-points 4 --weights w", "all rows are core: every sum of weights within --eps 1 reaches --min-points 4; half of the rows have a weight of at least 3"},
		{"dbscan SKY --eps 1arcsec --min-points 2", "all rows are noise: none has 1 other within --eps 1arcsec; half of the rows have 1 other within 1800arcsec; 'cluster kdist -k 1' advises on radii"},
		{"dbscan SKY --eps 1deg --min-points 2", "all rows are in one cluster: --eps 1deg separates nothing; half of the rows have 1 other within 0.5deg; 'cluster kdist -k 1' advises on radii"},
		{"scan IN -c x --eps 0.1:0.5:3 --min-points 3", "--min-points 3: all rows are noise up to the last radius, 0.5" + kdist2},
		{"scan IN -c x --eps 99:200:3 --min-points 3", "--min-points 3: all rows are in one cluster from the first radius on, 99" + kdist2},
		{"scan IN -c x --eps 0.5:9:9 --min-points 3", ""},
		{"hdbscan IN -c x --min-cluster-size 15 --min-samples 2", "all rows are noise: they do not divide into clusters of --min-cluster-size 15; with --min-cluster-size 7 --min-samples 2 there are 2 clusters of 20 rows"},
		{"hdbscan IN -c x --min-cluster-size 20 --min-samples 20", "all rows are noise: they do not divide into clusters of --min-cluster-size 20, nor of smaller ones; a lower --min-samples than 20 tells more places apart, and --single-cluster lets all be one"},
		{"hdbscan IN -c x --min-cluster-size 5 --min-samples 2 --single-cluster --epsilon 500", "all rows are in one cluster; without other flags --select leaf finds 2 clusters"},
		{"hdbscan IN -c x --min-cluster-size 5 --min-samples 2", ""},
		{"optics IN -c x --min-samples 3 --extract dbscan:0.5", "all rows are noise with --extract dbscan:0.5" + kdist2},
		{"optics IN -c x --min-samples 3 --extract dbscan:99", "all rows are in one cluster with --extract dbscan:99" + kdist2},
		{"optics IN -c x --min-samples 3 --max-eps 0.5", "no row reaches another: none has 2 others within --max-eps 0.5" + kdist2},
		{"optics IN -c x --min-samples 3 --extract dbscan:2", ""},
	} {
		args := strings.Fields(strings.NewReplacer("IN", in, "SKY", sky).Replace(c.line))
		var s struct{ Hints []string }
		if err := json.Unmarshal([]byte(cmdtest.Succeed(t, append(args, "--json")...).Stdout), &s); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Hints, "|"); got != c.want {
			t.Errorf("%s: hints %q, want %q", c.line, got, c.want)
		}
		if table := cmdtest.Succeed(t, args...).Stderr; strings.Contains(table, "\nhint ") != (c.want != "") || !strings.Contains(table, c.want) {
			t.Errorf("%s: the hint is not in\n%s", c.line, table)
		}
	}
}

// Where a catalog is joined with itself by naming it twice, every row meets itself;
// where it is named twice on one side its rows are there twice.
func TestCatalogGivenTwice(t *testing.T) {
	in, other := cmdtest.CSVOf(t, "x,y,c", "0,0,a", "1,0,b", "5,5,a"), cmdtest.CSVOf(t, "x,y,c", "0,0,a", "1,0,b", "5,5,a")
	const itself = "both catalogs are the same file, so that every row meets itself"
	for line, want := range map[string]string{
		"join IN IN -c x,y --eps 1":                                              itself,
		"match IN IN -c x,y --metric euclidean --radius 1":                       itself,
		"hist IN --with IN -c x,y --bins 0,1":                                    itself,
		"rdf IN IN -c x,y --box 20 --bins 0,1":                                   itself,
		"corr IN --random IN -c x,y --bins 0,9":                                  itself,
		"classify --train IN --label c --features x,y -k 1 IN":                   "every row votes for itself; --cv loo",
		"dbscan IN IN -c x,y --eps 1 --min-points 2":                             "in.csv is named twice, so its rows occur twice",
		"hist OTHER --with IN --with IN -c x,y --bins 0,1":                       "in.csv is named twice",
		"join IN OTHER -c x,y --eps 1":                                           "",
		"join IN IN -c x,y --eps 1 --where-b x>0":                                "",
		"join IN IN -c x,y --columns-b y,x --eps 1":                              "",
		"classify --train IN --label c --features x,y -k 1 IN --where-train x<2": "",
	} {
		r := cmdtest.Succeed(t, strings.Fields(strings.NewReplacer("IN", in, "OTHER", other).Replace(line))...)
		said := strings.Contains(r.Stderr, "same file") || strings.Contains(r.Stderr, "twice") || strings.Contains(r.Stderr, "itself")
		if said != (want != "") || !strings.Contains(r.Stderr, want) {
			t.Errorf("%s: want %q in\n%s", line, want, r.Stderr)
		}
	}
}
