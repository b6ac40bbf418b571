package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"skyjoin/internal/format"
	"skyjoin/internal/frame"
	"skyjoin/neighbors"
)

// Select reads coordinate columns, and weights, and makes points of the rows that
// the filter keeps and whose values are all present and finite, with declinations in
// [-90, 90] degrees and distances of 0 or more. Float32 columns stay float32. A
// request that the catalog cannot meet wraps ErrRequest; no usable row, unless Empty
// allows it, or with Strict an unusable one, wraps ErrUnusable.
func (c *Catalog) Select(ctx context.Context, req Request) (*Selection, error) {
	return c.selectRows(ctx, req, true)
}

func (c *Catalog) selectRows(ctx context.Context, req Request, prune bool) (*Selection, error) {
	if err := c.checkRequest(req); err != nil {
		return nil, err
	}
	if c.rows == 0 && req.Empty {
		return c.selectNone(ctx, req)
	}
	progress := c.progress(req)
	f, err := c.where(ctx, req.Where, prune, progress)
	if err != nil {
		return nil, err
	}
	cols, err := c.coordinates(ctx, req.names(), f, progress)
	if err != nil {
		return nil, err
	}
	s, err := c.choose(ctx, cols, c.rows, f.keep, req)
	if err != nil {
		return nil, err
	}
	return s, s.complain(c, req)
}

// selectNone returns the selection of a catalog without rows. No file needs to be
// read: the catalog may be a part without rows.
func (c *Catalog) selectNone(ctx context.Context, req Request) (*Selection, error) {
	cols := make([]format.Column, len(req.names()))
	for i, name := range req.names() {
		f, err := c.Field(name)
		if err != nil {
			return nil, err
		}
		cols[i] = format.MakeColumn(f.raw(), 0, false)
	}
	return c.choose(ctx, cols, 0, nil, req)
}

func (c *Catalog) checkRequest(req Request) error {
	if err := c.checkColumns(req); err != nil {
		return err
	}
	if uint64(c.rows) > neighbors.MaxRows {
		return format.Requestf("%d rows, at most %d can be joined at once", c.rows, uint64(neighbors.MaxRows))
	}
	return nil
}

// checkColumns checks that the columns of a request exist and are numbers.
func (c *Catalog) checkColumns(req Request) error {
	if len(req.Columns) == 0 {
		return format.Requestf("no coordinate columns are named")
	}
	if _, ok := frame.Of(req.Frame); !ok && req.Frame != "" && !slices.Contains(frame.Names, req.Frame) {
		return format.Requestf("frame %q: frames are %s", req.Frame, strings.Join(frame.Names, ", "))
	}
	if req.Sky && len(req.Columns) < 2 {
		return format.Requestf("only column %s is named; on the sky RA and Dec are needed", req.Columns[0])
	}
	for i, name := range req.names() {
		f, r, err := c.column(name)
		if err != nil {
			return err
		}
		what := "coordinates"
		if i == len(req.Columns) {
			what = "weights"
		}
		if !c.numeric(f) && (i == len(req.Columns) || !c.isAngle(f)) {
			return format.Requestf("column %s is %s%s; %s are numbers", name, f.Text, c.explain(r), what)
		}
	}
	return nil
}

// explain returns why a column that should hold numbers does not.
func (c *Catalog) explain(r format.Ref) string {
	for file, s := range c.sources {
		e, ok := s.(format.Explainer)
		if at := c.inFile(file, r); ok && at.Field >= 0 {
			if why := e.NotNumeric(at.Field); why != "" {
				return fmt.Sprintf(" (%s, %s)", c.files[file].Path, why)
			}
		}
	}
	return ""
}

// progress halves the reported rows if there is a filter, which makes two passes
// over the files.
func (c *Catalog) progress(req Request) func(rows int64) {
	switch {
	case req.Progress == nil:
		return func(int64) {}
	case req.Where == "":
		return req.Progress
	}
	var total atomic.Int64
	return func(rows int64) {
		now := total.Add(rows)
		if half := now/2 - (now-rows)/2; half > 0 {
			req.Progress(half)
		}
	}
}

// coordinates returns the named columns. Those that the filter has not read are
// read now, except where no row passes.
func (c *Catalog) coordinates(ctx context.Context, names []string, f *filter, progress func(rows int64)) ([]format.Column, error) {
	cols := make([]format.Column, len(names))
	var missing []string
	var at []int
	for i, n := range names {
		var ok bool
		if cols[i], ok = f.take(n); !ok {
			missing, at = append(missing, n), append(at, i)
		}
	}
	f.cols = nil // what only the filter needed can be freed
	if len(missing) == 0 {
		progress(c.rows)
		return cols, nil
	}
	read, err := c.load(ctx, missing, f.skip(), progress)
	if err != nil {
		return nil, err
	}
	for k, i := range at {
		cols[i] = read[k]
	}
	return cols, nil
}

// complain returns the error for a selection that the request does not allow.
func (s *Selection) complain(c *Catalog, req Request) error {
	name := c.name()
	if c.rows == 0 && !req.Empty {
		return emptyf("%s: the table has no rows", name)
	}
	var skipped int64
	var why []string
	for _, k := range s.Skipped {
		skipped += k.Rows
		why = append(why, fmt.Sprintf("%s %s in %d, first row %d", k.Column, k.Reason(), k.Rows, k.First[0]))
	}
	switch {
	case req.Strict && skipped > 0:
		return format.Mark(fmt.Errorf("%s: %d of %d rows cannot be used: %s", name, skipped, c.rows, strings.Join(why, "; ")), ErrUnusable)
	case req.Empty:
	case s.Filtered == c.rows:
		return emptyf("%s: the filter drops all %d rows", name, c.rows)
	case skipped+s.Filtered == c.rows && s.Filtered > 0:
		return emptyf("%s: no row can be used: the filter drops %d of %d, and %s", name, s.Filtered, c.rows, strings.Join(why, "; "))
	case skipped == c.rows:
		return emptyf("%s: none of the %d rows can be used: %s", name, c.rows, strings.Join(why, "; "))
	}
	return nil
}

// name names the catalog by its first file.
func (c *Catalog) name() string {
	switch n := len(c.files); n {
	case 1:
		return c.files[0].Path
	case 2:
		return c.files[0].Path + " and another file"
	default:
		return fmt.Sprintf("%s and %d other files", c.files[0].Path, n-1)
	}
}
