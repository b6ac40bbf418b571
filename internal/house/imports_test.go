package house

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// libraries are what the layers of the command may import of the rest.
var libraries = []string{"tiles", "neighbors", "neighbors/", "gpu", "gpu/kernels", "hybrid", "dbscan", "hdbscan", "hdbscan/", "knnclass", "stats2b", "io/", "internal/"}

// shared are packages that commands share.
func shared(names ...string) []string {
	for i := range names {
		names[i] = "cmd/cluster/internal/" + names[i]
	}
	return names
}

// allowed lists, for every room, the rooms of this module that its non-test
// code may import. A name that ends in "/" stands for everything below it.
var allowed = []struct {
	room string
	may  []string
}{
	{"cmd/cluster", append([]string{"cmd/cluster/"}, libraries...)},
	// A command: no command imports another.
	{"cmd/cluster/", append([]string{"cmd/cluster/internal/"}, libraries...)},
	// What commands share, from the top down: parts of several commands, jobs,
	// flags and reports. Each imports lower ones only.
	// The one way to the published methods.
	{"cmd/cluster/reproduce", append([]string{"published", "cmd/cluster/internal/"}, libraries...)},
	{"published", []string{"io/figure", "hybrid", "gpu", "neighbors", "internal/"}},
	{"cmd/cluster/internal/cmdtest", []string{"cmd/cluster/internal/", "internal/"}},
	{"cmd/cluster/internal/command", append(shared("job", "runfile", "report", "flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/runfile", append(shared("flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/paircount", append(shared("tiled", "job", "geometry", "report", "flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/pages", append(shared("columns", "job", "geometry", "report", "flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/pairs", append(shared("columns", "job", "geometry", "report", "flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/columns", append(shared("job", "geometry", "report", "flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/tiled", append(shared("job", "geometry", "report", "flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/job", append(shared("geometry", "report", "flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/geometry", append(shared("flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/report", append(shared("flags", "exit", "human"), libraries...)},
	{"cmd/cluster/internal/flags", append(shared("exit", "human"), libraries...)},
	{"cmd/cluster/internal/exit", append(shared("human"), libraries...)},
	{"cmd/cluster/internal/human", []string{"internal/"}},
	{"tiles", []string{"io/catalog", "io/table", "dbscan", "stats2b", "neighbors", "neighbors/", "internal/"}},
	{"io/catalog", []string{"neighbors", "internal/"}},
	{"io/table", []string{"io/catalog", "neighbors", "internal/"}},
	{"io/figure", []string{"stats2b", "neighbors", "internal/"}},
	{"dbscan", []string{"neighbors", "internal/"}},
	{"hdbscan", []string{"hdbscan/", "neighbors", "internal/"}},
	{"hdbscan/", []string{"hdbscan/", "neighbors", "internal/"}},
	{"knnclass", []string{"neighbors", "internal/"}},
	{"stats2b", []string{"neighbors", "internal/"}},
	{"hybrid", []string{"neighbors", "internal/"}},
	{"gpu", []string{"gpu/kernels", "neighbors", "internal/"}},
	{"gpu/", []string{"neighbors", "internal/"}},
	{"gpu/kernels", nil},
	{"neighbors", []string{"internal/"}},
	{"neighbors/", []string{"neighbors", "internal/"}},
	{"internal/jointest", []string{"neighbors", "internal/"}},
	{"internal/", []string{"internal/"}},
	{"bench/", []string{"neighbors", "dbscan", "hdbscan", "stats2b", "internal/"}},
	// The C library: the verbs, and neither files nor tiles.
	{"capi", []string{"neighbors", "neighbors/", "gpu", "dbscan", "hdbscan", "hdbscan/", "knnclass", "stats2b", "internal/column", "internal/hook", "internal/pairfunc", "internal/par", "internal/size", "internal/space"}},
	{"notebooks", nil},
}

// only lists libraries that belong to some rooms alone.
var only = []struct {
	library string
	rooms   []string
}{
	{"github.com/spf13/", []string{"cmd/cluster", "cmd/cluster/"}},
	{"github.com/pelletier/go-toml/", []string{"cmd/cluster/internal/runfile"}},
	{"github.com/schollz/progressbar", []string{"cmd/cluster/internal/report"}},
	{"github.com/apache/arrow", []string{"internal/format/parquet", "internal/format/arrow"}},
	{"gonum.org/v1/plot", []string{"io/figure"}},
	{"codeberg.org/", []string{"io/figure"}},
	{"gorgonia.org/cu", []string{"internal/cuda"}},
	{"testing", []string{"cmd/cluster/internal/cmdtest", "internal/jointest", "internal/pyref", "internal/vo/votest"}},
}

// never lists rooms that only tests may import.
var never = []string{"cmd/cluster/internal/cmdtest", "internal/jointest", "internal/pyref", "internal/cuda/emulate", "internal/vo/votest"}

// module begins the import paths of this module.
var module = func() string {
	text, _ := os.ReadFile("../../go.mod")
	return modfile.ModulePath(text) + "/"
}()

func TestImportsGoOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		room := strings.TrimPrefix(p.ImportPath, module)
		for _, bad := range violations(room, p.Imports) {
			t.Error(bad)
		}
	}
	if seen < 10 {
		t.Fatalf("go list named %d packages of the module, the house has more", seen)
	}
}

// The check itself must be able to fail.
func TestViolationsAreFound(t *testing.T) {
	for _, c := range []struct {
		room, imports string
		want          int
	}{
		{"neighbors", "skyjoin/io/catalog", 1},
		{"neighbors", "skyjoin/internal/grid", 0},
		{"internal/grid", "skyjoin/neighbors", 1},
		{"internal/jointest", "skyjoin/neighbors", 0},
		{"dbscan", "skyjoin/internal/jointest", 1},
		{"dbscan", "github.com/apache/arrow/go/v15/arrow", 1},
		{"io/figure", "skyjoin/io/catalog", 1},
		{"cmd/cluster", "github.com/spf13/cobra", 0},
		{"cmd/cluster/rdf", "skyjoin/cmd/cluster/hist", 1},
		{"cmd/cluster/rdf", "skyjoin/cmd/cluster/internal/paircount", 0},
		{"cmd/cluster/internal/job", "skyjoin/cmd/cluster/internal/paircount", 1},
		{"cmd/cluster/internal/flags", "skyjoin/cmd/cluster/internal/report", 1},
		{"dbscan", "github.com/spf13/cobra", 1},
		{"attic", "fmt", 1},
		{"cmd/cluster/join", "skyjoin/published", 1},
		{"neighbors", "skyjoin/published", 1},
		{"cmd/cluster/reproduce", "skyjoin/published", 0},
	} {
		if got := violations(c.room, []string{c.imports}); len(got) != c.want {
			t.Errorf("%s importing %s: %q, want %d violations", c.room, c.imports, got, c.want)
		}
	}
}

// violations returns a line for every import of room that breaks the rules.
func violations(room string, imports []string) []string {
	var bad []string
	may, known := rights(room)
	if !known {
		bad = append(bad, room+" is no room of the house: add it to the table with what it may import")
	}
	for _, imp := range imports {
		if other, ok := strings.CutPrefix(imp, module); ok {
			if !matches(may, other) {
				bad = append(bad, room+" must not import "+other)
			}
			if matches(never, other) {
				bad = append(bad, room+" must not import "+other+" outside tests")
			}
		}
		for _, o := range only {
			if strings.HasPrefix(imp, o.library) && !matches(o.rooms, room) {
				bad = append(bad, room+" must not import "+imp+", only "+strings.Join(o.rooms, ", ")+" may")
			}
		}
	}
	return bad
}

// rights returns what a room may import: of the entries that match it, the
// longest.
func rights(room string) (may []string, known bool) {
	best := -1
	for _, a := range allowed {
		if matches([]string{a.room}, room) && len(a.room) > best {
			may, known, best = a.may, true, len(a.room)
		}
	}
	return may, known
}

// matches reports whether name is in list, or below an entry that ends in "/".
func matches(list []string, name string) bool {
	for _, l := range list {
		if name == l || strings.HasSuffix(l, "/") && strings.HasPrefix(name, l) {
			return true
		}
	}
	return false
}
