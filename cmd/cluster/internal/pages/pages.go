// Package pages draws maps of clusters, as pictures and as pages to explore.
package pages

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/each"
	"skyjoin/internal/expr"
	"skyjoin/internal/file"
	"skyjoin/internal/page"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// A Label is the column of the labels.
type Label struct {
	Column    string
	InCatalog bool // and not only in the output of the run
}

// Plot draws the map of the first two coordinates to the files of --plot that are
// pictures, and writes those that are pages.
func Plot(ctx context.Context, j *job.Job, labels []int32, label string, usual *Usual) error {
	pictures, files := page.Split(j.Out.Plots)
	if len(pictures) > 0 {
		if err := j.Plot(ctx, pictures, j.ClusterMap(labels)); err != nil {
			return err
		}
	}
	return Map(ctx, j, files, labels, Label{Column: j.WrittenAs(label)}, usual)
}

// Map writes pages of a map to files.
func Map(ctx context.Context, j *job.Job, files []string, labels []int32, label Label, usual *Usual) error {
	if len(files) == 0 {
		return nil
	}
	m, err := mapOf(ctx, j, labels, label, usual)
	if err != nil {
		return err
	}
	for _, path := range files {
		m.File, m.Record = filepath.Base(path), record(j, path)
		if err := write(ctx, j, path, m); err != nil {
			return err
		}
	}
	return nil
}

// A Document is a page that can be written.
type Document interface{ Write(io.Writer) error }

func write(ctx context.Context, j *job.Job, path string, d Document) error {
	return exit.Do(ctx, func() error { return file.Write(ctx, path, file.Options{Force: j.Out.Force}, d.Write) })
}

// Chart draws a figure to the files that are pictures, and writes the page of
// it to those that are pages.
func Chart(ctx context.Context, j *job.Job, paths []string, d job.Drawing, of func(page.Head) Document) error {
	pictures, files := page.Split(paths)
	if err := j.Plot(ctx, pictures, d); err != nil {
		return err
	}
	for _, path := range files {
		h := page.Head{Title: titleOf(j), About: about(j), File: filepath.Base(path), Record: record(j, path)}
		if err := write(ctx, j, path, of(h)); err != nil {
			return err
		}
	}
	return nil
}

// mapOf is the page before it is written.
func mapOf(ctx context.Context, j *job.Job, labels []int32, label Label, usual *Usual) (*page.Map, error) {
	m := &page.Map{
		Title: titleOf(j), About: about(j),
		Rows: j.Sel.Points.Len(), Numbers: j.Sel.Rows, Labels: labels,
		Label: page.Label{Name: label.Column, Where: expr.Name(label.Column), InCatalog: label.InCatalog},
		Sky:   j.Geo.Sky, Take: append(slices.Clone(j.Inputs()), j.Reading()...),
	}
	if j.Out.Output != "-" {
		m.Label.Output = j.Out.Output
	}
	b := builder{job: j, page: m, at: map[string]int{}}
	if err := b.coordinates(ctx); err != nil {
		return nil, err
	}
	if err := b.usual(usual); err != nil {
		return nil, err
	}
	b.more()
	return m, b.exact(ctx, j.Out.Exact)
}

// record is what a page says about itself, as figures do.
func record(j *job.Job, path string) string {
	info := j.Info(path, j.Out.Of().Title)
	return info.XMP()
}

// about is the command line.
func about(j *job.Job) string { return human.Shell(append([]string{"cluster"}, j.Arguments()...)) }

// titleOf is --title, else the files and the command.
func titleOf(j *job.Job) string {
	if title := j.Out.Of().Title; title != "" {
		return title
	}
	names := each.Of(j.Inputs(), filepath.Base)
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ") + " · " + j.Sum.Command
}

// A builder collects the columns and panels of a page.
type builder struct {
	job  *job.Job
	page *page.Map
	at   map[string]int // of columns that are drawn
}

