package tiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// A table of a plan whose columns have other names or types is a damaged plan,
// not a wrong request, and nothing is read from it.
func TestDamagedTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	w := newWorld(t, clumps(rng, 400, 1, 100), nil, Metric{Kind: "euclidean"}, .3, dbscan.Options{MinPoints: 5})
	p := w.plan(t, 2, StageAuto)
	path := filepath.Join(p.Dir(), readsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string) {
		t.Helper()
		if _, err := Open(context.Background(), p.Dir()); !errors.Is(err, ErrPlan) || errors.Is(err, catalog.ErrRequest) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(whole, []byte("set"), []byte("sev")), 0o666); err != nil {
		t.Fatal(err)
	}
	check("a column has another name")
	tile, set := int32s("tile", "", []int64{0}), int32s("set", "", []int64{0})
	for _, part := range []catalog.Column{floats("part", "", "", []float64{0}), bools("part", "", []bool{true}), {Field: set.Field, Int64: []int64{0}, Null: []bool{true}}} {
		part.Field.Name = "part"
		if err := table.Write(context.Background(), path, []catalog.Column{tile, set, part}, table.Options{Threads: 1, Force: true}); err != nil {
			t.Fatal(err)
		}
		check("another type")
	}
}

// A metric that this program does not know is a damaged plan, not Euclidean.
func TestUnknownMetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 3))
	w := newWorld(t, clumps(rng, 400, 1, 100), nil, Metric{Kind: "euclidean"}, .3, dbscan.Options{MinPoints: 5})
	p := w.plan(t, 2, StageAuto)
	path := filepath.Join(p.Dir(), planFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Replace(text, []byte(`"euclidean"`), []byte(`"manhattan"`), 1)
	if bytes.Equal(damaged, text) {
		t.Fatalf("%s does not name the metric", path)
	}
	if err := os.WriteFile(path, damaged, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), p.Dir()); !errors.Is(err, ErrPlan) {
		t.Errorf("a plan of an unknown metric: %v", err)
	}
}

// That a value of an input changes between two tiles, in a file whose size, time and
// ends stay as they were, is seen when the tiles are put together.
func TestInputsOfTilesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 4))
	cols := clumps(rng, 40000, 1, 100)
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	var text bytes.Buffer
	text.WriteString("x\n")
	for _, v := range cols[0] {
		fmt.Fprintf(&text, "%09.5f\n", v)
	}
	write := func() {
		if err := os.WriteFile(in, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(in, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	write()
	cat, err := catalog.Open(t.Context(), []string{in}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Make(t.Context(), filepath.Join(dir, "plan"), Request{
		Plan:     &Plan{Command: "dbscan", Sets: []Set{{Columns: []string{"x"}}}, Metric: Metric{Kind: "euclidean"}, Radius: .01, DBSCAN: &DBSCAN{MinPoints: 3, Border: "first"}},
		Catalogs: []*catalog.Catalog{cat}, Tiles: 2, Stage: StageNo, Threads: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	run := func(tile int) {
		if _, err := p.Run(t.Context(), tile, Options{Threads: 1, Again: true}); err != nil {
			t.Fatal(err)
		}
	}
	run(0)
	run(1)
	if _, err := p.Merge(t.Context()); err != nil {
		t.Fatal(err)
	}
	copy(text.Bytes()[200002:], "000.00000\n") // of row 20,000, about
	write()
	run(1)
	if err := os.RemoveAll(filepath.Join(p.Dir(), mergedDir)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Merge(t.Context()); !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), "tiles 0 and 1 have read other values") {
		t.Errorf("a value that has changed: %v", err)
	}
}
