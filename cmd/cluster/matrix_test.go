package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/vo/votest"
)

// A triple is a flag of a command and the catalog, A or B, that it is tried on, ""
// where it speaks of no catalog.
type triple struct{ command, flag, side string }

func (t triple) String() string {
	return strings.TrimSpace(fmt.Sprintf("cluster %s --%s %s", t.command, t.flag, t.side))
}

// exempt are triples that no trial shows, and why.
var exempt = map[triple]string{
	{"convert", "memory", ""}:    smallTables,
	{"merge", "memory", ""}:      smallTables,
	{"relabel", "memory", ""}:    smallTables,
	{"validity", "memory", ""}:   smallTables,
	{"submit", "log-format", ""}: "with --print it says nothing on stderr",
}

const smallTables = "a small table takes less than any run may, see TestMemoryIsOfTheProcess"

// A matrix is what becomes of flags.
type matrix struct {
	seen map[triple]string // acted, refused or ignored, and how
}

func (m *matrix) note(t triple, what string) {
	if old := m.seen[t]; old == "" || what == acted || old == refused && what != refused {
		m.seen[t] = what
	}
}

const (
	acted   = "acted"
	refused = "refused"
)

// Every flag of every command, on every catalog that it speaks of, changes the
// answer, an output or what the summary says of the run, or is refused in a line or
// two: none is ignored.
func TestFlagMatrix(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // many short runs
	data := newTrialData(t)
	m := &matrix{seen: map[triple]string{}}
	var all []probe
	for _, c := range trials {
		all = append(all, data.probes(t, c, "")...)
	}
	for _, c := range sided {
		all = append(all, data.probes(t, c, "A")...)
		all = append(all, data.probes(t, c, "B")...)
	}
	for _, p := range all {
		data.carryOut(t, m, p)
	}
	count := map[string]int{}
	for _, w := range wanted() {
		what := m.seen[w]
		delete(m.seen, w)
		switch {
		case what == acted || what == refused:
			count[what]++
		case exempt[w] != "":
			count["exempt"]++
		case what == "":
			t.Errorf("%v is not tried", w)
		default:
			t.Errorf("%v: %s", w, what)
		}
	}
	for also, what := range m.seen { // on both catalogs at once
		if what != acted && what != refused {
			t.Errorf("%v: %s", also, what)
		}
	}
	t.Logf("%d triples of command, flag and side: %d acted, %d refused, %d exempt", len(wanted()), count[acted], count[refused], count["exempt"])
	if count[refused]*4 > count[acted] {
		t.Errorf("%d flags act, %d are refused", count[acted], count[refused])
	}
}

// wanted are all triples that there are.
func wanted() (all []triple) {
	var walk func(cmd *cobra.Command, path string)
	walk = func(cmd *cobra.Command, path string) {
		for _, c := range cmd.Commands() {
			walk(c, strings.TrimSpace(path+" "+c.Name()))
		}
		if cmd.HasSubCommands() || path == "" {
			return
		}
		cmd.InitDefaultHelpFlag()
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			for _, side := range sidesOf(path, f.Name) {
				all = append(all, triple{path, f.Name, side})
			}
		})
	}
	walk(command.Root(&job.App{}, commands...), "")
	return all
}

// sidesOf are the catalogs that a flag of a command speaks of.
func sidesOf(command, flag string) []string {
	two := []string{"join", "knn", "match", "hist", "rdf", "corr", "stat", "plan match", "plan hist", "plan corr", "classify"}
	switch {
	case !slices.Contains(two, command):
	case command == "classify" && (flag == "columns" || flag == "where"), flag == "names", flag == "format":
		return []string{"A"} // of B there are others
	case command == "classify" && slices.Contains([]string{"features", "weights", "where-train"}, flag), strings.HasSuffix(flag, "-b") && slices.Contains(reads, strings.TrimSuffix(flag, "-b")):
		return []string{"B"}
	case slices.Contains(reads, flag):
		return []string{"A", "B"}
	}
	return []string{""}
}

// reads are the flags that say how catalogs are read, and have counterparts for the
// second.
var reads = []string{"where", "null", "strict", "hdu", "let", "format", "names", "columns", "keep", "distance", "weights", "redshift"}

