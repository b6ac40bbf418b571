package get

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/file"
	"skyjoin/internal/sexagesimal"
)

// A request is what is asked for. It is kept beside what has come of it, and has no
// credentials.
type request struct {
	URL     string            `json:"url"`
	ADQL    string            `json:"adql,omitempty"`
	Cone    string            `json:"cone,omitempty"`
	Uploads map[string]string `json:"uploads,omitempty"` // files by names
	Async   bool              `json:"async,omitempty"`
	MaxRows int64             `json:"max_rows,omitempty"`
	PageBy  string            `json:"page_by,omitempty"`

	at cone
}

// request checks the flags.
func (o *Options) request(address string) (*request, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, exit.Usagef("%s is no address; it begins with https:// or http://", address)
	case u.User != nil:
		return nil, exit.Usagef("%s has credentials, which others could read; they come from SKYJOIN_ARCHIVE_USER and SKYJOIN_ARCHIVE_PASSWORD", u.Redacted())
	case o.Out.Output == "":
		return nil, exit.Usagef("-o is needed: the table to write, as in -o stars.parquet")
	case o.adql != "" && o.cone.given != "":
		return nil, exit.Usagef("--adql and --cone ask different services; give one of them")
	case (o.resume || o.abort) && o.Out.Output == flags.Stdout:
		return nil, exit.Usagef("what is interrupted on its way to stdout is not kept; write to a file")
	case o.resume && o.abort:
		return nil, exit.Usagef("--resume and --abort exclude each other")
	}
	r := &request{URL: address, Cone: o.cone.given, at: o.cone, Async: o.async, MaxRows: o.maxRows.Value, PageBy: o.pageBy, Uploads: map[string]string{}}
	if r.ADQL, err = query(o.adql); err != nil {
		return nil, err
	}
	if r.ADQL == "" {
		for flag, given := range map[string]bool{"upload": len(o.uploads) > 0, "async": o.async, "max-rows": o.maxRows.Value > 0, "page-by": o.pageBy != ""} {
			if given {
				return nil, exit.Usagef("--%s is for queries; give one by --adql", flag)
			}
		}
	}
	for _, given := range o.uploads {
		name, path, ok := strings.Cut(given, "=")
		switch {
		case !ok || path == "" || !regular.MatchString(name):
			return nil, exit.Usagef("--upload %s: it is written NAME=FILE, where NAME has letters, digits and _", given)
		case r.Uploads[name] != "":
			return nil, exit.Usagef("--upload %s: there is a table %s", given, name)
		case !strings.Contains(strings.ToLower(r.ADQL), "tap_upload."+strings.ToLower(name)):
			return nil, exit.Usagef("--upload %s: the query does not name TAP_UPLOAD.%s", given, name)
		}
		r.Uploads[name] = path
	}
	return r, nil
}

// regular matches names that ADQL needs no quotes for.
var regular = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// query is a query as given, or that of a file.
func query(given string) (string, error) {
	path, is := strings.CutPrefix(given, "@")
	if !is {
		return strings.TrimRight(strings.TrimSpace(given), ";"), nil
	}
	const most = 1 << 20
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("--adql %s: %w", given, file.Cause(err))
	}
	query := strings.TrimRight(strings.TrimSpace(string(text)), "; \n")
	if query == "" || len(query) > most {
		return "", exit.Usagef("--adql %s: the file has no query", given)
	}
	return query, nil
}

// provenance adds what was asked for to the parameters.
func (r *request) provenance(p *report.Parameters) {
	p.Text("adql", r.ADQL)
	p.Text("cone", r.Cone)
	for _, name := range slices.Sorted(maps.Keys(r.Uploads)) {
		p.Text("upload-"+name, r.Uploads[name])
	}
	if r.MaxRows > 0 {
		p.Int("max-rows", r.MaxRows)
	}
	p.Text("page-by", r.PageBy)
}

// A cone is the value of --cone, in degrees.
type cone struct {
	ra, dec, radius float64
	given           string
}

func (c *cone) String() string { return c.given }

func (c *cone) Type() string { return "ra,dec,radius" }

func (c *cone) Set(s string) error {
	items, err := flags.SplitList(s)
	if err != nil || len(items) != 3 {
		return fmt.Errorf("it is RA, Dec and a radius, as in 56.75,24.12,10arcmin")
	}
	var ok bool
	if c.ra, ok = angle(items[0], true); !ok || c.ra < 0 || c.ra >= 360 {
		return fmt.Errorf("the RA %s is not between 0 and 360 degrees, nor written as 03:47:00", items[0])
	}
	if c.dec, ok = angle(items[1], false); !ok || math.Abs(c.dec) > 90 {
		return fmt.Errorf("the Dec %s is not between -90 and 90 degrees, nor written as +24:07:00", items[1])
	}
	radius, err := flags.ParseLength(items[2])
	if err != nil {
		return fmt.Errorf("the radius %s: %w", items[2], err)
	}
	radians, err := radius.Angle("the radius")
	if c.radius = radians * 180 / math.Pi; err != nil {
		return err
	}
	c.given = s
	return nil
}

// angle reads degrees, or hours (of RA) or degrees, minutes and seconds.
func angle(text string, hours bool) (float64, bool) {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v, !math.IsNaN(v)
	}
	return sexagesimal.Degrees(text, hours)
}
