package predict

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/dbscan"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
)

// readTraining reads the core rows of a labelled catalog. It is opened twice: the
// second time its nulls are known.
func readTraining(ctx context.Context, j *job.Job, path string) (*training, error) {
	defer j.Timed(&j.Sum.Seconds.Read)()
	t := &training{path: path, border: geometry.Border()}
	t.geometry.Metric = geometry.MetricChoice()
	cat, err := flags.OpenCatalog(ctx, []string{path}, catalog.Options{Threads: j.Run.Count()})
	if err != nil {
		return nil, err
	}
	err = t.flags(cat.Metadata())
	cat.Close()
	if err != nil {
		return nil, err
	}
	if cat, err = flags.OpenCatalog(ctx, []string{path}, catalog.Options{Null: t.null, Threads: j.Run.Count()}); err != nil {
		return nil, err
	}
	defer cat.Close()
	d := job.Demand{Shares: []job.Share{{Cat: cat}, {Cat: j.Cat, Where: j.Read.Where}}, Coordinates: max(len(t.geometry.Columns), 2) + 1}
	if t.density != nil { // whose tree is built again
		d.Command, d.Shares = "hdbscan", d.Shares[:1]
	}
	if err := j.Fits(ctx, d); err != nil {
		return nil, err
	}
	return t, exit.Do(ctx, func() error { return t.read(ctx, cat) })
}

// flags sets the flags from the metadata, where they stand as they were given.
func (t *training) flags(metadata []catalog.KeyValue) error {
	values := map[string]string{}
	for _, kv := range metadata {
		if name, ok := strings.CutPrefix(kv.Key, report.MetadataPrefix); ok {
			values[name] = kv.Value
		}
	}
	switch values["command"] {
	case "dbscan":
	case "hdbscan":
		t.density = newDensity(values)
	default:
		return exit.Usagef("%s does not record how it was clustered; an output of 'cluster dbscan' or 'cluster hdbscan' is needed, as .parquet, which keeps that", t.path)
	}
	t.where, t.geometry.Distance = values["where"], values["distance"]
	t.geometry.Frame.Value, t.geometry.RAHours = values["frame"], values["ra-hours"] == "true"
	all := []flagValue{
		{"columns", &t.geometry.Columns}, {"metric", &t.geometry.Metric}, {"box", &t.geometry.Box}, {"scale", &t.geometry.Scale},
		{"eps", &t.eps}, {"border", &t.border}, {"null", &t.null}, {"let", &t.let},
		{"h0", &t.geometry.H0}, {"omega-m", &t.geometry.OmegaM},
	}
	if t.density != nil {
		all = append(all, t.density.flags()...)
	}
	t.eps.Zero = true
	for _, f := range all {
		text, ok := values[f.name]
		if !ok {
			continue // resolving the geometry misses what it needs
		}
		if err := f.value.Set(text); err != nil {
			return fmt.Errorf("%s: metadata %s%s, %q: %w", t.path, report.MetadataPrefix, f.name, text, err)
		}
	}
	return nil
}

// read reads the coordinates and the labels of the core rows.
func (t *training) read(ctx context.Context, cat *catalog.Catalog) error {
	g, err := t.geometry.Resolve(cat)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	if t.density != nil {
		return t.density.read(ctx, t, cat, g)
	}
	if t.radius, err = g.Radius("--eps", t.eps); err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	cluster, core := newestColumn(cat, "cluster"), newestColumn(cat, "core")
	if cluster == "" || core == "" {
		return exit.Usagef("%s has no columns cluster and core, as 'cluster dbscan' writes them", t.path)
	}
	only := &flags.Read{Where: geometry.Quoted(core)}
	if t.where != "" {
		only.Where = "(" + t.where + ") and " + geometry.Quoted(core)
	}
	sel, err := cat.Select(ctx, g.Request(only, ""))
	if errors.Is(err, catalog.ErrUnusable) {
		return fmt.Errorf("%s has no core rows, so new rows have no cluster to join", t.path)
	}
	if err != nil {
		return err
	}
	if t.metric, _, err = g.Scaled(sel.Points); err != nil {
		return err
	}
	labels, err := cat.Read(ctx, []string{cluster}, nil)
	if err != nil {
		return err
	}
	if labels[0].Int64 == nil {
		return exit.Usagef("%s: column %s holds no cluster numbers", t.path, cluster)
	}
	t.fields, t.points = sel.Fields, sel.Points
	t.labels = each.To(sel.Points.Len(), func(i int) int32 { return int32(labels[0].Int64[job.CatalogRow(sel, uint32(i))]) })
	return nil
}

// newestColumn returns the last column of the name, which may have a suffix
// because the input had one of that name; "" if there is none.
func newestColumn(cat *catalog.Catalog, name string) string {
	suffixed := regexp.MustCompile("^" + regexp.QuoteMeta(name) + "(_[0-9]+)?$")
	fields := cat.Fields()
	for i := len(fields) - 1; i >= 0; i-- {
		if suffixed.MatchString(fields[i].Name) {
			return fields[i].Name
		}
	}
	return ""
}

// sameUnits refuses new columns in other units than those of the clusters. RA
// and Dec are in degrees by now.
func (t *training) sameUnits(fields []catalog.Field) error {
	for i, f := range fields {
		if was := t.fields[i]; f.Unit != "" && was.Unit != "" && f.Unit != was.Unit {
			return exit.Usagef("column %s is in %s, %s of %s is in %s; the units must be the same", f.Name, f.Unit, was.Name, t.path, was.Unit)
		}
	}
	return nil
}

// model returns the model that labels new rows.
func (t *training) model() (*dbscan.Model, error) {
	border, err := dbscan.ParseBorder(t.border.Value)
	if err != nil {
		return nil, err
	}
	return dbscan.NewModel(t.points, t.labels, t.metric, t.radius, border)
}