// reading are those that all commands with two catalogs have.
var reading = []string{"--where", "--where-b x>30", "--null", "--null-b", "--strict", "--hdu", "--hdu-b", "--let", "--let-b", "--format", "--format-b", "--names", "--names-b", "--columns x,z", "--columns-b x,z", "--keep"}

// A probe is two command lines, without and with a flag.
type probe struct {
	triple
	base, with []string
	text       bool              // what is printed is compared, not the summary
	short      map[string]string // names of flags of one letter
}

// probes are those of a trial.
func (d *trialData) probes(t *testing.T, c trial, side string) (all []probe) {
	args := d.args(c.line)
	cmd, _, err := command.Root(&job.App{}, commands...).Find(args)
	if err != nil {
		t.Fatal(err)
	}
	cmd.InitDefaultHelpFlag()
	name := strings.TrimPrefix(cmd.CommandPath(), "cluster ")
	given := c.flags
	if given == nil {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			flag := "--" + f.Name
			if f.Value.Type() != "bool" {
				value := cmp.Or(flagValues[name+"/"+f.Name], flagValues[f.Name])
				if value == "" {
					t.Errorf("flag --%s of %s is not tried: give it a value in flagValues", f.Name, name)
				}
				flag += " " + value
			}
			given = append(given, flag)
		})
	}
	for _, flag := range given {
		words, value, _ := strings.Cut(flag, " ")
		p := probe{triple: triple{name, strings.TrimPrefix(words, "--"), side}, short: map[string]string{}}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { p.short[f.Name] = cmp.Or(f.Shorthand, "-") })
		asked := sidesOf(name, p.flag)
		if cmd.Flags().Lookup(p.flag) == nil || side != "" && !slices.Contains(asked, side) || side == "" && asked[0] != "" && slices.Contains([]string{"let", "names"}, strings.TrimSuffix(p.flag, "-b")) {
			continue
		}
		d.fill(&p, args, value)
		all = append(all, p)
	}
	return all
}

// fill makes the command lines of a probe, as its flag needs them.
func (d *trialData) fill(p *probe, args []string, value string) {
	swap := func(from, to string) {
		args = slices.Clone(args)
		for i, a := range args {
			if a == from {
				args[i] = to
			}
		}
	}
	more := func(line string) { args = append(slices.Clone(args), strings.Fields(line)...) }
	a, b, plain := d.path("a.csv"), d.path("b.csv"), d.path("plain.csv")
	if slices.Contains(args, "--distance") || slices.Contains(args, "--redshift") {
		a, b, plain = d.path("sky.csv"), d.path("sky.csv"), d.path("skyplain.csv")
	}
	onA, onB := p.side == "A", p.side == "B"
	if onA {
		b = plain
	} else if onB {
		a = plain
	}
	given := func(flag string) bool { return p.flag == flag || p.flag == flag+"-b" }
	switch {
	case given("hdu") && p.side != "":
		value = "2"
		a, b = strings.Replace(a, "a.csv", "a.fits", 1), strings.Replace(b, "b.csv", "b.fits", 1)
	case given("names"):
		value = tableNames
		a, b = strings.Replace(a, "/a.csv", "/abare.csv", 1), strings.Replace(b, "/b.csv", "/bbare.csv", 1)
		if p.side == "" {
			swap(d.path("a.csv"), a)
			swap(d.path("b.csv"), b)
		}
	case given("format"):
		value = "fixed"
	case given("null"):
		value = "0,0.5,7"
	case given("let"): // a column that is not there before
		value = "q=x+1"
		d.useLet(p, swap, more)
	case p.flag == "where" && p.side != "":
		value = map[string]string{"A": "x > 30", "B": "onb > 3"}[p.side]
	case p.flag == "keep" && p.side != "":
		value = map[string]string{"A": "z,ona", "B": "z,onb"}[p.side]
	case p.flag == "allow-empty":
		more("--where x>1e9")
	case p.flag == "output" && (p.command == "relabel" || strings.HasPrefix(p.command, "plan")):
		value = "{work}/other"
	case p.flag == "force":
		switch {
		case p.command == "run": // it replaces what its steps name
		case p.command == "tile":
			swap(d.path("work/planned"), d.path("done"))
		case p.command == "plot":
			swap(d.path("work/m.svg"), d.path("work/old.svg"))
		case p.command == "relabel":
			swap(d.path("work/labelled"), d.path("work/old"))
		case strings.HasPrefix(p.command, "plan"):
			swap(d.path("work/plan"), d.path("work/planned"))
		case !slices.Contains(args, d.path("work/old.csv")):
			args = p.replaced(args, []string{"--output", d.path("work/old.csv")})
		}
	}
	swap("A", a)
	swap("B", b)
	p.base = args
	flag := []string{"--" + p.flag}
	if value != "" {
		flag = append(flag, d.names.Replace(value))
	}
	p.text = slices.Contains([]string{"json", "quiet", "progress", "log-format", "config", "help", "help-all"}, p.flag)
	p.with = p.replaced(p.base, flag)
}

