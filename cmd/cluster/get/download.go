package get

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"time"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/file"
	"skyjoin/internal/vo"
)

// A download is what has come of a request so far: the files of its folder, which
// state.json lists.
type download struct {
	Request   *request `json:"request"`
	Job       string   `json:"job,omitempty"` // that runs, or has run, for the next page
	Pages     []page   `json:"pages"`
	Retrieved string   `json:"retrieved"` // when the first page was asked for, UTC

	job    *job.Job
	client *vo.Client
	out    string
	dir    string
	done   bool
	remove func() // the folder, of an output that is no file
}

// A page is an answer.
type page struct {
	File string `json:"file"`
	Next string `json:"next,omitempty"` // the least value of --page-by that is to come, as ADQL writes it; "" on the last page
}

const stateName = "state.json"

// begin makes the folder of a download, or opens that of an interrupted one.
func (o *Options) begin(ctx context.Context, j *job.Job, r *request, c *vo.Client) (*download, error) {
	d := &download{Request: r, Retrieved: time.Now().UTC().Format(time.RFC3339), job: j, client: c, out: o.Out.Output, dir: o.Out.Output + ".get"}
	if d.out == flags.Stdout {
		var err error
		d.dir, d.remove, err = file.Scratch(filepath.Join(os.TempDir(), "cluster.get"))
		return d, err
	}
	text, err := os.ReadFile(filepath.Join(d.dir, stateName))
	switch {
	case errors.Is(err, fs.ErrNotExist) && (o.resume || o.abort):
		return nil, exit.Usagef("there is no %s: nothing of %s was interrupted", d.dir, d.out)
	case errors.Is(err, fs.ErrNotExist):
		return d, d.create(ctx)
	case err != nil:
		return nil, file.Failed(d.dir, err)
	case !o.resume && !o.abort && !o.Out.Force:
		return nil, exit.Usagef("%s is of an interrupted download: --resume goes on with it, --abort ends it, --force begins anew", d.dir)
	}
	old := download{job: j, client: c, out: d.out, dir: d.dir}
	if err := json.Unmarshal(text, &old); err != nil || old.Request == nil {
		return nil, fmt.Errorf("%s is damaged; remove it", filepath.Join(d.dir, stateName))
	}
	switch {
	case o.abort:
		return &old, nil
	case !o.resume:
		if err := old.abort(ctx); err != nil { // the job of a request that is forgotten
			return nil, err
		}
		return d, d.create(ctx)
	case old.Request.String() != r.String():
		return nil, exit.Usagef("%s is of another request: %s; give the same flags, or --force to begin anew", d.dir, old.Request)
	}
	old.Request = r // with its place, which is not kept
	return &old, nil
}

func (r *request) String() string {
	b, _ := json.Marshal(r) // plain data
	return string(b)
}

func (d *download) create(ctx context.Context) error {
	if err := os.Mkdir(d.dir, 0o777); err != nil {
		return file.Failed(d.dir, err)
	}
	return d.save(ctx)
}

