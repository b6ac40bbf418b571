package job

import (
	"os"
	"path/filepath"
	"testing"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/hybrid"
)

// Traces have the mode of any new file.
func TestModesOfTraces(t *testing.T) {
	dir := t.TempDir()
	plain, err := os.Create(filepath.Join(dir, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	want, err := plain.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f := flags.GPU{Traces: []string{filepath.Join(dir, "t.json"), filepath.Join(dir, "t.csv")}, Force: func() bool { return false }}
	j := Job{Flags: &Flags{Run: flags.Run{GPU: f}}, events: []hybrid.Event{{Device: "cpu", End: 1}}}
	if err := j.writeTraces(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, path := range f.Traces {
		if st, err := os.Stat(path); err != nil || st.Mode() != want.Mode() {
			t.Errorf("%s: mode %v, error %v, want %v", path, st.Mode(), err, want.Mode())
		}
	}
}
