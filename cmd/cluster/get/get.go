// Package get is 'cluster get', which fetches tables from archives.
package get

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/file"
	"skyjoin/internal/vo"
	"skyjoin/io/table"
)

const doc = `get URL -o OUT
a table from an archive: TAP, cone search, or a file

Fetches a table from an archive and writes it in any format, with the units, UCDs
and descriptions that the archive gives, and where it comes from.

With --adql the URL is that of a TAP service (the part before /sync), which is
asked a query; @FILE has the query in a file. A query that takes long runs as a
job of the service (--async), for which the command waits. With --cone it is that
of a cone search. Otherwise it is that of a file, in any format that is read.

Services end a result at their limit of rows, which the summary warns of. With
--page-by the rest is asked for as well, in the order of a column that has no
nulls, such as source_id: no row is lost or repeated where values are equal. The
query then is a table of the one that is asked: it can have no ORDER BY.

Until the output is there, what has come so far is in the folder OUT.get. After an
interruption --resume goes on from it: a job runs on at the service meanwhile.
--abort ends and removes the job instead, and the folder.

Credentials come from the environment only: SKYJOIN_ARCHIVE_TOKEN, or
SKYJOIN_ARCHIVE_USER and SKYJOIN_ARCHIVE_PASSWORD. They are sent over https only,
and written nowhere. Proxies are those of HTTPS_PROXY, HTTP_PROXY and NO_PROXY.

Examples:
  # stars of Gaia around the Pleiades
  cluster get https://gea.esac.esa.int/tap-server/tap -o pleiades.parquet --async \
      --adql "SELECT source_id, ra, dec, pmra, pmdec, parallax FROM gaiadr3.gaia_source
              WHERE CONTAINS(POINT(ra, dec), CIRCLE(56.75, 24.12, 3)) = 1 AND parallax > 5"

  # more rows than the service returns at once
  cluster get https://gea.esac.esa.int/tap-server/tap -o all.parquet --async \
      --adql @all.adql --page-by source_id

  # what an archive has of the rows of a table
  cluster get https://tapvizier.cds.unistra.fr/TAPVizieR/tap -o out.fits --upload mine=targets.csv \
      --adql 'SELECT * FROM "II/246/out" AS t JOIN TAP_UPLOAD.mine AS m
              ON 1 = CONTAINS(POINT(t.RAJ2000, t.DEJ2000), CIRCLE(m.ra, m.dec, 0.0003))'

  # a cone search
  cluster get "https://vizier.cds.unistra.fr/viz-bin/conesearch/I/355/gaiadr3?" -o cone.vot \
      --cone 56.75,24.12,10arcmin`

// Options are the flags of the command.
type Options struct {
	job.Flags
	adql    string
	cone    cone
	uploads []string
	async   bool
	maxRows flags.Integer
	pageBy  string
	resume  bool
	abort   bool
}

func New(a *job.App) *cobra.Command {
	o := &Options{maxRows: flags.Integer{Least: 1}}
	cmd := flags.Command(doc, func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return exit.Usagef("get needs one URL, %d are given", len(args))
		}
		return nil
	}, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args[0]) })
	fs := cmd.Flags()
	fs.StringVar(&o.adql, "adql", "", "ask a TAP service: a `query`, or @FILE")
	fs.Var(&o.cone, "cone", "ask a cone search: RA and Dec, in degrees or sexagesimal, and a radius, as in 56.75,24.12,10arcmin")
	fs.StringArrayVar(&o.uploads, "upload", nil, "a table that the query names TAP_UPLOAD.NAME, as `NAME=FILE`; may be given several times")
	fs.BoolVar(&o.async, "async", false, "have the query run as a job of the service")
	fs.Var(&o.maxRows, "max-rows", "rows that an answer may have at most (default: the service's limit)")
	fs.StringVar(&o.pageBy, "page-by", "", "ask for all rows, in the order of this `column`")
	fs.BoolVar(&o.resume, "resume", false, "go on with what an interrupted run has left")
	fs.BoolVar(&o.abort, "abort", false, "end the job of an interrupted run, and remove what it has left")
	o.Out.Register(fs, "table")
	o.Run.RegisterTalk(cmd)
	return cmd
}

