package house

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	"internal/release":             "builds releases, and is no part of the product",
	"bench":                        "measures, and is no part of the product",
}

// Package file is the only writer of files.
func TestOneRoomWrites(t *testing.T) {
	eachFile(t, "", 100, func(room string) bool { return room == "internal/file" || mayWrite[room] != "" }, func(path, text string) {
		for _, line := range uses(t, text, "os", writers) {
			t.Errorf("%s: %s: files are written by internal/file", path, line)
		}
	})
}

// Files are read and not mapped: a file that another program makes shorter meanwhile
// is an error then, and no signal that ends the process. Memory of no file may be
// mapped, which internal/cuda does.
func TestNoFileIsMapped(t *testing.T) {
	found := false
	eachFile(t, "", 100, func(string) bool { return false }, func(path, text string) {
		maps := strings.Contains(text, "SYS_MMAP") || strings.Contains(text, "/mmap")
		maps = maps || len(uses(t, text, "syscall", []string{"Mmap"})) > 0 || len(uses(t, text, "golang.org/x/sys/unix", []string{"Mmap", "MmapPtr"})) > 0
		switch {
		case maps && path == "internal/cuda/pinned_cuda.go":
			if found = true; !strings.Contains(text, "syscall.Mmap(-1, ") {
				t.Errorf("%s maps files", path)
			}
		case maps:
			t.Errorf("%s: readers read files and do not map them", path)
		}
	})
	if !found {
		t.Error("internal/cuda maps no memory: has it moved?")
	}
}

// Commands open catalogs in one place.
func TestOnePlaceOpensCatalogs(t *testing.T) {
	const place = "cmd/cluster/internal/flags/catalog.go"
	found := false
	eachFile(t, "cmd/cluster", 100, func(string) bool { return false }, func(path, text string) {
		for _, line := range uses(t, text, "skyjoin/io/catalog", []string{"Open"}) {
			if found = found || path == place; path != place {
				t.Errorf("%s: %s: commands open catalogs with flags.OpenCatalog", path, line)
			}
		}
	})
	if !found {
		t.Errorf("%s opens no catalogs", place)
	}
}

// eachFile calls do with the Go files below a folder that are not tests, which must
// be some number at least, except those in folders that are left out.
func eachFile(t *testing.T, below string, least int, without func(room string) bool, do func(path, text string)) {
	t.Helper()
	seen := 0
	err := fs.WalkDir(os.DirFS("../.."), cmp.Or(below, "."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if without(path) || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "." {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		seen++
		text, err := os.ReadFile(filepath.Join("../..", path))
		do(path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < least {
		t.Fatalf("%d files were looked at, there are more", seen)
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
		if got := uses(t, text, "os", writers); len(got) != want {
			t.Errorf("%s: found %q, want %d", text, got, want)
		}
	}
}

// uses returns the uses of names of a package in a file of Go.
func uses(t *testing.T, text, pkg string, names []string) (found []string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	for _, imp := range f.Imports {
		if imp.Path.Value == strconv.Quote(pkg) {
			if name = pkg[strings.LastIndexByte(pkg, '/')+1:]; imp.Name != nil {
				name = imp.Name.Name
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && name != "" && x.Name == name && slices.Contains(names, sel.Sel.Name) {
				found = append(found, fset.Position(n.Pos()).String()+": "+name+"."+sel.Sel.Name)
			}
		}
		return true
	})
	return found
}