// save writes down what has come so far.
func (d *download) save(ctx context.Context) error {
	b, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	return d.keep(ctx, stateName, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}

// keep writes a file of the folder, whole or not at all, at once: it is there after an
// interruption.
func (d *download) keep(ctx context.Context, name string, write func(io.Writer) error) error {
	return file.Write(file.Alone(ctx), filepath.Join(d.dir, name), file.Options{Force: true}, write)
}

// end removes the folder when the output is there.
func (d *download) end() {
	switch {
	case d.remove != nil:
		d.remove()
	case d.done:
		_ = os.RemoveAll(d.dir) // what is left does no harm, and is named by the next run
	}
}

// abort ends the job, and forgets the download.
func (d *download) abort(ctx context.Context) error {
	if d.Job != "" {
		if err := d.client.Abort(ctx, d.Job); err != nil && !vo.Gone(err) {
			return err
		}
		if err := d.client.Delete(ctx, d.Job); err != nil {
			return err
		}
	}
	return os.RemoveAll(d.dir)
}

// resumable ends a download that has failed: what has come is kept, with a word on
// how to go on, if something has.
func (d *download) resumable(err error) error {
	refused := (*vo.ServiceError)(nil)
	ended := (*vo.JobError)(nil)
	switch {
	case d.remove != nil:
	case len(d.Pages) == 0 && d.Job == "":
		d.done = true // the folder goes
	case errors.As(err, &ended), vo.Gone(err):
		return fmt.Errorf("%w; --abort removes what is left of it", err)
	case errors.Is(err, context.Canceled):
		d.job.Rep.Say("interrupted: --resume goes on, --abort ends it")
	case !errors.As(err, &refused):
		return fmt.Errorf("%w; --resume goes on from here", err)
	}
	return err
}

// fetch gets the pages that have not come yet, and returns all.
func (d *download) fetch(ctx context.Context) (paths []string, err error) {
	defer d.job.Timed(&d.job.Sum.Seconds.Read)()
	for n := len(d.Pages); n == 0 || d.Pages[n-1].Next != ""; n = len(d.Pages) {
		if err := d.next(ctx); err != nil {
			return nil, err
		}
	}
	for _, p := range d.Pages {
		paths = append(paths, filepath.Join(d.dir, p.File))
	}
	return paths, nil
}

// next gets a page.
func (d *download) next(ctx context.Context) error {
	p := page{File: fmt.Sprintf("page-%04d.vot", len(d.Pages)+1)}
	if d.Request.isFile() {
		p.File = fileName(d.Request.URL)
	}
	body, err := d.ask(ctx)
	if err != nil {
		return err
	}
	defer body.Close()
	err = d.keep(ctx, p.File, func(w io.Writer) error {
		_, err := io.Copy(w, body)
		return err
	})
	if err != nil {
		return err
	}
	if !d.Request.isFile() {
		if err := d.refused(p.File); err != nil {
			return err
		}
	}
	if d.Request.PageBy != "" {
		if p, err = d.cut(ctx, p); err != nil {
			return err
		}
	}
	old := d.Job
	d.Pages, d.Job = append(d.Pages, p), ""
	if err := d.save(ctx); err != nil {
		return err
	}
	if old == "" {
		return nil
	}
	if err := d.client.Delete(ctx, old); err != nil {
		d.job.Sum.Warn("the job %s is still at the service: %v", old, err)
	}
	return nil
}

// fileName is what a file of an archive is called.
func fileName(address string) string {
	if u, err := url.Parse(address); err == nil {
		if name := path.Base(u.Path); regexp.MustCompile(`^\w[\w.+-]*$`).MatchString(name) && name != stateName {
			return name
		}
	}
	return "file"
}

// refused returns the error that a document tells of in place of a table.
func (d *download) refused(name string) error {
	f, err := os.Open(filepath.Join(d.dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	if message, found := vo.Refusal(f); found {
		return &vo.ServiceError{URL: d.Request.URL, Status: 200, Message: message}
	}
	return nil
}

// ask asks for the next page.
func (d *download) ask(ctx context.Context) (io.ReadCloser, error) {
	r := d.Request
	switch {
	case r.Cone != "":
		return d.client.Cone(ctx, r.URL, r.at.ra, r.at.dec, r.at.radius)
	case r.ADQL == "":
		return d.client.Get(ctx, r.URL)
	}
	if d.Job == "" {
		uploads, err := d.uploads(ctx)
		if err != nil {
			return nil, err
		}
		q := vo.Query{ADQL: d.adql(), MaxRows: r.MaxRows, Uploads: uploads}
		if !r.Async {
			return d.client.Sync(ctx, r.URL, q)
		}
		if d.Job, err = d.client.Submit(ctx, r.URL, q); err != nil {
			return nil, err
		}
		if err := d.save(ctx); err != nil {
			return nil, err
		}
	}
	j, err := d.client.Await(ctx, d.Job, func(j vo.Job) {
		text := d.Job + ": " + j.Phase
		if j.Quote != "" {
			text += ", until about " + j.Quote
		}
		d.job.Rep.Say(text)
	})
	if err != nil {
		return nil, err
	}
	return d.client.Result(ctx, d.Job, j)
}
