// Package votest is a service of the Virtual Observatory for tests: it answers what
// DALI 1.1, UWS 1.1, TAP 1.1 and SCS 1.03 say, of one small table, and nothing else.
package votest

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Service has the table stars: the columns source_id, ra, dec and name of Rows rows.
// Queries of it select all of it, or what a page of it is:
//
//	SELECT * FROM (query) AS page WHERE page.source_id >= 7 ORDER BY page.source_id
//
// or its first rows, as in TOP 3, or are of an uploaded table, whose document is the
// answer. What contains the word wrong is no query; what contains the word late fails
// when it runs.
type Service struct {
	URL      string // of the service; below it are tap and cone
	Rows     int
	Limit    int    // of rows of an answer
	Busy     int    // so many requests are answered 503 first
	User     string // who may ask, with the password "secret"; "" is anybody
	Stuck    bool   // jobs run until they are aborted
	mu       sync.Mutex
	jobs     map[string]*job
	made     int
	requests []string
}

type job struct {
	phase, query, upload string
	limit                int
}

// New starts a service, which ends with the test.
func New(t testing.TB) *Service {
	s := &Service{Rows: 10, Limit: 1000, jobs: map[string]*job{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests are the method and path of all requests so far, without those that only
// look at a job.
func (s *Service) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Jobs are the phases of the jobs that are left.
func (s *Service) Jobs() (phases []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		phases = append(phases, j.phase)
	}
	return phases
}

// Drop forgets all jobs, as a service does after their time.
func (s *Service) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.jobs)
}

func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/")
	if r.Method != http.MethodGet || !strings.HasPrefix(path, "tap/async/") || strings.Contains(path, "results") {
		s.requests = append(s.requests, r.Method+" "+path)
	}
	if s.Busy > 0 {
		s.Busy--
		w.Header().Set("Retry-After", "0")
		http.Error(w, "come again", http.StatusServiceUnavailable)
		return
	}
	if user, password, _ := r.BasicAuth(); s.User != "" && (user != s.User || password != "secret") {
		w.Header().Set("WWW-Authenticate", "Basic")
		http.Error(w, "this table is not public", http.StatusUnauthorized)
		return
	}
	switch part := strings.Split(path, "/"); {
	case path == "cone":
		s.cone(w, r)
	case path == "tap/sync":
		if j := s.query(w, r); j != nil {
			s.answer(w, j)
		}
	case path == "tap/async" && r.Method == http.MethodPost:
		if j := s.query(w, r); j != nil {
			s.made++
			id := "job" + strconv.Itoa(s.made)
			s.jobs[id] = j
			http.Redirect(w, r, "/tap/async/"+id, http.StatusSeeOther)
		}
	case strings.HasPrefix(path, "tap/async/") && s.jobs[part[2]] != nil:
		s.job(w, r, part[2], strings.Join(part[3:], "/"))
	case path == "tap/async": // the list, to which a deletion leads
		fmt.Fprint(w, `<uws:jobs xmlns:uws="http://www.ivoa.net/xml/UWS/v1.0"/>`)
	default:
		http.NotFound(w, r)
	}
}

// query reads a request of TAP, and answers one that is wrong (DALI, section 4.2).
func (s *Service) query(w http.ResponseWriter, r *http.Request) *job {
	if r.Method != http.MethodPost {
		http.Error(w, "POST a query", http.StatusMethodNotAllowed)
		return nil
	}
	if err := r.ParseMultipartForm(1 << 20); err != nil && err != http.ErrNotMultipart {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return nil
	}
	j := &job{phase: "PENDING", query: r.Form.Get("QUERY"), limit: s.Limit}
	if n, err := strconv.Atoi(r.Form.Get("MAXREC")); err == nil {
		j.limit = min(n, s.Limit)
	}
	if name, from, ok := strings.Cut(r.Form.Get("UPLOAD"), ",param:"); ok {
		f, _, err := r.FormFile(from)
		if err != nil || !strings.Contains(j.query, "TAP_UPLOAD."+name) {
			refuse(w, http.StatusBadRequest, "UPLOAD names nothing")
			return nil
		}
		text, _ := io.ReadAll(f) // of memory
		j.upload = string(text)
	}
	switch {
	case r.Form.Get("REQUEST") != "doQuery" || r.Form.Get("LANG") != "ADQL" || r.Form.Get("RESPONSEFORMAT") != "votable":
		refuse(w, http.StatusBadRequest, "REQUEST, LANG or RESPONSEFORMAT is not known")
	case strings.Contains(j.query, "wrong"):
		refuse(w, http.StatusBadRequest, "ADQL: \"wrong\" is no column of\n  stars & others")
	default:
		return j
	}
	return nil
}

// job answers what is asked of a job (UWS 1.1, section 2.2).
func (s *Service) job(w http.ResponseWriter, r *http.Request, id, part string) {
	j := s.jobs[id]
	here := "/tap/async/" + id
	switch {
	case r.Method == http.MethodDelete && part == "" || r.PostFormValue("ACTION") == "DELETE":
		delete(s.jobs, id)
		http.Redirect(w, r, "/tap/async", http.StatusSeeOther)
	case r.Method == http.MethodPost && part == "phase":
		switch r.PostFormValue("PHASE") {
		case "RUN":
			j.phase = "QUEUED"
		case "ABORT":
			j.phase = "ABORTED"
		}
		http.Redirect(w, r, here, http.StatusSeeOther)
	case part == "":
		s.describe(w, r, id, j)
	case part == "results/result" && j.phase == "COMPLETED":
		http.Redirect(w, r, here+"/results/file.vot", http.StatusSeeOther)
	case part == "results/file.vot" && j.phase == "COMPLETED":
		s.answer(w, j)
	case part == "error" && j.phase == "ERROR":
		refuse(w, http.StatusOK, "the query ran for too long")
	default:
		http.NotFound(w, r)
	}
}