// useLet has a command line use the column q, which --let defines.
func (d *trialData) useLet(p *probe, swap func(from, to string), more func(string)) {
	switch {
	case p.command == "predict":
		more("-c q,y")
	case p.command == "plot":
		swap("x", "q")
	case p.command == "classify" && p.side == "B":
		swap("x,y", "q,y")
		more("--columns x,y")
	case p.command == "classify" && p.side == "A":
		more("--columns q,y")
	case p.side == "A":
		swap("x,y", "q,y")
		more("--columns-b x,y")
	case p.side == "B":
		more("--columns-b q,y")
	default:
		swap("x,y", "q,y")
	}
}

// replaced returns args with a flag, which takes the place of what args give it.
func (p *probe) replaced(args, flag []string) []string {
	args = slices.Clone(args)
	name := strings.TrimPrefix(flag[0], "--")
	for _, as := range []string{"--" + name, "-" + p.short[name]} {
		if i := slices.Index(args, as); i >= 0 && len(flag) > 1 {
			args[i+1] = flag[1]
			return args
		}
	}
	return append(args, flag...)
}

// carryOut notes what becomes of a probe.
func (d *trialData) carryOut(t *testing.T, m *matrix, p probe) {
	key := fmt.Sprint(p.text, p.base)
	if _, ok := d.without[key]; !ok {
		d.without[key] = d.outcome(t, p.base, p.text)
	}
	base, r := d.without[key], d.outcome(t, p.with, p.text)
	without, with := base.seen, r.seen
	line := strings.ReplaceAll(strings.Join(p.with, " "), d.dir+"/", "")
	fails := base.Status != exit.Done
	if fails && !slices.Contains([]string{"let", "let-b", "names", "names-b", "force", "format", "format-b", "pad", "print", "allow-empty", "resume"}, p.flag) {
		t.Errorf("%s: status %d: %s", strings.Join(p.base, " "), base.Status, base.Stderr)
	}
	stops := slices.Contains([]string{"strict", "format", "format-b", "hdu", "device"}, p.flag) // may end the run
	if r.Status != exit.Done {
		if n := strings.Count(r.Stderr, "\n"); n < 1 || n > 2 || r.Status != exit.Request && !(stops && r.Status == exit.Failed) {
			t.Errorf("%s: status %d, or the message is not one or two lines: %q", line, r.Status, r.Stderr)
		}
	}
	switch {
	case r.Status == exit.Request && with != without && !fails && p.flag != "memory":
		m.note(p.triple, refused)
	case with == without && fails:
		m.note(p.triple, fmt.Sprintf("%s: the flag changes nothing: %s", line, r.Stderr))
	case with == without:
		m.note(p.triple, line+": the flag is ignored")
	case fails && r.Status != exit.Done:
		m.note(p.triple, fmt.Sprintf("%s: without the flag %s, with it %s", line, base.Stderr, r.Stderr))
	default:
		m.note(p.triple, acted)
	}
}

// volatileText is what differs from run to run.
var volatileText = regexp.MustCompile(`(?m)^(time|memory) .*$|"seconds":\{[^}]*\}|"(?:peak|driver)_memory_bytes":\d+`)

// madeWith is what figures say of how they were made, which names every flag.
var madeWith = regexp.MustCompile(`(?s)<metadata>.*?</metadata>`)

