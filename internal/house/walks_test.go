package house

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// A walk is a section of docs/architecture.md that follows the data of one
// command line: the commands, and the functions they pass on the way.
type walk struct {
	name     string
	commands string
	steps    []step
}

// A step is a row of a walk's table.
type step struct {
	function string // Func, or Type.Method
	file     string
}

const (
	architecture = "docs/architecture.md"
	walkMarker   = "<!-- walk: "
	prepare      = "prepare" // the walk that only makes the files of the others
)

// stepRow matches "| what happens | `Func` | `dir/file.go` |".
var stepRow = regexp.MustCompile("^\\|.*\\| `([^`]+)` \\| `([^`]+\\.go)` \\|$")

// walks reads the walks of a page, which begin at a marker each and end at the
// next heading.
func walks(page string) []walk {
	var found []walk
	var w *walk
	code := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch name, begins := strings.CutPrefix(line, walkMarker); {
		case begins:
			found = append(found, walk{name: strings.TrimSuffix(name, " -->")})
			w = &found[len(found)-1]
		case w == nil:
		case strings.HasPrefix(line, "```"):
			code = !code
		case code:
			w.commands += line + "\n"
		case strings.HasPrefix(line, "#"):
			w = nil
		default:
			if m := stepRow.FindStringSubmatch(line); m != nil {
				w.steps = append(w.steps, step{m[1], m[2]})
			}
		}
	}
	return found
}

// TestWalks follows the walks of docs/architecture.md with an instrumented
// build of the command: every function named there must be where the page says
// it is, and must be executed.
func TestWalks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the walks are shell commands")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, architecture))
	if err != nil {
		t.Fatal(err)
	}
	all := walks(string(page))
	if len(all) != 5 || all[0].name != prepare {
		t.Fatalf("%s has %d walks, it should have %q and four more", architecture, len(all), prepare)
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-cover", "-coverpkg="+module+"...", "-o", filepath.Join(dir, "bin", "cluster"), "./cmd/cluster")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, w := range all {
		executed := follow(t, root, dir, w)
		if w.name == prepare {
			continue
		}
		if len(w.steps) < 8 {
			t.Errorf("walk %s: %d steps, a walk from argv to the output file has more", w.name, len(w.steps))
		}
		for _, s := range w.steps {
			if why := executed.lacks(root, s); why != "" {
				t.Errorf("%s, walk %s: %s", architecture, w.name, why)
			}
		}
		files, rooms := executed.size()
		t.Logf("walk %s: %d functions in %d files of %d packages", w.name, len(executed), files, rooms)
	}
}

// A trace has the functions that were executed, as "dir/file.go:line".
type trace map[string]bool

// follow carries out the commands of a walk in dir.
func follow(t *testing.T, root, dir string, w walk) trace {
	t.Helper()
	counters := filepath.Join(dir, "counters-"+w.name)
	if err := os.Mkdir(counters, 0o777); err != nil {
		t.Fatal(err)
	}
	sh := exec.Command("sh", "-e")
	sh.Dir, sh.Stdin = dir, strings.NewReader(w.commands)
	sh.Env = append(os.Environ(), "GOCOVERDIR="+counters)
	if out, err := sh.CombinedOutput(); err != nil {
		t.Fatalf("walk %s: %v\n%s", w.name, err, out)
	}
	profile := filepath.Join(dir, w.name+".profile")
	tool(t, root, "covdata", "textfmt", "-i="+counters, "-o="+profile)
	executed := trace{}
	for s := bufio.NewScanner(bytes.NewReader(tool(t, root, "cover", "-func="+profile))); s.Scan(); {
		f := strings.Fields(s.Text()) // skyjoin/dir/file.go:12: name 87.5%
		if at, ok := strings.CutPrefix(f[0], module); ok && f[len(f)-1] != "0.0%" {
			executed[strings.TrimSuffix(at, ":")] = true
		}
	}
	return executed
}

func tool(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go tool %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// lacks says why a step is not one of the trace, "" if it is.
func (tr trace) lacks(root string, s step) string {
	lines, err := definitions(filepath.Join(root, s.file))
	if err != nil {
		return err.Error()
	}
	line, ok := lines[s.function]
	switch {
	case !ok:
		return fmt.Sprintf("%s has no function %s", s.file, s.function)
	case !tr[fmt.Sprintf("%s:%d", s.file, line)]:
		return fmt.Sprintf("%s of %s is not executed", s.function, s.file)
	}
	return ""
}

// size counts the files and packages of a trace.
func (tr trace) size() (files, rooms int) {
	f, r := map[string]bool{}, map[string]bool{}
	for at := range tr {
		file, _, _ := strings.Cut(at, ":")
		f[file], r[filepath.Dir(file)] = true, true
	}
	return len(f), len(r)
}

// definitions returns the lines that the functions of a file begin at.
func definitions(path string) (map[string]int, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	lines := map[string]int{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			name := f.Name.Name
			if f.Recv != nil {
				name = receiver(f.Recv.List[0].Type) + "." + name
			}
			lines[name] = set.Position(f.Pos()).Line
		}
	}
	return lines, nil
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// The check itself must be able to fail.
func TestWalksAreChecked(t *testing.T) {
	const page = "# Page\n<!-- walk: one -->\n```sh\ntrue\n```\n| a | `receiver` | `internal/house/walks_test.go` |\n| b | `trace.size` | `internal/house/walks_test.go` |\n## Other\n| c | `f` | `g.go` |\n"
	found := walks(page)
	if len(found) != 1 || found[0].commands != "true\n" || len(found[0].steps) != 2 {
		t.Fatalf("read %+v", found)
	}
	root := filepath.Join("..", "..")
	file := found[0].steps[0].file
	lines, err := definitions(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	tr := trace{fmt.Sprintf("%s:%d", file, lines["receiver"]): true}
	for _, c := range []struct {
		step step
		want string
	}{
		{found[0].steps[0], ""},
		{found[0].steps[1], "is not executed"},
		{step{"renamed", file}, "has no function renamed"},
		{step{"receiver", "internal/house/moved.go"}, "no such file"},
	} {
		if got := tr.lacks(root, c.step); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: %q, want %q", c.step, got, c.want)
		}
	}
}