// describe describes a job, which gets a phase further whenever it is looked at.
func (s *Service) describe(w http.ResponseWriter, r *http.Request, id string, j *job) {
	quote, more := ` xsi:nil="true">`, ""
	switch {
	case j.phase == "QUEUED":
		j.phase = "EXECUTING"
	case j.phase == "EXECUTING" && strings.Contains(j.query, "late"):
		j.phase = "ERROR"
	case j.phase == "EXECUTING" && !s.Stuck && r.FormValue("PHASE") == "EXECUTING":
		j.phase = "COMPLETED"
	}
	switch j.phase {
	case "EXECUTING":
		quote = ">" + time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
	case "COMPLETED":
		more = `<uws:results><uws:result id="result" xlink:href="` + id + `/results/result"/></uws:results>`
	case "ERROR":
		more = `<uws:errorSummary type="fatal" hasDetail="true"><uws:message>too long</uws:message></uws:errorSummary>`
	}
	w.Header().Set("Content-Type", "text/xml")
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>
<uws:job xmlns:uws="http://www.ivoa.net/xml/UWS/v1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="1.1">
<uws:jobId>%s</uws:jobId><uws:ownerId xsi:nil="true"/><uws:phase>%s</uws:phase><uws:quote%s</uws:quote><uws:executionDuration>3600</uws:executionDuration><uws:destruction>2099-01-01T00:00:00Z</uws:destruction>
<uws:parameters/>%s</uws:job>`, id, j.phase, quote, more)
}

// paged is a page of the table.
var paged = regexp.MustCompile(`^SELECT \* FROM \((.*)\) AS page(?: WHERE page\.source_id >= (\d+))? ORDER BY page\.source_id$`)

// top is how many rows a query asks for.
var top = regexp.MustCompile(`TOP ?(\d+)`)

// answer writes the result of a query.
func (s *Service) answer(w http.ResponseWriter, j *job) {
	if j.upload != "" {
		fmt.Fprint(w, j.upload)
		return
	}
	from := 0
	if m := paged.FindStringSubmatch(strings.Join(strings.Fields(j.query), " ")); m != nil {
		from, _ = strconv.Atoi(m[2]) // 0 on the first page
	}
	var rows []int
	most := s.Rows
	if m := top.FindStringSubmatch(j.query); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits
		most = min(most, n)
	}
	for i := range most {
		if id(i) >= from {
			rows = append(rows, i)
		}
	}
	status := "OK"
	if len(rows) > j.limit {
		rows, status = rows[:j.limit], "OVERFLOW"
	}
	table(w, rows, `<INFO name="QUERY_STATUS" value="OK"/>`, `<INFO name="QUERY_STATUS" value="`+status+`"/>`)
}

// id is the identifier of a row: every third one has that of the row before, and they
// are above what floats can tell apart.
func id(row int) int { return 5188146736371635584 + row - row%3/2 }

// place is where a row is, in degrees.
func place(row int) (ra, dec float64) { return 10 + float64(row)/100, -5 }

// cone answers a cone search (SCS 1.03).
func (s *Service) cone(w http.ResponseWriter, r *http.Request) {
	var v [3]float64
	for i, name := range []string{"RA", "DEC", "SR"} {
		var err error
		if v[i], err = strconv.ParseFloat(r.URL.Query().Get(name), 64); err != nil {
			w.Header().Set("Content-Type", "text/xml")
			fmt.Fprintf(w, `<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><INFO ID="Error" name="Error" value="%s is no number"/></VOTABLE>`, name)
			return
		}
	}
	var rows []int
	for i := range s.Rows {
		ra, dec := place(i)
		if math.Hypot((ra-v[0])*math.Cos(dec*math.Pi/180), dec-v[1]) <= v[2] {
			rows = append(rows, i)
		}
	}
	table(w, rows, "", "")
}

// refuse writes the document of an error.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/x-votable+xml")
	w.WriteHeader(status)
	fmt.Fprint(w, `<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><RESOURCE type="results"><INFO name="QUERY_STATUS" value="ERROR">`)
	_ = xml.EscapeText(w, []byte(message)) // the test sees what is missing
	fmt.Fprint(w, `</INFO></RESOURCE></VOTABLE>`)
}

// table writes rows as a VOTable.
func table(w http.ResponseWriter, rows []int, before, behind string) {
	w.Header().Set("Content-Type", "application/x-votable+xml")
	fmt.Fprintf(w, `<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><RESOURCE type="results">%s
<TABLE><FIELD name="source_id" datatype="long" ucd="meta.id;meta.main"/><FIELD name="ra" datatype="double" unit="deg" ucd="pos.eq.ra;meta.main"><DESCRIPTION>right ascension</DESCRIPTION></FIELD>
<FIELD name="dec" datatype="double" unit="deg" ucd="pos.eq.dec;meta.main"/><FIELD name="name" datatype="char" arraysize="*"/><DATA><TABLEDATA>
`, before)
	for _, i := range rows {
		ra, dec := place(i)
		fmt.Fprintf(w, "<TR><TD>%d</TD><TD>%g</TD><TD>%g</TD><TD>star %d</TD></TR>\n", id(i), ra, dec, i)
	}
	fmt.Fprintf(w, "</TABLEDATA></DATA></TABLE>%s</RESOURCE></VOTABLE>\n", behind)
}
