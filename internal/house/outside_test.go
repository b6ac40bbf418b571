package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks finds what is written in the blocks of a page that are marked so.
func blocks(t *testing.T, page, mark string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```"+mark+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		all = append(all, m[1])
	}
	if len(all) == 0 {
		t.Fatalf("%s has no block of %s", page, mark)
	}
	return all
}

// A module outside of the checkout imports the library as docs/library.md says:
// with its lines of go.mod, and from a vendored copy. The programs are those of
// the pages, and the modules that the library needs those of the checkout.
func TestOtherModulesImportTheLibrary(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	programs := append(blocks(t, "README.md", "go"), blocks(t, "docs/library.md", "go")...)
	outputs := append(blocks(t, "README.md", "output"), blocks(t, "docs/library.md", "output")...)
	if len(programs) != len(outputs) {
		t.Fatalf("%d programs with %d outputs", len(programs), len(outputs))
	}
	if testing.Short() { // the first needs no other modules
		programs, outputs = programs[:1], outputs[:1]
	}
	lines := strings.ReplaceAll(blocks(t, "docs/library.md", "go.mod")[0], "../skyjoin", root)
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(mod string, args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod="+mod, "GOPROXY=off", "GOSUMDB=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	write("go.mod", "module example.com/survey\n\n"+lines)
	for i, p := range programs {
		write(filepath.Join("p"+string(rune('0'+i)), "main.go"), p)
	}
	run("mod", "mod", "tidy", "-e") // without the tests of other modules, which need more than the checkout has
	run("mod", "vet", "./...")
	for i, want := range outputs {
		if got := run("mod", "run", "./p"+string(rune('0'+i))); got != want {
			t.Errorf("program %d prints\n%s\nwant\n%s", i, got, want)
		}
	}
	run("mod", "mod", "vendor")
	if err := os.Remove(filepath.Join(dir, "vendor", module, "LICENSE")); err != nil {
		t.Errorf("the copy of the library has no license: %v", err)
	}
	// Only the first: the modules that the others need would be compiled anew.
	if got := run("vendor", "run", "./p0"); got != outputs[0] {
		t.Errorf("the program prints\n%s\nwant\n%s", got, outputs[0])
	}
}
