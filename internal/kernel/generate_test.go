package kernel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGenerated generates the assembly again and compares it with what is
// here. It is skipped if the generator's modules cannot be had.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator")
	}
	if out, err := generator("mod", "download").CombinedOutput(); err != nil {
		t.Skipf("the modules of the generator cannot be downloaded: %v\n%s", err, out)
	}
	folder := t.TempDir()
	if out, err := generator("run", ".", "-o", folder).CombinedOutput(); err != nil {
		t.Fatalf("the generator fails: %v\n%s", err, out)
	}
	fresh := generated(t, folder)
	here := generated(t, ".")
	for name, text := range fresh {
		if !bytes.Equal(here[name], text) {
			t.Errorf("%s is not what the generator writes: run go generate", name)
		}
	}
	for name := range here {
		if fresh[name] == nil {
			t.Errorf("%s is no longer generated: remove it", name)
		}
	}
}

// generator returns a go command in the generator's module, on its own: a
// workspace or flags of the surrounding build are not its business.
func generator(args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir = "_gen"
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false", "GOOS=", "GOARCH=")
	return c
}

func generated(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "z*_amd64.*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no generated files in %s (%v)", folder, err)
	}
	files := map[string][]byte{}
	for _, n := range names {
		text, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(n)] = text
	}
	return files
}

// beyondAVX2 is a register or a mnemonic of AVX-512.
var beyondAVX2 = regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K[0-7]|V\w+(32|64)|V\w+\.\w+|VPCOMPRESS\w*|VCOMPRESS\w*)\b`)

// TestAVX2Registers looks for what an AVX2 processor does not have: it cannot
// be tried where there is AVX-512.
func TestAVX2Registers(t *testing.T) {
	for name, text := range generated(t, ".") {
		if !strings.HasSuffix(name, "_avx2_amd64.s") {
			continue
		}
		if found := beyondAVX2.Find(text); found != nil {
			t.Errorf("%s uses %s", name, found)
		}
	}
}