// coordinates adds the coordinates, as many as there is room for. An expression can name
// one whose values are those of the file.
func (b *builder) coordinates(ctx context.Context) error {
	j := b.job
	skipped := map[string]bool{}
	for _, s := range j.Sel.Skipped {
		skipped[s.Column] = true
	}
	names := j.Geo.Columns[:min(len(j.Geo.Columns), page.MostColumns)]
	for i, name := range names {
		values := columns.Floats(j.Sel.Points.Column(i))
		same, err := b.asInFile(ctx, name, values)
		if err != nil {
			return err
		}
		c := page.Column{
			Name: name, Unit: j.Sel.Fields[i].Unit, Label: job.Axis(j.Sel.Fields[i]).String(), Needed: skipped[name],
			Values: func() ([]float64, error) { return values, nil },
		}
		if same {
			c.Where = expr.Name(name)
		}
		b.at[name] = len(b.page.Columns)
		b.page.Columns = append(b.page.Columns, c)
	}
	if !j.Geo.Sky && !j.Geo.Pure {
		b.page.Equal = len(names)
	}
	return nil
}

// asInFile reports whether the values of the points are those that expressions see.
func (b *builder) asInFile(ctx context.Context, name string, values []float64) (bool, error) {
	cols, err := job.ReadColumns(ctx, b.job.Cat, name)
	if err != nil {
		return false, err
	}
	raw, err := columns.NumbersOf(&cols[0], b.job.Sel)
	return err == nil && slices.Equal(raw, values), nil // text has other values
}

// usual adds the panels in which clusters of stars are judged.
func (b *builder) usual(u *Usual) error {
	cat := b.job.Cat
	if len(b.page.Columns) > 1 {
		b.page.Panels = append(b.page.Panels, page.Panel{X: 0, Y: 1})
	}
	pairs, err := u.Resolve(cat)
	if err != nil {
		return err
	}
	for i, pair := range pairs {
		if pair == nil {
			continue
		}
		x, y := b.column(pair[0]), b.column(pair[1])
		if x < 0 || y < 0 {
			continue
		}
		flip := i == 1 // colour and magnitude
		b.page.Columns[y].Magnitude = b.page.Columns[y].Magnitude || flip
		b.page.Panels = append(b.page.Panels, page.Panel{X: x, Y: y, Flip: flip})
	}
	return nil
}

// column is the number of a column, which is added where there is room, else -1.
func (b *builder) column(name string) int {
	if i, ok := b.at[name]; ok {
		return i
	}
	if len(b.page.Columns) == page.MostColumns {
		return -1
	}
	f, err := b.job.Cat.Field(name)
	if err != nil || !f.Type.IsNumber() {
		return -1
	}
	b.at[name] = len(b.page.Columns)
	b.page.Columns = append(b.page.Columns, page.Column{
		Name: name, Unit: f.Unit, Label: job.Axis(f).String(), Where: expr.Name(name),
		Values: func() ([]float64, error) {
			cols, err := job.ReadColumns(context.Background(), b.job.Cat, name)
			if err != nil {
				return nil, err
			}
			return columns.NumbersOf(&cols[0], b.job.Sel)
		},
	})
	return b.at[name]
}

// mostPanels is how many panels a page begins with.
const mostPanels = 4

// more adds panels of what no panel shows yet, two columns at a time.
func (b *builder) more() {
	var left []int
	for i := range b.page.Columns {
		if !slices.ContainsFunc(b.page.Panels, func(p page.Panel) bool { return p.X == i || p.Y == i }) {
			left = append(left, i)
		}
	}
	for len(left) > 0 && len(b.page.Panels) < mostPanels {
		p := page.Panel{X: left[0], Y: 0}
		if left = left[1:]; len(left) > 0 {
			p.Y, left = left[0], left[1:]
		}
		b.page.Panels = append(b.page.Panels, p)
	}
}

// exact adds the columns of --html-columns, as CSV files have them.
func (b *builder) exact(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	e := &page.Exact{}
	for _, name := range names {
		f, err := b.job.Cat.Field(name)
		if err != nil {
			return err
		}
		e.Columns = append(e.Columns, page.ExactColumn{Name: name, Label: job.Axis(f).String(), Unit: f.Unit, Where: expr.Name(name), Number: f.Type.IsNumber()})
	}
	e.CSV = func(w io.Writer) error {
		all, err := job.ReadColumns(ctx, b.job.Cat, names...)
		if err != nil {
			return err
		}
		some := make([]catalog.Column, len(all))
		for i := range all {
			some[i] = columns.Pick(&all[i], all[i].Field, b.job.Rows())
		}
		return table.Write(ctx, table.Stdout, some, table.Options{Stdout: "csv", Writer: w, Threads: b.job.Run.Count()})
	}
	b.page.Exact = e
	return nil
}
