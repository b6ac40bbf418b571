package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/flags"
)

// What TestMemoryTable runs.
var memory = struct {
	rows, caps, commands *string
	shapes               *int
	seed                 *uint64
}{
	flag.String("memory.rows", "", "rows of the catalogs of TestMemoryTable, as in 1e5,1e6,4e6"),
	flag.String("memory.caps", "64,256,1024", "--memory of its runs, in MiB"),
	flag.String("memory.commands", "", "beginnings of the command lines that it runs, apart by ;; all if there are none"),
	flag.Int("memory.shapes", 0, "random catalogs of a size, beside a narrow and a wide one"),
	flag.Uint64("memory.seed", 1, "of the random catalogs"),
}

// memoryLines are command lines whose memory is bounded. IN is a catalog, EPS a
// radius that a few rows are within, WHERE a filter, LABELLED an output of dbscan,
// PLAN a plan whose tiles are done, SIX six columns.
const memoryLines = `join IN -c x,y --eps EPS WHERE -o o.parquet
join IN -c x,y --eps EPS --keep KEEP -o o.csv
join IN IN -c x,y --eps EPS -o o.parquet
knn IN -c x,y -k 10 WHERE -o o.parquet
knn IN IN -c x,y,z -k 3 --keep KEEP -o o.fits
match IN IN -c x,y --radius EPS -o o.parquet
match IN IN -c x,y --radius EPS -o o.csv
dbscan IN -c x,y --eps EPS --min-points 5 WHERE -o o.parquet
dbscan IN -c x,y,z --eps EPS --min-points 5 -o o.csv
dbscan IN -c SIX --eps 5 --min-points 5 -o o.parquet
hdbscan IN -c x,y --min-cluster-size 50 WHERE -o o.parquet
hdbscan IN -c x,y,z --min-cluster-size 50 -o o.fits
optics IN -c x,y --min-samples 5 -o o.parquet
outliers IN -c x,y -k 5 WHERE -o o.parquet
outliers IN -c SIX -k 5 -o o.parquet
classify --train IN --label label --features x,y -k 5 IN WHERE -o o.parquet
classify --train IN --regress z --features x,y -k 5 IN -o o.csv
classify --train IN --label label --features x,y -k 5 --cv 5
predict LABELLED IN WHERE -o o.parquet
hist IN -c x,y --bins lin:0:EPS:10 WHERE -o o.csv
hist IN -c SIX --bins lin:0:5:10 -o o.csv
corr IN --random IN -c x,y --bins lin:0:EPS:10 -o o.csv
rdf IN -c x,y,z --box 100 --bins lin:0:0.5:10 -o o.csv
stat IN -c x,y,z --expr r --reduce sum --where x<PART -o o.csv
stat IN -c x,y --expr r --reduce sum --per-row --where x<PART -o o.parquet
kdist IN -c x,y -k 5 WHERE -o o.csv
scan IN -c x,y --min-points 5 --eps HALF:EPS:3 WHERE -o o.csv
validity LABELLED -c x,y --where x<PART
merge PLAN -o o.parquet
relabel PLAN -o copies
convert IN WHERE -o o.parquet
convert IN WHERE -o o.fits
convert IN -o o.vot
convert IN WHERE -o o.csv`

// A memoryRun fills command lines in for a catalog.
type memoryRun struct {
	shape
	in string
}

func (r *memoryRun) eps() float64 { return math.Sqrt(3e4 / math.Pi / float64(r.rows)) }

func (r *memoryRun) labelled() string { return r.in + "-labelled.parquet" }
func (r *memoryRun) plan() string     { return r.in + "-plan" }

// args are the words of a command line.
func (r *memoryRun) args(line string) (args []string) {
	keep, six := "x", "x,y,z,x2,y2,z2"
	if r.reals > 0 {
		keep += ",r0"
	}
	if r.texts > 0 {
		keep += ",t0"
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }
	fill := strings.NewReplacer("IN", r.in, "LABELLED", r.labelled(), "PLAN", r.plan(), "EPS", number(r.eps()), "HALF", number(r.eps()/2),
		"KEEP", keep, "SIX", six, "PART", number(1e6/float64(r.rows)))
	for _, a := range strings.Fields(line) {
		switch {
		case a != "WHERE":
			args = append(args, fill.Replace(a))
		case r.scatter != "":
			args = append(args, "--where", r.scatter)
		}
	}
	if strings.Contains(line, "SIX") {
		args = append(args, "--let", "x2 = x * 0.5 + y", "--let", "y2 = y * 0.5 + z", "--let", "z2 = z * 0.5 + x")
	}
	if strings.Contains(line, " -o ") {
		args = append(args, "--force")
	}
	return args
}