// An outcome is what becomes of a command line, and all that is seen of it: what
// its summary says of the answer and of the way to it, or all that is printed, and
// all files. The parameters, which name every flag, do not count.
type outcome struct {
	cmdtest.Result
	seen string
}

func (d *trialData) outcome(t *testing.T, args []string, text bool) outcome {
	t.Helper()
	work := d.path("work")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.RemoveAll(work))
	must(os.MkdirAll(filepath.Join(work, "old"), 0o777))
	must(os.WriteFile(filepath.Join(work, "old.csv"), nil, 0o666))
	must(os.WriteFile(filepath.Join(work, "old.svg"), nil, 0o666))
	must(os.WriteFile(filepath.Join(work, "old", "a.csv"), nil, 0o666))
	if i := slices.Index(args, d.path("work/planned")); i >= 0 {
		must(os.CopyFS(args[i], os.DirFS(d.path("planned"))))
	}
	if !text && !slices.Contains(args, "--print") && !slices.Contains([]string{"man", "reproduce"}, args[0]) {
		args = append(slices.Clone(args), "--json")
	}
	var stdout, stderr bytes.Buffer
	status := command.Run(t.Context(), &job.App{Stdout: &stdout, Stderr: &stderr, Version: cmdtest.Version}, args, command.Needed(table, args)...)
	conforms(t, args, status, stdout.Bytes())
	r := outcome{Result: cmdtest.Result{Status: status, Stdout: stdout.String(), Stderr: stderr.String()}}
	r.seen = volatileText.ReplaceAllString(fmt.Sprintln(r.Status, r.Stderr, r.Stdout), "")
	var s map[string]json.RawMessage
	if json.Unmarshal(stdout.Bytes(), &s) == nil && !text {
		var result, given map[string]json.RawMessage
		if json.Unmarshal(s["result"], &result) == nil && json.Unmarshal(s["parameters"], &given) == nil {
			maps.DeleteFunc(result, func(key string, v json.RawMessage) bool { return bytes.Equal(v, given[key]) })
			b, err := json.Marshal(result)
			must(err)
			s["result"] = b
		}
		for _, key := range []string{"parameters", "seconds", "peak_memory_bytes", "driver_memory_bytes"} {
			delete(s, key)
		}
		b, err := json.Marshal(s)
		must(err)
		r.seen = fmt.Sprintln(r.Status, string(b))
	}
	must(filepath.WalkDir(work, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		r.seen += "\n" + path + "\n" + madeWith.ReplaceAllString(string(b), "")
		return err
	}))
	return r
}

// trialData are the files that trials read.
type trialData struct {
	dir     string
	names   *strings.Replacer  // of files in braces
	without map[string]outcome // of command lines without the flag
}

func (d *trialData) path(name string) string { return filepath.Join(d.dir, name) }

func (d *trialData) args(line string) []string { return strings.Fields(d.names.Replace(line)) }

const tableNames = "x,y,z,w,v,kind,redshift,pmra,pmdec,onx"

