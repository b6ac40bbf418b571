package get

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/vo/votest"
	"skyjoin/io/catalog"
)

const stars = "SELECT * FROM stars"

// text returns a table as CSV.
func text(t *testing.T, path string) string {
	t.Helper()
	return cmdtest.Succeed(t, "convert", path, "-o", "-", "-q").Stdout
}

// identifiers are the values of the first column.
func identifiers(t *testing.T, path string) (all []string) {
	t.Helper()
	for line := range strings.Lines(text(t, path)) {
		id, _, _ := strings.Cut(line, ",")
		all = append(all, id)
	}
	return all[1:]
}

// Tables come whole, with units, UCDs and where they are from, in any format.
func TestQuery(t *testing.T) {
	s := votest.New(t)
	s.Rows = 4
	const want = `source_id,ra,dec,name
5188146736371635584,10,-5,star 0
5188146736371635585,10.01,-5,star 1
5188146736371635585,10.02,-5,star 2
5188146736371635587,10.03,-5,star 3
`
	for _, how := range []string{"", "--async"} {
		out := filepath.Join(t.TempDir(), "stars.parquet")
		r := cmdtest.Succeed(t, append([]string{"get", s.URL + "/tap", "--adql", stars + ";", "-o", out, "--json"}, strings.Fields(how)...)...)
		if got := text(t, out); got != want {
			t.Errorf("%s: %s", how, got)
		}
		cat, err := catalog.Open(t.Context(), []string{out}, catalog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := cat.Field("ra")
		if err != nil || f.Unit != "deg" || f.UCD != "pos.eq.ra;meta.main" || f.Description != "right ascension" {
			t.Errorf("%+v, %v", f, err)
		}
		meta := map[string]string{}
		for _, kv := range cat.Metadata() {
			meta[kv.Key] = kv.Value
		}
		if meta["skyjoin.url"] != s.URL+"/tap" || meta["skyjoin.adql"] != stars || !regexp.MustCompile(`^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$`).MatchString(meta["skyjoin.retrieved"]) {
			t.Errorf("provenance: %v", meta)
		}
		cat.Close()
		if names := cmdtest.Names(t, filepath.Dir(out)); !slices.Equal(names, []string{"stars.parquet"}) || len(s.Jobs()) > 0 {
			t.Errorf("%s: left %q, and jobs %q", how, names, s.Jobs())
		}
		var sum struct{ Result struct{ Rows, Columns int } }
		if err := json.Unmarshal([]byte(r.Stdout), &sum); err != nil || sum.Result.Rows != 4 || sum.Result.Columns != 4 {
			t.Errorf("%s, %v", r.Stdout, err)
		}
	}
	if got := cmdtest.Succeed(t, "get", s.URL+"/tap", "--adql", "@"+cmdtest.Write(t, "q.adql", stars+"\n;\n"), "-o", "-", "-q").Stdout; got != want {
		t.Errorf("%s", got)
	}
	if got := s.Requests(); !slices.Contains(got, "DELETE tap/async/job1") || !slices.Contains(got, "POST tap/async/job1/phase") {
		t.Errorf("%q", got)
	}
}

// Rows past the limit are got in pages, none twice, also where values are equal at
// the end of a page, and numbers above 2⁵³ are told apart.
func TestPages(t *testing.T) {
	for _, limit := range []string{"3", "4", "5", "10", "11"} {
		for _, how := range []string{"", "--async"} {
			s := votest.New(t)
			out := filepath.Join(t.TempDir(), "stars.parquet")
			r := cmdtest.Succeed(t, append([]string{"get", s.URL + "/tap", "--adql", stars, "--max-rows", limit, "--page-by", "source_id", "-o", out}, strings.Fields(how)...)...)
			all := filepath.Join(t.TempDir(), "all.parquet")
			cmdtest.Succeed(t, "get", s.URL+"/tap", "--adql", stars, "-o", all, "-q")
			if got, want := text(t, out), text(t, all); got != want {
				t.Errorf("limit %s: %s", limit, got)
			}
			if strings.Contains(r.Stderr, "OVERFLOW") {
				t.Errorf("a warning of what is whole: %s", r.Stderr)
			}
		}
	}
	s := votest.New(t)
	out := filepath.Join(t.TempDir(), "stars.csv")
	if r := cmdtest.Succeed(t, "get", s.URL+"/tap", "--adql", stars, "--max-rows", "3", "-o", out); !strings.Contains(r.Stderr, "OVERFLOW") {
		t.Errorf("no warning: %s", r.Stderr)
	}
	cmdtest.Refuse(t, exit.Request, []string{"get", s.URL + "/tap", "--adql", stars, "--max-rows", "1", "--page-by", "source_id", "-o", out, "--force"}, "take a column that differs more")
}

func TestCone(t *testing.T) {
	s := votest.New(t)
	out := filepath.Join(t.TempDir(), "cone.vot")
	cmdtest.Succeed(t, "get", s.URL+"/cone?", "--cone", "00:40:00,-05:00:00,1.5arcmin", "-o", out)
	if got := identifiers(t, out); len(got) != 3 {
		t.Errorf("%q", got)
	}
	for _, at := range []string{"1,2", "400,0,1deg", "10,-5,1", "10,95,1deg", "10,-5,200deg", "ten,-5,1deg"} {
		cmdtest.Refuse(t, exit.Request, []string{"get", s.URL + "/cone", "--cone", at, "-o", out, "--force"}, "--cone "+at)
	}
}

// A file is got as it is, whatever its format.
func TestFile(t *testing.T) {
	s := votest.New(t)
	out := filepath.Join(t.TempDir(), "file.csv")
	cmdtest.Succeed(t, "get", s.URL+"/cone?RA=10&DEC=-5&SR=0.005", "-o", out)
	if got := identifiers(t, out); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestUploads(t *testing.T) {
	s := votest.New(t)
	mine := cmdtest.CSVOf(t, "n,label", "1,a & b", "2,")
	out := filepath.Join(t.TempDir(), "out.csv")
	cmdtest.Succeed(t, "get", s.URL+"/tap", "--adql", "SELECT * FROM TAP_UPLOAD.mine", "--upload", "mine="+mine, "-o", out, "-q")
	if got := text(t, out); got != "n,label\n1,a & b\n2,\n" {
		t.Errorf("%q", got)
	}
	cmdtest.Refuse(t, exit.Request, []string{"get", s.URL + "/tap", "--adql", stars, "--upload", "mine=" + mine, "-o", out, "--force"}, "does not name TAP_UPLOAD.mine")
}

// What a service refuses is said in a line, and leaves nothing behind.
func TestRefusals(t *testing.T) {
	s := votest.New(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "out.csv")
	get := func(args ...string) []string { return append([]string{"get", "-o", out}, args...) }
	cmdtest.Refuse(t, exit.Failed, get(s.URL+"/tap", "--adql", "SELECT wrong"), `"wrong" is no column of stars & others (HTTP 400)`)
	cmdtest.Refuse(t, exit.Failed, get(s.URL+"/tap", "--adql", "SELECT wrong", "--async"), `"wrong" is no column`)
	cmdtest.Refuse(t, exit.Failed, get(s.URL+"/cone?RA=ten", "--cone", "1,2,3deg"), "RA is no number")
	cmdtest.Refuse(t, exit.Failed, get(s.URL+"/none"), "HTTP 404")
	cmdtest.Refuse(t, exit.Request, get("stars.csv"), "begins with https://")
	cmdtest.Refuse(t, exit.Request, get("https://me:secret@example.org/tap", "--adql", stars), "credentials", "SKYJOIN_ARCHIVE_USER")
	cmdtest.Refuse(t, exit.Request, get(s.URL, "--async"), "--async is for queries")
	cmdtest.Refuse(t, exit.Request, get(s.URL, "--adql", stars, "--cone", "1,2,3deg"), "give one of them")
	cmdtest.Refuse(t, exit.Request, get(s.URL, "--adql", stars, "--resume"), "nothing of "+out+" was interrupted")
	cmdtest.Refuse(t, exit.Failed, get(s.URL, "--adql", "@none.adql"), "none.adql")
	if names := cmdtest.Names(t, dir); len(names) > 0 {
		t.Errorf("left: %q", names)
	}
	cmdtest.Refuse(t, exit.Failed, get(s.URL+"/tap", "--adql", "SELECT late", "--async", "--quiet"), "phase ERROR: the query ran for too long", "--abort")
	cmdtest.Succeed(t, get(s.URL+"/tap", "--adql", "SELECT late", "--async", "--abort")...)
	if names := cmdtest.Names(t, dir); len(names) > 0 || len(s.Jobs()) > 0 {
		t.Errorf("left: %q and %q", names, s.Jobs())
	}
}

// Credentials are taken from the environment, and are in no file.
func TestCredentials(t *testing.T) {
	s := votest.New(t)
	s.User = "me"
	out := filepath.Join(t.TempDir(), "out.csv")
	line := []string{"get", s.URL + "/tap", "--adql", stars, "-o", out}
	cmdtest.Refuse(t, exit.Failed, line, "not public (HTTP 401)")
	t.Setenv("SKYJOIN_ARCHIVE_USER", "me")
	t.Setenv("SKYJOIN_ARCHIVE_PASSWORD", "secret")
	if r := cmdtest.Succeed(t, append(line, "--json")...); strings.Contains(r.Stdout, "secret") {
		t.Errorf("%s", r.Stdout)
	}
	cmdtest.Refuse(t, exit.Failed, []string{"get", "http://example.org/tap", "--adql", stars, "-o", out + "2.csv"}, "https only")
}

// interrupted starts a command line, and interrupts it when the service has a job that
// runs.
func interrupted(t *testing.T, s *votest.Service, line []string) cmdtest.Result {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil && !slices.Contains(s.Jobs(), "EXECUTING") {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	var stdout, stderr bytes.Buffer
	status := command.Run(ctx, &job.App{Stdout: &stdout, Stderr: &stderr, Version: cmdtest.Version}, line, New)
	return cmdtest.Result{Status: status, Stdout: stdout.String(), Stderr: stderr.String()}
}

// An interrupted download goes on: with the job that runs, and the pages that are there.
func TestResume(t *testing.T) {
	s := votest.New(t)
	s.Stuck = true
	dir := t.TempDir()
	out := filepath.Join(dir, "out.csv")
	line := []string{"get", s.URL + "/tap", "--adql", stars, "--async", "-o", out, "--page-by", "source_id", "--max-rows", "4"}
	if r := interrupted(t, s, line); r.Status != exit.Interrupted {
		t.Fatalf("status %d, %s", r.Status, r.Stderr)
	}
	if names := cmdtest.Names(t, dir); !slices.Equal(names, []string{"out.csv.get"}) || len(s.Jobs()) != 1 {
		t.Fatalf("left: %q and %q", names, s.Jobs())
	}
	cmdtest.Refuse(t, exit.Request, line, "--resume goes on with it")
	cmdtest.Refuse(t, exit.Request, append(slices.Clone(line[:len(line)-1]), "5", "--resume"), "of another request")
	s.Stuck = false
	cmdtest.Succeed(t, append(line, "--resume")...)
	made := 0
	for _, r := range s.Requests() {
		if r == "POST tap/async" {
			made++
		}
	}
	if got := identifiers(t, out); len(got) != s.Rows || made != 3 {
		t.Errorf("%d rows of %d, %d jobs, want 3: %q", len(got), s.Rows, made, s.Requests())
	}
	if names := cmdtest.Names(t, dir); !slices.Equal(names, []string{"out.csv"}) || len(s.Jobs()) > 0 {
		t.Errorf("left: %q and %q", names, s.Jobs())
	}
}

// A download is ended, with its job; one whose job the service has removed says so.
func TestAbort(t *testing.T) {
	s := votest.New(t)
	s.Stuck = true
	dir := t.TempDir()
	line := []string{"get", s.URL + "/tap", "--adql", stars, "--async", "-o", filepath.Join(dir, "out.csv")}
	interrupted(t, s, line)
	cmdtest.Succeed(t, append(line, "--abort")...)
	if names := cmdtest.Names(t, dir); len(names) > 0 || len(s.Jobs()) > 0 {
		t.Errorf("left: %q and %q", names, s.Jobs())
	}
	interrupted(t, s, line)
	s.Drop()
	cmdtest.Refuse(t, exit.Failed, append(line, "--resume", "--quiet"), "HTTP 404", "--abort")
	s.Stuck = false
	cmdtest.Succeed(t, append(line, "--force")...)
	if _, err := os.Stat(filepath.Join(dir, "out.csv.get")); !os.IsNotExist(err) {
		t.Errorf("the folder: %v", err)
	}
}

// A result without rows is a table without rows.
func TestNoRows(t *testing.T) {
	s := votest.New(t)
	s.Rows = 0
	out := filepath.Join(t.TempDir(), "out.csv")
	cmdtest.Succeed(t, "get", s.URL+"/tap", "--adql", stars, "-o", out)
	if got := cmdtest.Lines(t, out); !slices.Equal(got, []string{"source_id,ra,dec,name"}) {
		t.Errorf("%q", got)
	}
}

// Programs are told whose fault it is: of the network, of the service, or of who asks.
func TestKindsOfErrors(t *testing.T) {
	s := votest.New(t)
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("id,ra\n")) // and no more
	}))
	defer broken.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	private := votest.New(t)
	private.User = "me"
	for _, c := range []struct{ url, adql, kind string }{
		{closed.URL + "/tap", stars, "network"},
		{broken.URL + "/stars.csv", "", "network"},
		{s.URL + "/tap", "SELECT wrong", "service"},
		{s.URL + "/none/stars.csv", "", "service"},
		{private.URL + "/tap", stars, "credentials"},
		{s.URL + "/tap", "SELECT late", "service"},
	} {
		args := []string{"get", c.url, "-o", filepath.Join(t.TempDir(), "out.csv"), "--json", "--quiet"}
		if c.adql != "" {
			args = append(args, "--adql", c.adql)
		}
		if strings.Contains(c.adql, "late") {
			args = append(args, "--async")
		}
		r := cmdtest.Cluster(t, args...)
		if r.Status != exit.Failed || !strings.Contains(r.Stdout, `"error":{"kind":"`+c.kind+`"`) {
			t.Errorf("%s %s: status %d, %s", c.url, c.adql, r.Status, r.Stdout)
		}
	}
}
