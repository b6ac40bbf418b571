package tiles

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// smallPlan is a plan of a few rows, computed and merged.
func smallPlan(t testing.TB, m Metric, dim int, stage Staging) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(19, uint64(dim)))
	dir := t.TempDir()
	var cols []catalog.Column
	s := Set{Sky: m.onSky()}
	for _, v := range clumps(rng, 60, dim, 1) {
		name := string(rune('x' + len(cols)))
		cols, s.Columns = append(cols, floats(name, "", "", v)), append(s.Columns, name)
	}
	in := filepath.Join(dir, "in.parquet")
	if err := table.Write(t.Context(), in, cols, table.Options{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	cat, err := catalog.Open(t.Context(), []string{in}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cat.Close()
	p, err := Make(t.Context(), filepath.Join(dir, "plan"), Request{
		Plan:     &Plan{Command: "dbscan", Sets: []Set{s}, Metric: m, Radius: .05, DBSCAN: &DBSCAN{MinPoints: 3, Border: dbscan.BorderFirst.String()}},
		Catalogs: []*catalog.Catalog{cat}, Tiles: 2, Stage: stage, Threads: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := use(t.Context(), p.dir); err != nil {
		t.Fatal(err)
	}
	return p.dir
}

// use does with a plan all that can be done.
func use(ctx context.Context, dir string) error {
	p, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	_, err = p.Status()
	p.Simulate(Machines{Slots: 2, Threads: 1})
	for i := range p.Tiles {
		_, run := p.Run(ctx, i, Options{Threads: 1})
		err = errors.Join(err, run)
	}
	if _, merge := p.Merge(ctx); merge != nil {
		return errors.Join(err, merge)
	}
	r, labels := p.Labels(ctx)
	if labels != nil {
		return errors.Join(err, labels)
	}
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		return err
	}
	s := &p.Sets[0]
	_, relabel := r.Relabel(ctx, 0, LabelledPath(s.Files[0].Path, s.Common(), out), table.Options{Threads: 1})
	return errors.Join(err, relabel)
}

// copied copies a folder.
func copied(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "plan")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// A damaged file is JSON with one value replaced by another.
func damagedJSON(t testing.TB, text []byte, do func(what string, text []byte)) {
	t.Helper()
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	others := []any{nil, true, "", "rel/a.parquet", "/a/../b", -1.0, 0.0, 1e18, 1e300, []any{}, map[string]any{}}
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		for _, o := range others {
			set(o)
			b, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			do(path, b)
		}
		set(v)
		switch v := v.(type) {
		case []any:
			for i, e := range v {
				walk(path+"/_", e, func(o any) { v[i] = o })
			}
			if len(v) > 0 {
				set(append(slices.Clone(v), v[0]))
				b, _ := json.Marshal(root)
				do(path+" twice", b)
				set(v)
			}
		case map[string]any:
			for k, e := range v {
				walk(path+"/"+k, e, func(o any) { v[k] = o })
			}
		}
	}
	walk("", root, func(v any) { root = v })
}

// A damaged plan ends with an error, never with a panic, and soon; nothing is
// written outside of its folder.
func TestDamagedPlans(t *testing.T) {
	whole := smallPlan(t, Metric{Kind: "euclidean"}, 2, StageNo)
	text, err := os.ReadFile(filepath.Join(whole, planFile))
	if err != nil {
		t.Fatal(err)
	}
	dir, tried := copied(t, whole), 0
	damagedJSON(t, text, func(what string, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, planFile), text, 0o666); err != nil {
			t.Fatal(err)
		}
		tried++
		if _, err := Open(t.Context(), dir); err != nil || testing.Short() && tried%5 > 0 {
			return
		}
		for _, made := range []string{tilesDir, mergedDir, "out"} { // of the plan as it was before
			os.RemoveAll(filepath.Join(dir, made))
		}
		_ = use(t.Context(), dir) // whether that can succeed depends on the value
	})
	if tried < 300 {
		t.Errorf("%d plans were tried", tried)
	}
}

// FuzzPlan replaces a file of a plan.
func FuzzPlan(f *testing.F) {
	dirs := []string{
		smallPlan(f, Metric{Kind: "euclidean"}, 2, StageYes),
		smallPlan(f, Metric{Kind: "sky"}, 2, StageNo),
		smallPlan(f, Metric{Kind: "periodic", Sides: []float64{1, 0, 1}}, 3, StageNo),
	}
	var names []string // of all, the same index in each
	for i, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			k := slices.Index(names, name)
			if k < 0 {
				k, names = len(names), append(names, name)
			}
			text, err := os.ReadFile(path)
			f.Add(uint8(i), uint8(k), text)
			return err
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, which, name uint8, text []byte) {
		dir := copied(t, dirs[int(which)%len(dirs)])
		if err := os.WriteFile(filepath.Join(dir, names[int(name)%len(names)]), text, 0o666); err != nil {
			t.Skip()
		}
		use(t.Context(), dir)
		os.RemoveAll(filepath.Join(dir, mergedDir))
		use(t.Context(), dir)
	})
}
