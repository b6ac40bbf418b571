package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
)

// The answers of independent programs on real catalogs.
func TestRealCatalogs(t *testing.T) {
	for _, c := range []struct {
		file, args string
		want       map[string]int64
		skipped    int64
		sizes      []int // the largest
	}{
		{"shapley_galaxies.csv", "--eps 0.15deg --min-points 10",
			map[string]int64{"clusters": 18, "noise": 2407, "core": 1511, "largest": 759}, 0,
			[]int{759, 643, 73, 55, 38, 35, 34, 29, 25, 17}},
		{"iris.arff", "-c sepallength,sepalwidth,petallength,petalwidth --eps 0.4 --min-points 4",
			map[string]int64{"clusters": 4, "noise": 25, "core": 104, "largest": 47}, 0,
			[]int{47, 38, 36, 4}},
		{"asteca_gaia_field.csv", "-c RA_ICRS,DE_ICRS,pmRA,pmDE,Plx --metric sky --scale 0.08deg,0.25,0.25,0.12 --eps 1 --min-points 15",
			map[string]int64{"clusters": 1, "noise": 8332, "core": 215, "largest": 286, "border": 71}, 65,
			[]int{286}},
	} {
		t.Run(c.file, func(t *testing.T) {
			in, out := cmdtest.TestData(t, c.file), filepath.Join(t.TempDir(), "out.csv")
			s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append([]string{"dbscan", in, "--json", "-o", out}, strings.Fields(c.args)...)...))
			cmdtest.Expect(t, s.Result, c.want)
			if s.Input.Skipped != c.skipped {
				t.Errorf("%d rows left out, want %d", s.Input.Skipped, c.skipped)
			}
			labels := cmdtest.Column(t, out, "cluster")
			if got := cmdtest.Sizes(labels); len(got) < len(c.sizes) || !slices.Equal(got[:len(c.sizes)], c.sizes) {
				t.Errorf("sizes %v, want %v, …", got, c.sizes)
			}
			if int64(len(labels)) != s.Input.Rows {
				t.Errorf("%d rows written, %d read", len(labels), s.Input.Rows)
			}
		})
	}
}

// labelled reads source_id and the labels of a Parquet file.
func labelled(t *testing.T, path string) (ids, labels []int64) {
	t.Helper()
	ctx := context.Background()
	cat, err := catalog.Open(ctx, []string{path}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cat.Close()
	cols, err := cat.Read(ctx, []string{"source_id", "cluster"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cols[0].Int64, cols[1].Int64
}

// The same rows by any writer get the same labels, and identifiers keep every
// digit.
func TestWritersDoNotMatter(t *testing.T) {
	args := strings.Fields("-q -c ra,dec,pmra,pmdec,parallax --scale 0.1deg,2,2,0.5 --eps 1 --min-points 6")
	dir := t.TempDir()
	var ids, labels []int64
	for i, name := range []string{
		"gaia_dr3_cone.parquet",
		"gaia_dr3_cone_writers/arrowrs_v2_zstd_rg700.parquet",
		"gaia_dr3_cone_writers/polars_zstd.parquet",
		"gaia_dr3_cone_writers/duckdb_v2_zstd.parquet",
	} {
		out := filepath.Join(dir, fmt.Sprint(i, ".parquet"))
		cmdtest.Succeed(t, append([]string{"dbscan", cmdtest.TestData(t, name), "-o", out}, args...)...)
		gotIDs, gotLabels := labelled(t, out)
		if i == 0 {
			ids, labels = gotIDs, gotLabels
			if len(ids) != 2390 || slices.Min(ids) != 4295806720 || slices.Max(ids) != 5188146736371635584 {
				t.Fatalf("%d source_id from %d to %d", len(ids), slices.Min(ids), slices.Max(ids))
			}
			if slices.Max(labels) < 1 {
				t.Fatalf("%d clusters are too few to tell anything", slices.Max(labels)+1)
			}
			continue
		}
		if !slices.Equal(gotIDs, ids) {
			t.Errorf("%s: source_id differs", name)
		}
		if !slices.Equal(gotLabels, labels) {
			t.Errorf("%s: labels differ", name)
		}
	}
}

// A folder of files is one table, and what every output says of its making is
// enough to repeat it.
func TestProvenance(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.parquet")
	in := cmdtest.CSVOf(t, "ra,dec,pm,w", "10,0,1,1", "10.1,0,1,1", "10,0,99,1", "10.2,0,3,2")
	cmdtest.Succeed(t, "dbscan", in, "-q", "-o", out, "-c", "ra,dec,pm", "--scale", "0.2deg,minmax", "--eps", "1.50", "--min-points", "2.5",
		"--weights", "w", "--null", "99", "--where", "ra > 0", "--border", "nearest")
	cat, err := catalog.Open(context.Background(), []string{out}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cat.Close()
	got := map[string]string{}
	for _, kv := range cat.Metadata() {
		if key, ok := strings.CutPrefix(kv.Key, report.MetadataPrefix); ok {
			got[key] = kv.Value
		}
	}
	for key, want := range map[string]string{
		"command": "dbscan", "columns": "ra,dec,pm", "metric": "sky", "scale": "0.2deg,2", "eps": "1.5", "min-points": "2.5",
		"weights": "w", "null": "99", "where": "ra > 0", "border": "nearest", "star": "false",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
		delete(got, key)
	}
	if run := got["run"]; !strings.HasPrefix(run, `["dbscan",`) || !strings.Contains(run, `"--eps=1.50"`) {
		t.Errorf("run is %s", run)
	}
	delete(got, "run")
	if len(got) > 0 {
		t.Errorf("metadata that should not be there: %v", got)
	}
}