// pause is the first wait between two looks at a job; tests shorten it.
var pause = time.Second

// Run fetches the table.
func Run(ctx context.Context, a *job.App, o *Options, address string) error {
	r, err := o.request(address)
	if err != nil {
		return err
	}
	if err := o.Out.Check(o.Run.JSON); err != nil {
		return err
	}
	j, err := job.New(a, "get", &o.Flags)
	if err != nil {
		return err
	}
	defer j.Close()
	if !o.abort {
		if err := j.Outputs(&o.Out); err != nil {
			return err
		}
	}
	d, err := o.begin(ctx, j, r, client(a))
	if err != nil {
		return err
	}
	defer d.end()
	j.Params.Text("url", r.URL)
	if o.abort {
		j.Sum.Result.Add(Aborted{d.Job != ""})
		if err := d.abort(ctx); err != nil {
			return err
		}
		return j.Finish(ctx)
	}
	pages, err := d.fetch(ctx)
	if err != nil {
		return d.resumable(err)
	}
	return d.write(ctx, pages)
}

// Result is that of the command.
type Result struct {
	Rows    int64  `json:"rows" jsonschema:"rows that were fetched"`
	Columns int64  `json:"columns" jsonschema:"columns that they have"`
	Pages   *int64 `json:"pages,omitempty" jsonschema:"pages that they came in, with --page-by"`
	Jobs    *int64 `json:"jobs,omitempty" jsonschema:"jobs of the service, with --async"`
}

// Aborted is the result of --abort.
type Aborted struct {
	Aborted bool `json:"aborted" jsonschema:"whether there was a job to end"`
}

// client speaks as the program, for whom the environment says.
func client(a *job.App) *vo.Client {
	return &vo.Client{
		Agent: "skyjoin/" + a.Version, Pause: pause,
		Token: os.Getenv("SKYJOIN_ARCHIVE_TOKEN"), User: os.Getenv("SKYJOIN_ARCHIVE_USER"), Password: os.Getenv("SKYJOIN_ARCHIVE_PASSWORD"),
	}
}

// write writes the pages as the output, and removes them.
func (d *download) write(ctx context.Context, pages []string) error {
	j := d.job
	if err := j.Open(ctx, pages, nil); err != nil {
		return err
	}
	d.Request.provenance(j.Params)
	j.Params.Text("retrieved", d.Retrieved)
	j.Sum.Input.Rows, j.Sum.Input.Used = j.Cat.Rows(), j.Cat.Rows()
	stop := j.Timed(&j.Sum.Seconds.Write)
	p := j.Rep.Phase("write", j.Cat.Rows())
	opt := j.Options("", p.Add)
	if d.Request.PageBy != "" {
		opt.Decode = true // one table of many
	}
	_, err := exit.Await(ctx, func() ([]string, error) { return table.Append(ctx, d.out, j.Cat, nil, opt) })
	p.End()
	stop()
	if err != nil {
		return err
	}
	result, n := Result{Rows: j.Cat.Rows(), Columns: int64(len(j.Cat.Fields()) - j.Dropped())}, int64(len(pages))
	if d.Request.PageBy != "" {
		result.Pages = &n
	}
	if d.Request.Async {
		result.Jobs = &n
	}
	j.Sum.Result.Add(result)
	if err := file.Name(ctx); err != nil {
		return err
	}
	d.done = true
	return j.Finish(ctx)
}

// isFile reports whether the request is for a file, in any format.
func (r *request) isFile() bool { return r.ADQL == "" && strings.TrimSpace(r.Cone) == "" }
