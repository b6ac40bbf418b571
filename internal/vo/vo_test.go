package vo_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"skyjoin/internal/vo"
	"skyjoin/internal/vo/votest"
)

const all = "SELECT * FROM stars"

func client() *vo.Client { return &vo.Client{Agent: "test", Pause: time.Millisecond} }

// read returns a document that must be there.
func read(t *testing.T, body io.ReadCloser, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rows counts the rows of a document.
func rows(document string) int { return strings.Count(document, "<TR>") }

func TestSync(t *testing.T) {
	s := votest.New(t)
	body, err := client().Sync(t.Context(), s.URL+"/tap", vo.Query{ADQL: all})
	if n := rows(read(t, body, err)); n != s.Rows {
		t.Errorf("%d rows of %d", n, s.Rows)
	}
	body, err = client().Sync(t.Context(), s.URL+"/tap/", vo.Query{ADQL: all, MaxRows: 4})
	if text := read(t, body, err); rows(text) != 4 || !strings.Contains(text, "OVERFLOW") {
		t.Errorf("MAXREC 4: %s", text)
	}
	_, err = client().Sync(t.Context(), s.URL+"/tap", vo.Query{ADQL: "SELECT wrong"})
	if e := (*vo.ServiceError)(nil); !errors.As(err, &e) || e.Status != 400 || e.Message != `ADQL: "wrong" is no column of stars & others` {
		t.Errorf("%v", err)
	}
}

func TestUpload(t *testing.T) {
	s := votest.New(t)
	const table = "<VOTABLE>mine & yours</VOTABLE>"
	body, err := client().Sync(t.Context(), s.URL+"/tap", vo.Query{ADQL: "SELECT * FROM TAP_UPLOAD.mine", Uploads: []vo.Upload{{Name: "mine", Table: []byte(table)}}})
	if got := read(t, body, err); got != table {
		t.Errorf("%q", got)
	}
}

// A job goes through its phases, and is there until it is deleted.
func TestJob(t *testing.T) {
	s := votest.New(t)
	c := client()
	job, err := c.Submit(t.Context(), s.URL+"/tap", vo.Query{ADQL: all})
	if err != nil {
		t.Fatal(err)
	}
	if job != s.URL+"/tap/async/job1" {
		t.Errorf("the job is at %s", job)
	}
	var phases []string
	quoted := false
	j, err := c.Await(t.Context(), job, func(j vo.Job) {
		phases = append(phases, j.Phase)
		quoted = quoted || j.Quote != ""
	})
	if want := []string{"PENDING", "EXECUTING", "COMPLETED"}; err != nil || !slices.Equal(phases, want) || !quoted {
		t.Errorf("phases %q, want %q; quoted %v, %v", phases, want, quoted, err)
	}
	body, err := c.Result(t.Context(), job, j)
	if n := rows(read(t, body, err)); n != s.Rows {
		t.Errorf("%d rows of %d", n, s.Rows)
	}
	for range 2 { // the second time it is not there
		if err := c.Delete(t.Context(), job); err != nil {
			t.Error(err)
		}
	}
	if left := s.Jobs(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if _, err := c.Await(t.Context(), job, func(vo.Job) {}); !vo.Gone(err) {
		t.Errorf("of a deleted job: %v", err)
	}
}

func TestFailedJobs(t *testing.T) {
	s := votest.New(t)
	c := client()
	if _, err := c.Submit(t.Context(), s.URL+"/tap", vo.Query{ADQL: "wrong"}); err == nil || !strings.Contains(err.Error(), "is no column") {
		t.Errorf("%v", err)
	}
	job, err := c.Submit(t.Context(), s.URL+"/tap", vo.Query{ADQL: "late"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Await(t.Context(), job, func(vo.Job) {})
	if e := (*vo.JobError)(nil); !errors.As(err, &e) || e.Phase != "ERROR" || e.Message != "the query ran for too long" {
		t.Errorf("%v", err)
	}
	s.Stuck = true
	if job, err = c.Submit(t.Context(), s.URL+"/tap", vo.Query{ADQL: all}); err != nil {
		t.Fatal(err)
	}
	_, err = c.Await(t.Context(), job, func(j vo.Job) {
		if j.Phase == "EXECUTING" {
			if err := c.Abort(t.Context(), job); err != nil {
				t.Error(err)
			}
		}
	})
	if e := (*vo.JobError)(nil); !errors.As(err, &e) || e.Phase != "ABORTED" {
		t.Errorf("%v", err)
	}
}

func TestCone(t *testing.T) {
	s := votest.New(t)
	for _, base := range []string{"/cone", "/cone?", "/cone?catalog=stars", "/cone?catalog=stars&"} {
		body, err := client().Cone(t.Context(), s.URL+base, 10, -5, 0.025)
		if n := rows(read(t, body, err)); n != 3 {
			t.Errorf("%s: %d rows, want 3", base, n)
		}
	}
}

// The two forms in which services refuse are recognised, and rows are not.
func TestRefusal(t *testing.T) {
	for document, want := range map[string]string{
		`<VOTABLE><RESOURCE><INFO name="QUERY_STATUS" value="ERROR">no  such
 table</INFO></RESOURCE></VOTABLE>`: "no such table",
		`<VOTABLE><PARAM name="Error" datatype="char" value="SR is too large"/></VOTABLE>`:                     "SR is too large",
		`<v:VOTABLE xmlns:v="x"><v:INFO name="error" value="RA is missing"/></v:VOTABLE>`:                      "RA is missing",
		`<VOTABLE><INFO name="QUERY_STATUS" value="OK"/><DATA><INFO name="Error" value="x"/></DATA></VOTABLE>`: "",
		`no document`: "",
	} {
		if got, found := vo.Refusal(strings.NewReader(document)); got != want || found != (want != "") {
			t.Errorf("%s: %q", document, got)
		}
	}
}

// What changes nothing is asked again; what makes something is not.
func TestBusy(t *testing.T) {
	s := votest.New(t)
	s.Busy = 3
	body, err := client().Cone(t.Context(), s.URL+"/cone", 10, -5, 1)
	if n := rows(read(t, body, err)); n != s.Rows {
		t.Errorf("%d rows", n)
	}
	s.Busy = 1
	if _, err := client().Submit(t.Context(), s.URL+"/tap", vo.Query{ADQL: all}); err == nil || !strings.Contains(err.Error(), "come again") {
		t.Errorf("%v", err)
	}
	s.Busy = 100
	if _, err := client().Cone(t.Context(), s.URL+"/cone", 10, -5, 1); err == nil || !strings.Contains(err.Error(), "HTTP 503") {
		t.Errorf("%v", err)
	}
}

// Credentials are sent, and never where others could read them.
func TestCredentials(t *testing.T) {
	s := votest.New(t)
	s.User = "me"
	c := client()
	if _, err := c.Sync(t.Context(), s.URL+"/tap", vo.Query{ADQL: all}); err == nil || !strings.Contains(err.Error(), "not public") {
		t.Errorf("%v", err)
	}
	c.User, c.Password = "me", "secret"
	body, err := c.Sync(t.Context(), s.URL+"/tap", vo.Query{ADQL: all})
	read(t, body, err)
	if _, err := c.Get(t.Context(), "http://archive.example.org/tap"); !errors.Is(err, vo.ErrPlain) {
		t.Errorf("%v", err)
	}
}
