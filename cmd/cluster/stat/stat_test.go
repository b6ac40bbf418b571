package stat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestStatReductions(t *testing.T) {
	// Row 2 has no x. Distances 0-1: 5, 0-3: 10, 1-3: 5; differences of z.
	in := cmdtest.CSVOf(t, "x,y,z,m", "0,0,1,1", "3,4,5,2", ",1,1,9", "6,8,2,4")
	value := func(key string, args ...string) string {
		t.Helper()
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append([]string{"stat", in, "--json"}, args...)...))
		return fmt.Sprint(s.Result[key])
	}
	for _, c := range []struct{ want, key, args string }{
		{"20", "sum", "-c x,y --expr r --reduce sum"},
		{"20", "sum", "-c x,y --expr sqrt(dx*dx+dy*dy) --reduce sum -t 3"},
		{"3", "pairs", "-c x,y --expr r --reduce sum"},
		{"6", "pairs", "-c x,y --expr r*a.m --reduce sum"}, // not the same both ways
		{"3", "pairs", "-c x,y --expr r*a.m --reduce sum --meet once"},
		{"25", "sum", "-c x,y --expr r*a.m --reduce sum --meet once --where m<9"}, // 5·1 + 10·1 + 5·2
		{"2", "count", "-c x,y --expr r<6 --reduce count"},
		{"3", "count", "--expr a.m<b.m --reduce count --where m<9"},
		{"2", "count", "--expr abs(a.z-b.z)<=3 --reduce count --where x>=0"},
		{"0", "under", "-c x,y --expr r --reduce hist --bins 0,5.5,20"},
	} {
		if got := value(c.key, strings.Fields(c.args)...); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.args, c.key, got, c.want)
		}
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	for _, c := range []struct {
		args string
		want []string
	}{
		{"-c x,y --expr r --reduce hist --bins 0,5.5,20", []string{"lo,hi,count", "0,5.5,2", "5.5,20,1"}},
		{"--expr a.z-b.z --reduce hist --bins lin:-4:4:4 --where m<9", []string{"lo,hi,count", "-4,-2,2", "-2,0,1", "0,2,1", "2,4,1"}},
		{"-c x,y --expr r<6 --reduce pairs", []string{"row,neighbor", "0,1", "1,3"}},
		{"--expr a.m<b.m --reduce pairs --where m<9", []string{"row,neighbor", "0,1", "0,3", "1,3"}},
		{"-c x,y --expr r --reduce min --per-row", []string{"row,min,neighbor", "0,5,1", "1,5,0", "3,5,1"}},
		{"-c x,y --expr r --reduce sum --per-row", []string{"row,sum", "0,15", "1,10", "3,15"}},
		{"--expr a.z<b.z --reduce count --per-row", []string{"row,count", "0,2", "1,0", "2,2", "3,1"}},
	} {
		cmdtest.Succeed(t, append([]string{"stat", in, "-o", out, "--force", "-q"}, strings.Fields(c.args)...)...)
		cmdtest.Same(t, out, c.want...)
	}
	b := cmdtest.CSVOf(t, "x,y,z", "0,1,5", "9,9,9")
	cmdtest.Succeed(t, "stat", in, b, "--expr", "a.x < b.y and abs(a.z-b.z) < 3", "--reduce", "pairs", "-o", out, "--force", "-q")
	cmdtest.Same(t, out, "row,neighbor") // |z| is 4, 8; 0, 4; 3, 7
	cmdtest.Succeed(t, "stat", in, b, "--expr", "a.x < b.y + 8 and abs(a.z-b.z) <= 3", "--reduce", "pairs", "-o", out, "--force", "-q")
	cmdtest.Same(t, out, "row,neighbor", "1,0", "3,0")
}

// Messages about memory are in the units that --memory is written in.
func TestMemoryIsInUnits(t *testing.T) {
	in := filepath.Join(t.TempDir(), "u.parquet")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "3000", "-o", in, "-q")
	out := filepath.Join(t.TempDir(), "o.csv")
	for _, args := range []string{"join --eps 1", "knn -k 3 -o " + out, "hist --bins lin:0:9:3", "stat --expr r<9 --reduce pairs -o " + out, "corr --bins lin:0:9:3 --random " + in} {
		cmdtest.Refuse(t, exit.Request, append(strings.Fields(args), in, "-c", "x,y", "--memory", "3kB"), "KiB, 2.9 KiB are allowed", "--memory")
	}
	plan := filepath.Join(t.TempDir(), "plan")
	cmdtest.Refuse(t, exit.Request, []string{"plan", "hist", in, "-c", "x,y", "--bins", "lin:0:99:3", "--memory", "3kB", "-o", plan}, "a tile takes 48.0 MiB at least, 2.9 KiB are allowed")
	want := cmdtest.Succeed(t, "stat", in, "-c", "x,y", "--expr", "r<3", "--reduce", "pairs", "-o", "-", "-q").Stdout
	if got := cmdtest.Succeed(t, "stat", in, "-c", "x,y", "--expr", "r<3", "--reduce", "pairs", "-o", "-", "-q", "--memory", "15kB").Stdout; got != want {
		t.Error("less memory gives other pairs")
	}
}

func TestStatEmitsCUDA(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "0,0", "3,4")
	cu := filepath.Join(t.TempDir(), "kernel.cu")
	args := []string{"stat", in, "-c", "x,y", "--expr", "1 - dot(a,b)/(norm(a)*norm(b))", "--reduce", "hist", "--bins", "lin:0:2:4", "--emit-cuda", cu, "--json"}
	cmdtest.Succeed(t, args...)
	b, err := os.ReadFile(cu)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"1 - dot(a,b)/(norm(a)*norm(b))", "struct PairFunction", "__global__", "/* Tiling reg-roc: a block has its 6 counters in shared memory in 32 copies", "_roc_shared, PairsParams"} {
		if !strings.Contains(string(b), part) {
			t.Errorf("the source lacks %q", part)
		}
	}
	cmdtest.Refuse(t, exit.Request, args, "exists", "--force")
	cmdtest.Succeed(t, append(args, "--force")...)
	args[len(args)-2] = in
	cmdtest.Refuse(t, exit.Request, append(args, "--force"), "--emit-cuda", "is the input")
}

func TestStatRefuses(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y,id,s", "0,0,9007199254740993,a", "3,4,5,b")
	for _, c := range []struct {
		args string
		want string
	}{
		{"", "--expr is needed"},
		{"--expr r", "--reduce is needed"},
		{"--expr r --reduce sum", "coordinates"},
		{"--expr a.x --reduce count", "takes a condition"},
		{"--expr a.x<b.x --reduce sum", "takes a number"},
		{"--expr a.x --reduce hist", "--bins"},
		{"--expr a.x --reduce sum --bins 0,1", "--bins"},
		{"--expr a.x --reduce min", "--per-row"},
		{"--expr a.x<b.x --reduce pairs", "-o is needed"},
		{"--expr a.x*b.id --reduce sum", "9007199254740992"},
		{"--expr a.nope --reduce sum", "nope"},
		{"--expr a.s=b.s --reduce count", "s"},
		{"--expr x --reduce sum", "a.x and b.x"},
		{"--expr a.x --reduce hist --bins lin:1:-1:4", "below"},
		{"--expr a.x --reduce hist --bins -1,-2", "ascend"},
		{"--expr a.x --reduce median", "median"},
	} {
		cmdtest.Refuse(t, exit.Request, append([]string{"stat", in}, strings.Fields(c.args)...), c.want)
	}
}
