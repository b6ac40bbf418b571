package house

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the exported API to testdata/api and the table of packages to docs/architecture.md")

// public are the packages that other modules may import.
var public = []string{"dbscan", "gpu", "hdbscan", "hdbscan/optics", "hdbscan/outlier", "hdbscan/validity", "hybrid", "io/catalog", "io/figure", "io/table", "knnclass", "neighbors", "neighbors/match", "stats2b", "tiles"}

// exports returns an importer of the compiled packages of the module and all
// that they need, built with the tags of GOFLAGS.
func exports(t *testing.T) types.Importer {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", module+"...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	file := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		file[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(file[path]) })
}

// The exported API of every public package is that of a file, so that a change
// of it is a decision: go test ./internal/house -update writes the files.
func TestExportedAPI(t *testing.T) {
	imp := exports(t)
	for _, name := range public {
		pkg, err := imp.Import(module + name)
		if err != nil {
			t.Fatal(err)
		}
		got := apiOf(pkg)
		path := filepath.Join("testdata", "api", strings.ReplaceAll(name, "/", "_")+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := differ(string(want), got); d != "" {
			t.Errorf("the exported API of %s has changed; if that is meant, write it to %s with go test ./internal/house -update\n%s", name, path, d)
		}
		for _, leak := range leaks(pkg) {
			t.Errorf("%s: %s", name, leak)
		}
	}
}

// differ returns the lines that one text has and the other does not.
func differ(want, got string) string {
	count := map[string]int{}
	for _, l := range strings.Split(want, "\n") {
		count[l]--
	}
	for _, l := range strings.Split(got, "\n") {
		count[l]++
	}
	var d strings.Builder
	for _, l := range slices.Sorted(maps.Keys(count)) {
		switch n := count[l]; {
		case n < 0:
			fmt.Fprintln(&d, "-", l)
		case n > 0:
			fmt.Fprintln(&d, "+", l)
		}
	}
	return d.String()
}

// apiOf lists what a package exports: a line for each function, constant and
// variable, and for each field and method of a type.
func apiOf(pkg *types.Package) string {
	within := func(p *types.Package) string {
		if p == pkg {
			return ""
		}
		return strings.TrimPrefix(p.Path(), module)
	}
	var b strings.Builder
	for _, o := range exported(pkg) {
		switch o := o.(type) {
		case *types.Const:
			fmt.Fprintf(&b, "%s = %s\n", types.ObjectString(o, within), o.Val().ExactString())
		case *types.TypeName:
			named, ok := o.Type().(*types.Named)
			if !ok || o.IsAlias() {
				fmt.Fprintln(&b, types.ObjectString(o, within))
				continue
			}
			kind := types.TypeString(named.Underlying(), within)
			s, isStruct := named.Underlying().(*types.Struct)
			if isStruct {
				kind = "struct"
			}
			fmt.Fprintf(&b, "type %s %s\n", o.Name(), kind)
			for i := 0; isStruct && i < s.NumFields(); i++ {
				if f := s.Field(i); f.Exported() {
					fmt.Fprintf(&b, "\t%s %s\n", f.Name(), types.TypeString(f.Type(), within))
				}
			}
			for _, m := range methods(named) {
				fmt.Fprintf(&b, "\t%s\n", types.ObjectString(m, within))
			}
		default:
			fmt.Fprintln(&b, types.ObjectString(o, within))
		}
	}
	return unnamed.ReplaceAllString(single.ReplaceAllString(b.String(), "$1"), "")
}

// The compiler names results that the source does not.
var (
	single  = regexp.MustCompile(`\(#rv1 ([^(),]*)\)`)
	unnamed = regexp.MustCompile(`#rv\d+ `)
)

// exported returns what a package exports, by name.
func exported(pkg *types.Package) (all []types.Object) {
	for _, name := range pkg.Scope().Names() {
		if o := pkg.Scope().Lookup(name); o.Exported() {
			all = append(all, o)
		}
	}
	return all
}

// methods returns the exported methods of a type that is no interface.
func methods(named *types.Named) (all []*types.Func) {
	if types.IsInterface(named) {
		return nil
	}
	for sel := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if f := sel.Obj().(*types.Func); f.Exported() {
			all = append(all, f)
		}
	}
	return all
}

// leaks returns a line for everything that a package exports although it is of
// a type that other modules cannot name.
func leaks(pkg *types.Package) (all []string) {
	check := func(what string, t types.Type) {
		for _, hidden := range hidden(t, nil) {
			all = append(all, fmt.Sprintf("%s is exported but is of %s, which other modules cannot name", what, hidden))
		}
	}
	for _, o := range exported(pkg) {
		named, ok := o.Type().(*types.Named)
		if _, isType := o.(*types.TypeName); !isType || !ok {
			check(o.Name(), o.Type())
			continue
		}
		check(o.Name(), named.Underlying())
		for _, m := range methods(named) {
			check(o.Name()+"."+m.Name(), m.Type())
		}
	}
	return all
}

// hidden appends the types of internal packages, and the unexported types, that
// can be seen in t.
func hidden(t types.Type, found []string) []string {
	switch t := t.(type) {
	case *types.Alias:
		return hidden(types.Unalias(t), found)
	case *types.Named:
		o := t.Obj()
		if p := o.Pkg(); p != nil && (strings.HasPrefix(p.Path(), module+"internal/") || !o.Exported()) {
			found = append(found, p.Path()+"."+o.Name())
		}
		for a := range t.TypeArgs().Types() {
			found = hidden(a, found)
		}
	case interface{ Elem() types.Type }: // pointer, slice, array, channel, and the values of a map
		if m, ok := t.(*types.Map); ok {
			found = hidden(m.Key(), found)
		}
		return hidden(t.Elem(), found)
	case *types.Signature:
		for _, vars := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range vars.Variables() {
				found = hidden(v.Type(), found)
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			switch {
			case f.Exported():
				found = hidden(f.Type(), found)
			case f.Embedded(): // its exported fields can be seen; methods are looked at by themselves
				found = hidden(f.Type().Underlying(), found)
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if m.Exported() {
				found = hidden(m.Type(), found)
			}
		}
		for e := range t.EmbeddedTypes() {
			found = hidden(e, found)
		}
	}
	return found
}

// The check itself must be able to fail.
func TestLeaksAreFound(t *testing.T) {
	imp := exports(t)
	for _, c := range []struct {
		source string
		want   int
	}{
		{`func F(x []int) map[string]error { return nil }`, 0},
		{`func F(g *grid.Grid) {}`, 1},
		{`func f(g *grid.Grid) {}; type T struct { g grid.Grid }`, 0},
		{`type T struct { G []grid.Grid }`, 1},
		{`type T struct { grid.Grid }`, 1},
		{`type T struct { t }; type t struct { G grid.Grid; h grid.Grid }`, 1},
		{`type T struct{}; func (T) M(func(map[int]grid.Source)) {}`, 1},
		{`type T interface { M() (chan grid.Grid, error) }`, 1},
		{`var V = grid.Source{}`, 1},
		{`type t int; func F() t { return 0 }`, 1},
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", `package p; import "`+module+`internal/grid"; var _ grid.Grid; `+c.source, 0)
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := (&types.Config{Importer: imp}).Check("p", fset, []*ast.File{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := leaks(pkg); len(got) != c.want {
			t.Errorf("%s: %q, want %d", c.source, got, c.want)
		}
	}
	if d := differ("a\nb\n", "a\nc\n"); d != "- b\n+ c\n" {
		t.Errorf("differ says %q", d)
	}
}