// prepare makes the files that a command line reads beside the catalog.
func (r *memoryRun) prepare(t *testing.T, line string) {
	t.Helper()
	run := func(line string, more ...string) {
		t.Helper()
		if result := cmdtest.RunBinary(t, nil, append(r.args(line), more...)...); result.Status != 0 {
			t.Fatalf("%s: %s", line, result.Stderr)
		}
	}
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	if strings.Contains(line, "LABELLED") && !exists(r.labelled()) {
		run("dbscan IN -c x,y --eps EPS --min-points 5 -q -o LABELLED")
	}
	if strings.Contains(line, "PLAN") && !exists(r.plan()) {
		run("plan dbscan IN -c x,y --eps EPS --min-points 5 --tiles 4 -q -o PLAN")
		for i := range 4 {
			run("tile PLAN -q --index " + strconv.Itoa(i))
		}
	}
}

// measure runs a command line with --memory in MiB and returns its peak in bytes,
// and the message if it was refused.
func (r *memoryRun) measure(t *testing.T, line, most string) (peak int64, refused string) {
	t.Helper()
	r.prepare(t, line)
	var stdout, stderr bytes.Buffer
	args := append(r.args(line), "--json", "--memory", most)
	cmd := exec.Command(cmdtest.Binary(t), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan int64)
	go func() { ended <- watchPeak(cmd.Process.Pid) }()
	err := cmd.Wait()
	peak = <-ended
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		if failed.ExitCode() == 2 && strings.Contains(stderr.String(), "give it more with --memory") {
			return peak, strings.TrimSpace(stderr.String())
		}
		t.Errorf("%s: %v, %s", args, err, &stderr)
		return peak, "failed"
	} else if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Peak int64 `json:"peak_memory_bytes"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &s); err != nil || s.Peak == 0 {
		t.Fatalf("%s: %v, %s", args, err, &stdout)
	}
	return max(peak, s.Peak), ""
}

// watchPeak returns the most memory that a process was seen to have held when it has
// ended. It is not ru_maxrss, which begins at what this process has.
func watchPeak(pid int) (peak int64) {
	for {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return peak
		}
		_, after, ok := bytes.Cut(status, []byte("VmHWM:"))
		if !ok { // it waits to be waited for
			return peak
		}
		kib, _ := strconv.ParseInt(string(bytes.Fields(after)[0]), 10, 64)
		peak = max(peak, kib<<10)
		time.Sleep(time.Millisecond)
	}
}

// A run may take so much more than --memory, which the program itself needs.
const besideMemory = 48 << 20

// named finds what a refusal says that it takes.
var named = regexp.MustCompile(`([\d.]+ [KMGT]?i?B)[^,]*, [\d.]+ [KMGT]?i?B are allowed`)

// check tests one run, and returns a line about it.
func (r *memoryRun) check(t *testing.T, line string, mib int, again bool) string {
	t.Helper()
	most := fmt.Sprintf("%dMiB", mib)
	peak, refused := r.measure(t, line, most)
	switch {
	case peak > int64(mib)<<20+besideMemory:
		t.Errorf("%s of %v: %d MiB with --memory %s %s", line, r.shape, peak>>20, most, refused)
	case refused == "":
	case named.FindStringSubmatch(refused) == nil:
		t.Errorf("%s of %v: the refusal does not say how much is needed: %s", line, r.shape, refused)
	case again: // with the least that is enough by what it says
		says := named.FindStringSubmatch(refused)[1]
		var need flags.Bytes
		if err := need.Set(strings.ReplaceAll(says, " ", "")); err != nil {
			t.Fatal(err)
		}
		allowed := need.Bytes + need.Bytes/100 // it is rounded
		if peak, no := r.measure(t, line, fmt.Sprint(allowed-besideMemory)); no != "" {
			t.Errorf("%s of %v: refused with what is needed: %s, then %s", line, r.shape, refused, no)
		} else if peak > allowed {
			t.Errorf("%s of %v: %d MiB, where %s are said to be enough", line, r.shape, peak>>20, says)
		} else {
			refused += fmt.Sprintf(" (%d MiB of %s)", peak>>20, says)
		}
	}
	return fmt.Sprintf("%-66s %9d %3d %5d %5d %s", line, r.rows, 4+r.reals+r.texts, mib, peak>>20, refused)
}

// The process takes no more than --memory and 48 MiB, or is refused with what it
// would take.
func TestMemoryIsOfTheProcess(t *testing.T) {
	cmdtest.Binary(t) // before the folder changes
	dir := t.TempDir()
	t.Chdir(dir)
	r := rand.New(rand.NewPCG(19, 5))
	lines := strings.Split(memoryLines, "\n")
	r.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
	runs := 8
	if testing.Short() {
		runs = 4
	}
	var at *memoryRun
	for i, line := range lines[:runs] {
		if i%4 == 0 {
			s := randomShape(r, 100_000)
			at = &memoryRun{s, s.write(t, r, dir, fmt.Sprintf("m%d", i))}
		}
		at.check(t, line, []int{32, 64, 100}[r.IntN(3)], false)
	}
}

// What does not fit --memory is clustered in tiles, within it, and written in the bytes
// of one run.
func TestTilesWithinMemory(t *testing.T) {
	cmdtest.Binary(t)
	t.Chdir(t.TempDir())
	run := func(line string) (peak int64, tiles float64) {
		t.Helper()
		r := cmdtest.RunBinary(t, nil, strings.Fields(line)...)
		if r.Status != 0 {
			t.Fatalf("%s: %s", line, r.Stderr)
		}
		var s struct {
			Peak   int64          `json:"peak_memory_bytes"`
			Result map[string]any `json:"result"`
		}
		if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
			t.Fatal(err)
		}
		tiles, _ = s.Result["tiles"].(float64)
		return s.Peak, tiles
	}
	run("gen clumps -n 250000 --dim 8 --seed 5 -o in.parquet --json")
	const line = "dbscan in.parquet -c x0,x1,x2,x3,x4,x5,x6,x7 --eps 1 --min-points 4 --counts --json -o "
	if _, tiles := run(line + "one.parquet"); tiles != 0 {
		t.Errorf("one run in %v tiles", tiles)
	}
	peak, tiles := run(line + "tiles.parquet --memory 44MiB")
	if tiles < 2 || peak > 44<<20+besideMemory {
		t.Errorf("%v tiles, %d MiB with --memory 44MiB", tiles, peak>>20)
	}
	cmdtest.SameFiles(t, "tiles.parquet", "one.parquet")
}

// TestMemoryTable is TestMemoryIsOfTheProcess for all command lines, sizes and
// shapes, and prints a table: command line, rows, columns, --memory and peak in MiB.
func TestMemoryTable(t *testing.T) {
	if *memory.rows == "" {
		t.Skip("by name: make memory")
	}
	cmdtest.Binary(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for _, text := range strings.Split(*memory.rows, ",") {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		shapes := []shape{{rows: int(n), reals: 2, format: ".parquet"}, {rows: int(n), reals: 60, texts: 2, width: 12, format: ".parquet", scatter: "x > 20"}}
		for i := range *memory.shapes {
			shapes = append(shapes, randomShape(rand.New(rand.NewPCG(*memory.seed+uint64(i), 1)), int(n)))
		}
		for i, s := range shapes {
			fmt.Printf("# %v\n", s)
			folder := filepath.Join(dir, fmt.Sprint(int(n), i))
			if err := os.Mkdir(folder, 0o777); err != nil {
				t.Fatal(err)
			}
			at := &memoryRun{s, s.write(t, rand.New(rand.NewPCG(1, 1)), folder, "m")}
			for _, line := range strings.Split(memoryLines, "\n") {
				for _, text := range strings.Split(*memory.caps, ",") {
					if most, err := strconv.Atoi(text); err != nil {
						t.Fatal(err)
					} else if at.wanted(line) {
						fmt.Println(at.check(t, line, most, true))
					}
				}
			}
			os.RemoveAll(folder)
		}
	}
}

// wanted reports whether -memory.commands names the command line.
func (r *memoryRun) wanted(line string) bool {
	for c := range strings.SplitSeq(*memory.commands, ";") {
		if strings.HasPrefix(line, c) {
			return true
		}
	}
	return false
}

// Rows with long texts that are picked, kept or copied stay within --memory, too, or are
// refused with what is enough.
func TestMemoryOfLongTexts(t *testing.T) {
	cmdtest.Binary(t) // before the folder changes
	dir := t.TempDir()
	t.Chdir(dir)
	s := shape{rows: 20_000, reals: 1, texts: 2, width: 2500, format: ".parquet"}
	at := &memoryRun{s, s.write(t, rand.New(rand.NewPCG(19, 7)), dir, "m")}
	for _, line := range []string{
		"match IN IN -c x,y --radius EPS -o o.parquet",
		"join IN -c x,y --eps EPS --keep KEEP -o o.csv",
		"convert IN -o o.vot",
	} {
		at.check(t, line, 48, true)
	}
}
