package get

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/file"
	"skyjoin/internal/vo"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// uploads are the tables that go with the query, as VOTables.
func (d *download) uploads(ctx context.Context) (all []vo.Upload, err error) {
	for name, path := range d.Request.Uploads {
		if err := d.job.Reads(path); err != nil {
			return nil, err
		}
		cat, err := flags.OpenCatalog(ctx, []string{path}, catalog.Options{})
		if err != nil {
			return nil, err
		}
		to := filepath.Join(d.dir, "upload-"+name+".vot")
		_, err = table.Append(file.Alone(ctx), to, cat, nil, table.Options{Force: true})
		cat.Close()
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(to)
		if err != nil {
			return nil, err
		}
		all = append(all, vo.Upload{Name: name, Table: text})
	}
	return all, nil
}

// adql is the query of the next page.
func (d *download) adql() string {
	r := d.Request
	if r.PageBy == "" {
		return r.ADQL
	}
	column := "page." + identifier(r.PageBy)
	from := ""
	if n := len(d.Pages); n > 0 {
		from = " WHERE " + column + " >= " + d.Pages[n-1].Next
	}
	return "SELECT * FROM (" + r.ADQL + ") AS page" + from + " ORDER BY " + column
}

// identifier writes a name for ADQL.
func identifier(name string) string {
	if regular.MatchString(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// cut keeps the rows of a page, in Parquet. If the service has ended the page at its
// limit, rows with the last value of the column may be missing: none of them is kept,
// and the next page begins with that value.
func (d *download) cut(ctx context.Context, p page) (page, error) {
	name := d.Request.PageBy
	from := filepath.Join(d.dir, p.File)
	cat, err := flags.OpenCatalog(ctx, []string{from}, catalog.Options{})
	if err != nil {
		return p, err
	}
	defer cat.Close()
	columns, err := cat.Read(ctx, []string{name}, nil)
	if err != nil {
		return p, err
	}
	p.File = strings.TrimSuffix(p.File, ".vot") + ".parquet"
	opt := table.Options{Force: true, Replaced: "QUERY_STATUS"}
	if n := int(cat.Rows()); n > 0 && overflows(cat) {
		first, _ := literal(columns[0], 0)
		last, ok := literal(columns[0], n-1)
		switch {
		case !ok:
			return p, exit.Usagef("--page-by %s: row %d is null; take a column without nulls, that is in order", name, n-1)
		case first == last:
			return p, exit.Usagef("--page-by %s: all %d rows that the service returns at once are %s; take a column that differs more", name, n, last)
		}
		p.Next = last
		opt.Where = `"` + strings.ReplaceAll(name, `"`, `""`) + `" < ` + last
	}
	if _, err := table.Append(file.Alone(ctx), filepath.Join(d.dir, p.File), cat, nil, opt); err != nil {
		return p, err
	}
	return p, os.Remove(from)
}

// overflows reports whether a service has ended a result at its limit (DALI, section
// 4.4.1).
func overflows(cat *catalog.Catalog) bool {
	for _, kv := range cat.Metadata() {
		if kv.Key == "QUERY_STATUS" && strings.EqualFold(kv.Value, "OVERFLOW") {
			return true
		}
	}
	return false
}

// literal writes a value as ADQL and filters of rows do, exactly; false if it is null.
func literal(c catalog.Column, row int) (string, bool) {
	if c.Null != nil && c.Null[row] {
		return "", false
	}
	switch {
	case c.Int64 != nil:
		return strconv.FormatInt(c.Int64[row], 10), true
	case c.Uint64 != nil:
		return strconv.FormatUint(c.Uint64[row], 10), true
	case c.String != nil:
		return "'" + strings.ReplaceAll(c.String[row], "'", "''") + "'", true
	case c.Float64 != nil:
		return strconv.FormatFloat(c.Float64[row], 'g', -1, 64), c.Float64[row] == c.Float64[row]
	case c.Float32 != nil:
		return fmt.Sprint(c.Float32[row]), c.Float32[row] == c.Float32[row]
	}
	return "", false
}
