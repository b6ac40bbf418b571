package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// copied is a copy of the checkout as it is, and the names of its files.
func copied(t *testing.T) (dir string, names []string) {
	t.Helper()
	list, err := output(t.Context(), root(t), nil, "git", "ls-files")
	if err != nil {
		t.Fatal(err)
	}
	dir, names = t.TempDir(), strings.Split(list, "\n")
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(root(t), name))
		if err == nil {
			err = write(filepath.Join(dir, name), b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir, names
}

// A path is refused that go get would refuse, before a file changes.
func TestPathsAreChecked(t *testing.T) {
	for _, path := range []string{"skyjoin", "example.org/sky join", "https://example.org/skyjoin", "example.org/skyjoin/"} {
		if err := rename(root(t), nil, path); err == nil || !strings.Contains(err.Error(), "malformed module path") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// With an address the library is what go get takes from the archive of a release: a
// module outside of the checkout gets it, and builds, vets and runs the program of the
// README. Without an address there is none.
func TestGoGet(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling the library by another path is slow")
	}
	at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	if files, err := proxied(root(t), "1.2.3", at); len(files) != 0 || err != nil {
		t.Errorf("%d files of a module without an address, %v", len(files), err)
	}
	library, names := copied(t)
	const path = "example.org/Astro/skyjoin"
	if err := rename(library, names, path); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(library, "docs", "library.md"))
	if err != nil || !strings.Contains(string(page), "go get "+path+"@latest") || strings.Contains(string(page), "not an address") {
		t.Errorf("the page does not say how to get it: %v", err)
	}
	files, err := proxied(library, "1.2.3-dev", at)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, e := range files {
		if err := write(filepath.Join(dir, "proxy", e.name), e.data); err != nil {
			t.Fatal(err)
		}
	}
	modules, err := output(t.Context(), "", nil, "go", "env", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "modules") // the user's cache stays as it is
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", own).Run() })
	survey := filepath.Join(dir, "survey")
	run := func(args ...string) string {
		t.Helper()
		out, err := output(t.Context(), survey, []string{"GOPROXY=file://" + dir + "/proxy,file://" + modules + "/cache/download", "GOMODCACHE=" + own, "GONOSUMDB=*", "GOFLAGS=", "GOWORK=off"}, "go", args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	readme, err := os.ReadFile(filepath.Join(library, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```go\n(.*?)```.*?```output\n(.*?)```").FindSubmatch(readme)
	for name, text := range map[string]string{"go.mod": "module example.com/survey\n\ngo 1.26.0\n", "main.go": string(program[1])} {
		if err := write(filepath.Join(survey, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	run("get", path+"@latest")
	run("get", path+"/dbscan") // as go mod tidy would, which needs what the tests of all modules need, too
	run("vet", "./...")
	if got, want := run("run", "."), strings.TrimSpace(string(program[2])); got != want {
		t.Errorf("the program prints %s, want %s", got, want)
	}
	if got := run("list", "-m", path); got != path+" v1.2.3-dev" {
		t.Errorf("got %s", got)
	}
}
