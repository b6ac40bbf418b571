package costmodel

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir() + "/new"
	c := &Calibration{Host: "h", Data: []string{"a", "b"}, Rows: 10, Dim: 2, Epsilon: 0.5, Pairs: 1 << 60, Candidates: 1<<62 + 1,
		CPU: Rate{"cpu", 2}, GPU: &Rate{"gpu", 0.5}, Batch: &BatchModel{Dim: 2, Epsilon: 0.5, Batch: 100, Batches: 7, Join: 0.1, Launch: 0.01, Pin: 1e-9}}
	if got, err := Load(dir, "h", c.Data); got != nil || err != nil {
		t.Fatalf("nothing is there, but %v, %v", got, err)
	}
	path, err := c.Save(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir, "h", []string{"a", "b"})
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("saved %+v, loaded %+v, %v", c, got, err)
	}
	for _, other := range [][]string{{"ab"}, {"a"}, {"a", "b", ""}, {"b", "a"}} {
		if got, err := Load(dir, "h", other); got != nil || err != nil {
			t.Errorf("%q is another data set: %v, %v", other, got, err)
		}
	}
	if got, _ := Load(dir, "i", c.Data); got != nil {
		t.Error("another host has the same calibration")
	}
	for _, text := range []string{"{", `{"epsilon": 0}`, `{"epsilon": 1, "dimensions": 2, "cpu": {"seconds": 1}, "batch": {}}`, ""} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := Load(dir, "h", c.Data); got != nil || err == nil || !strings.Contains(err.Error(), "cluster calibrate") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files in the folder, want 1", len(entries))
	}
}

// The example of the text: both sides are predicted by the volume of the ball at the
// new radius, and together they have the sum of their rates.
func TestPredictsOtherRadii(t *testing.T) {
	c := Calibration{Dim: 3, Epsilon: 2, CPU: Rate{"cpu", 6}, GPU: &Rate{"gpu", 3}}
	if cpu, gpu, both := c.Predict(4); cpu != 48 || gpu != 24 || both != 16 {
		t.Errorf("at twice the radius: %v, %v, %v s, want 48, 24, 16", cpu, gpu, both)
	}
	if cpu, gpu, both := c.Predict(1); cpu != 0.75 || gpu != 0.375 || both != 0.25 {
		t.Errorf("at half of the radius: %v, %v, %v s, want .75, .375, .25", cpu, gpu, both)
	}
}

func TestShares(t *testing.T) {
	c := Calibration{Dim: 2, Epsilon: 1, CPU: Rate{"cpu", 3}, GPU: &Rate{"gpu", 1}}
	if c.Share() != 0.75 {
		t.Errorf("a GPU three times as fast gets %v of the work, want 0.75", c.Share())
	}
	for _, k := range []struct {
		epsilon, start float64
		want           bool
	}{{1, 0.3, true}, {1, 2.1, false}, {0.1, 0.3, false}, {2, 2.1, true}} {
		if got := c.GPUFaster(k.epsilon, k.start); got != k.want {
			t.Errorf("%+v: %v", k, got)
		}
	}
	c.GPU = nil
	if c.Share() != 0 || c.GPUFaster(100, 0) {
		t.Error("a GPU that is not there gets work")
	}
}

// FuzzLoad loads any text: a calibration that answers, or an error.
func FuzzLoad(f *testing.F) {
	c := &Calibration{Host: "h", Rows: 10, Dim: 2, Epsilon: 0.5, Pairs: 1 << 60, CPU: Rate{"cpu", 2}, GPU: &Rate{"gpu", 0.5}, Batch: &BatchModel{Dim: 2, Epsilon: 0.5, Batch: 100, Batches: 7, Join: 0.1, Launch: 0.01, Pin: 1e-9}}
	path, err := c.Save(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(Path(dir, "h", nil), text, 0o600); err != nil {
			t.Skip()
		}
		c, err := Load(dir, "h", nil)
		if err != nil {
			return
		}
		if s := c.Share(); s < 0 || s > 1 {
			t.Errorf("the GPU gets %v of the work", s)
		}
		c.GPUFaster(1, 0)
		if c.Batch != nil {
			if n := c.Batch.Best(1, 1<<16, 32<<20, 3); n < 1<<16 || n > 32<<20 {
				t.Errorf("batches of %d", n)
			}
		}
	})
}