// newTrialData writes the files.
func newTrialData(t testing.TB) *trialData {
	t.Helper()
	d := &trialData{dir: t.TempDir(), without: map[string]outcome{}}
	t.Setenv("PATH", d.dir)                     // there is no scheduler
	t.Setenv("XDG_CACHE_HOME", d.path("cache")) // of calibrations
	table := func(name, x, y, own string, row func(i int) []any) {
		var b bytes.Buffer
		fmt.Fprintln(&b, strings.NewReplacer("x,y", x+","+y, "onx", own).Replace(tableNames))
		for i := range 60 {
			fmt.Fprintln(&b, strings.ReplaceAll(strings.Trim(fmt.Sprint(row(i)), "[]"), " ", ","))
		}
		if err := os.WriteFile(d.path(name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// Rows that all flags tell apart; one cannot be used.
	rich := func(shift float64) func(i int) []any {
		return func(i int) []any {
			kind := []string{"p", "q"}[(i*i%31/16+i*i*i%53/40)%2]
			row := []any{float64(i*7%40) + shift, float64(i*i%31) + shift/3, 1 + i*3%17, 1 + i%3, 2 + i%4, kind, 0.1 + float64(i%9)/10, i % 5, i % 7, i}
			if i == 59 {
				row[1] = ""
			}
			return row
		}
	}
	// Rows of which the flags of sided trials say nothing.
	plain := func(i int) []any {
		x, y := 31+float64(i*7%9)/8, 1.25+float64(i*i%31)
		return []any{x, y, y, y, y, []string{"p", "q"}[i%2], y, 1, 1, i}
	}
	skyplain := func(i int) []any {
		row, z := plain(i), 0.15+float64(i%9)/10
		row[2], row[3], row[4], row[6] = z, z, z, z
		return row
	}
	table("a.csv", "x", "y", "ona", rich(0))
	table("b.csv", "x", "y", "onb", rich(0.5))
	table("plain.csv", "x", "y", "onp", plain)
	table("sky.csv", "ra", "dec", "ona", rich(0))
	table("skyplain.csv", "ra", "dec", "onp", skyplain)
	table("other.csv", "x", "y", "ona", func(i int) []any {
		row := rich(2)(i)
		row[0] = float64(i*i%37) * 1.5
		return row
	})
	for _, name := range []string{"a", "b"} {
		text, err := os.ReadFile(d.path(name + ".csv"))
		if err != nil {
			t.Fatal(err)
		}
		_, bare, _ := bytes.Cut(text, []byte("\n"))
		if err := os.WriteFile(d.path(name+"bare.csv"), bare, 0o666); err != nil {
			t.Fatal(err)
		}
		d.twoTables(t, name+".fits", name+".csv", "other.csv")
	}
	if err := os.WriteFile(d.path("lists.csv"), []byte("id,v\n1,\"[1,2]\"\n2,\"[3,4]\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"json.toml": "json = true\n", "quiet.toml": "quiet = true\n",
		"pipe.toml": "threads = 4\n[b]\ncommand = \"gen\"\ninputs = \"clumps\"\noutput = \"" + d.path("work/made.csv") + "\"\n[a]\ncommand = \"dbscan\"\ninputs = \"" + d.path("a.csv") + "\"\ncolumns = \"x,y\"\neps = 3\nmin-points = 4\noutput = \"" + d.path("work/piped.csv") + "\"\n",
	} {
		if err := os.WriteFile(d.path(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmdtest.Succeed(t, "gen", "clumps", "-n", "400", "--seed", "1", "--clusters", "5", "-o", d.path("clumps.csv"), "-q")
	cmdtest.Succeed(t, "dbscan", d.path("a.csv"), "-c", "x,y", "--eps", "3", "--min-points", "4", "-o", d.path("labelled.parquet"), "-q")
	cmdtest.Succeed(t, "dbscan", d.path("sky.csv"), "--eps", "3deg", "--min-points", "4", "-o", d.path("skylabelled.parquet"), "-q")
	cmdtest.Succeed(t, "hdbscan", d.path("a.csv"), "-c", "x,y", "--min-cluster-size", "4", "--tree", d.path("tree.parquet"), "-q")
	cmdtest.Succeed(t, "corr", d.path("a.csv"), "--random", d.path("b.csv"), "-c", "x,y", "--bins", "lin:0:9:4", "-o", d.path("xi.csv"), "--save-rr", d.path("rr.parquet"), "-q")
	cmdtest.Succeed(t, "corr", d.path("a.csv"), "--random", d.path("b.csv"), "-c", "x,y", "--bins", "lin:0:9:4", "--patches", "4", "-o", d.path("xicov.csv"), "-p", d.path("figure.svg"), "-q")
	cmdtest.Succeed(t, "plan", "dbscan", d.path("a.csv"), "-c", "x,y", "--eps", "3", "--min-points", "4", "--tiles", "2", "-o", d.path("planned"), "-q")
	cmdtest.Succeed(t, "plan", "dbscan", d.path("a.csv"), "-c", "x,y", "--eps", "3", "--min-points", "4", "--tiles", "2", "-o", d.path("done"), "-q")
	cmdtest.Succeed(t, "reproduce", "003", "table3", "--scale", "0.0001", "-o", d.path("measured"), "-q")
	for _, i := range []string{"0", "1"} {
		cmdtest.Succeed(t, "tile", d.path("done"), "--index", i, "-q")
	}
	var pairs []string
	for name, file := range map[string]string{"a": "a.csv", "b": "b.csv", "af": "a.fits", "sky": "sky.csv", "labelled": "labelled.parquet", "skylabelled": "skylabelled.parquet",
		"xi": "xi.csv", "xicov": "xicov.csv", "figure": "figure.svg", "rr": "rr.parquet", "measured": "measured", "tree": "tree.parquet", "done": "done", "other": "other.csv", "clumps": "clumps.csv", "lists": "lists.csv", "conf": "json.toml", "quiet": "quiet.toml", "pipe": "pipe.toml",
		"work": "work", "out": "work/out.csv", "old": "work/old.csv", "plan": "work/plan", "planned": "work/planned"} {
		pairs = append(pairs, "{"+name+"}", d.path(file))
	}
	pairs = append(pairs, "{archive}", votest.New(t).URL)
	d.names = strings.NewReplacer(pairs...)
	return d
}

// twoTables writes a FITS file with the tables of two files.
func (d *trialData) twoTables(t testing.TB, name string, tables ...string) {
	t.Helper()
	var file []byte
	for i, table := range tables {
		one := d.path("one.fits")
		cmdtest.Succeed(t, "convert", d.path(table), "-o", one, "-q", "--force")
		b, err := os.ReadFile(one)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, b[min(i, 1)*2880:]...) // behind the one primary header
	}
	if err := os.WriteFile(d.path(name), file, 0o666); err != nil {
		t.Fatal(err)
	}
}

// -k is the number of the neighbour, not of another one, for all that take it: the
// rows are at 0, 1, 3, 7, 15 and 31.
func TestKIsCounted(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,class", "0,p", "1,q", "3,q", "7,p", "15,p", "31,p")
	at := cmdtest.CSVOf(t, "x", "0.9", "-0.1")
	out := filepath.Join(t.TempDir(), "out.csv")
	for line, want := range map[string]string{
		"knn IN -k 1":                     "0,1,1 1,0,1 2,1,2 3,2,4 4,3,8 5,4,16",
		"knn IN -k 3":                     "0,1,1 0,2,3 0,3,7 1,0,1 1,2,2 1,3,6 2,1,2 2,0,3 2,3,4 3,2,4 3,1,6 3,0,7 4,3,8 4,2,12 4,1,14 5,4,16 5,3,24 5,2,28",
		"knn AT IN -k 2":                  "0,1,0.09999999999999998 0,0,0.9 1,0,0.1 1,1,1.1",
		"kdist IN -k 1":                   "0,1 1,1 2,2 3,4 4,8 5,16",
		"kdist IN -k 3":                   "0,7 1,6 2,4 3,7 4,14 5,28",
		"outliers IN -k 1 --method kdist": "0,p,1 1,q,1 3,q,2 7,p,4 15,p,8 31,p,16",
		"outliers IN -k 4 --method kdist": "0,p,15 1,q,14 3,q,12 7,p,8 15,p,15 31,p,30",
		"match AT IN -k 1 --find all":     "0,1,0.09999999999999998,0.9,1,q 1,0,0.1,-0.1,0,p",
		"match AT IN -k 2 --find all":     "0,0,0.9,0.9,0,p 0,1,0.09999999999999998,0.9,1,q 1,0,0.1,-0.1,0,p 1,1,1.1,-0.1,1,q",
		"classify AT --train IN --label class --features x -k 1": "0.9,q,1,false -0.1,p,1,false",
		"classify AT --train IN --label class --features x -k 3": "0.9,q,0.6666666666666666,false -0.1,q,0.6666666666666666,false",
	} {
		args := strings.Fields(strings.NewReplacer("IN", in, "AT", at).Replace(line))
		if args[0] != "classify" {
			args = append(args, "-c", "x")
		}
		cmdtest.Succeed(t, append(args, "-o", out, "--force", "-q")...)
		if got := strings.Join(cmdtest.Lines(t, out)[1:], " "); got != want {
			t.Errorf("cluster %s: %s, want %s", line, got, want)
		}
	}
}
