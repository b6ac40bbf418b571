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
)

// The committed image belongs to the committed sources.
func TestImageIsOfItsSources(t *testing.T) {
	var want []string
	for _, pattern := range []string{"*.cu", "*.cuh", "nvcc.flags", "kernels.fatbin"} {
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
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = fmt.Sprintf("%x  %s", sha256.Sum256(b), filepath.Base(path))
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

// Where the compiler of the image is installed it gives the same bytes again.
func TestImageIsReproducible(t *testing.T) {
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
	for _, name := range []string{"kernels.fatbin", "kernels.sum"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("kernels", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what 'make kernels' makes of the sources", name)
		}
	}
}
