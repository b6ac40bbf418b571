package gpu

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// The committed images belong to the committed sources.
func TestImagesAreOfTheirSources(t *testing.T) {
	var want []string
	for _, pattern := range []string{"*.cu", "*.cuh", "nvcc.flags", "*.zst", "published/*.cu", "published/*.zst"} {
		files, err := filepath.Glob(filepath.Join("kernels", pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Fatalf("there is no %s among the kernels", pattern)
		}
		want = append(want, files...)
	}
	for i, path := range want {
		name, err := filepath.Rel("kernels", path)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = fmt.Sprintf("%x  %s", sha256.Sum256(unpacked(t, path)), strings.TrimSuffix(filepath.ToSlash(name), ".zst"))
	}
	sums, err := os.ReadFile(filepath.Join("kernels", "kernels.sum"))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(sums)), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("kernels.sum is not that of the files beside it: after a change of the kernels run 'make kernels'\nhave %s\nwant %s",
			strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// unpacked reads a file, which is compressed if it ends in .zst.
func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil && filepath.Ext(path) == ".zst" {
		var z *zstd.Decoder
		if z, err = zstd.NewReader(nil); err == nil {
			defer z.Close()
			b, err = z.DecodeAll(b, nil)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Where the compiler of the images is installed it gives the same bytes again.
func TestImagesAreReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling the kernels is slow")
	}
	version, err := exec.Command("nvcc", "--version").Output()
	if err != nil || !bytes.Contains(version, []byte("release 11.8,")) {
		t.Skip("nvcc of CUDA 11.8 is not installed")
	}
	dir := t.TempDir()
	if out, err := exec.Command("make", "-C", "..", "kernels", "KERNELS_OUT="+dir).CombinedOutput(); err != nil {
		t.Fatalf("make kernels: %v\n%s", err, out)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil || len(made) < 3 {
		t.Fatalf("made %q, %v", made, err)
	}
	others, err := filepath.Glob(filepath.Join(dir, "published", "*.*"))
	if err != nil || len(others) < 2 {
		t.Fatalf("made %q, %v", others, err)
	}
	for _, path := range append(made, others...) {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(unpacked(t, filepath.Join("kernels", name)), unpacked(t, path)) {
			t.Errorf("%s is not what 'make kernels' makes of the sources", name)
		}
	}
}
