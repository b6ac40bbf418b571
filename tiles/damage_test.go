package tiles

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

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
