package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writers are the functions of package os that make, rename or overwrite files.
var writers = []string{"Create", "CreateTemp", "Link", "OpenFile", "Rename", "Symlink", "Truncate", "WriteFile"}

// mayWrite lists the rooms that write files besides internal/file, with why.
var mayWrite = map[string]string{
	"internal/cuda/emulate":        "compiles kernels in a scratch folder of the emulator, for tests",
	"internal/kernel/_gen":         "writes the assembly of the repository",
	"cmd/cluster/internal/cmdtest": "is the harness of tests",
	"bench":                        "measures, and is no part of the product",
}

// Package file is the only writer of files.
func TestOneRoomWrites(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		room := filepath.ToSlash(strings.TrimPrefix(path, "../../"))
		if d.IsDir() {
			if room == "internal/file" || mayWrite[room] != "" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "../.." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		seen++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, line := range writes(t, string(text)) {
			t.Errorf("%s: %s: files are written by internal/file", room, line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Fatalf("%d files were looked at, the house has more", seen)
	}
}

// The check itself must be able to fail.
func TestWritesAreFound(t *testing.T) {
	for text, want := range map[string]int{
		`package p; import "os"; var f, _ = os.Create("x")`:                                     1,
		`package p; import "os"; var write = os.WriteFile`:                                      1,
		`package p; import system "os"; var err = system.Rename("a", "b")`:                      1,
		`package p; import "os"; var f, _ = os.Open("x")`:                                       0,
		`package p; import "skyjoin/internal/file"; var f, _ = file.Create("x", opt)`:           0,
		`package p; import "os/exec"; var os struct{ Create func() }; func f() { os.Create() }`: 0,
	} {
		if got := writes(t, text); len(got) != want {
			t.Errorf("%s: found %q, want %d", text, got, want)
		}
	}
}

// writes returns the uses of writers in a file of Go.
func writes(t *testing.T, text string) (found []string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	for _, imp := range f.Imports {
		if imp.Path.Value == `"os"` {
			if name = "os"; imp.Name != nil {
				name = imp.Name.Name
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && name != "" && x.Name == name && slices.Contains(writers, sel.Sel.Name) {
				found = append(found, fset.Position(n.Pos()).String()+": os."+sel.Sel.Name)
			}
		}
		return true
	})
	return found
}
