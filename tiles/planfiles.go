package tiles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"skyjoin/internal/file"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// The files of a plan.
const (
	planFile  = "plan.json"
	tilesFile = "tiles.parquet"
	partsFile = "parts.parquet"
	readsFile = "reads.parquet"
	rowsDir   = "rows"   // staged rows
	tilesDir  = "tiles"  // pieces
	mergedDir = "merged" // what merge has found
)

// integers and floats make columns of tables.
func integers(name, what string, v []int64) catalog.Column {
	return catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Int64, Description: what}, Int64: notNil(v)}
}

func int32s(name, what string, v []int64) catalog.Column {
	c := integers(name, what, v)
	c.Field.Type = catalog.Int32
	return c
}

func floats(name, unit, what string, v []float64) catalog.Column {
	return catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Float64, Unit: unit, Description: what}, Float64: notNil(v)}
}

func bools(name, what string, v []bool) catalog.Column {
	return catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Bool, Description: what}, Bool: notNil(v)}
}

func notNil[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

// readTable reads columns of a table of a plan, which have the types that they
// were written with and no nulls: what else the file says, it is damaged.
func readTable(ctx context.Context, path string, names ...string) ([]catalog.Column, error) {
	cat, err := catalog.Open(ctx, []string{path}, catalog.Options{Threads: 1})
	if err != nil {
		return nil, tableError(path, err)
	}
	defer cat.Close()
	cols, err := cat.Read(ctx, names, nil)
	if err != nil {
		return nil, tableError(path, err)
	}
	for i, c := range cols {
		n := len(c.Int64)
		switch names[i] {
		case "seconds", "distance", "d2":
			n = len(c.Float64)
		case "settled":
			n = len(c.Bool)
		}
		if int64(n) != cat.Rows() || c.Null != nil {
			return nil, planf("%s is damaged: column %s is %s", path, names[i], c.Field.Type)
		}
	}
	return cols, nil
}

// tableError is err of reading a table of a plan. That there is no such column
// is no wrong request then.
func tableError(path string, err error) error {
	if errors.Is(err, catalog.ErrRequest) {
		return planf("%s is damaged: %v", path, err)
	}
	return err
}

// save writes the plan to the folder.
func (p *Plan) save(ctx context.Context, dir string) error {
	var rows, halo, memory, read []int64
	var seconds []float64
	var readTile, readSet, readPart []int64
	for i, t := range p.Tiles {
		rows, halo, memory, read = append(rows, t.Rows), append(halo, t.Halo), append(memory, t.Memory), append(read, t.Read)
		seconds = append(seconds, t.Seconds)
		for set, parts := range p.reads[i] {
			for _, k := range parts {
				readTile, readSet, readPart = append(readTile, int64(i)), append(readSet, int64(set)), append(readPart, int64(k))
			}
		}
	}
	var set, file, group, groups, first, partRows []int64
	for s, parts := range p.parts {
		for _, q := range parts {
			set, file, group = append(set, int64(s)), append(file, int64(q.File)), append(group, int64(q.Group))
			groups, first, partRows = append(groups, int64(q.Groups)), append(first, q.First), append(partRows, q.Rows)
		}
	}
	for name, cols := range map[string][]catalog.Column{
		tilesFile: {
			integers("rows", "own rows expected", rows), integers("halo", "rows of other tiles expected", halo),
			integers("memory", "bytes expected", memory), floats("seconds", "s", "of one CPU thread, expected", seconds),
			integers("read", "rows of the files to decode", read),
		},
		partsFile: {
			int32s("set", "catalog", set), int32s("file", "number of the file in its catalog", file), int32s("group", "first row group", group),
			int32s("groups", "row groups", groups), integers("first", "row of the catalog", first), integers("rows", "number of rows", partRows),
		},
		readsFile: {int32s("tile", "", readTile), int32s("set", "catalog", readSet), int32s("part", "row of "+partsFile+" among those of the catalog", readPart)},
	} {
		if err := table.Write(ctx, filepath.Join(dir, name), cols, table.Options{Threads: 1}); err != nil {
			return err
		}
	}
	p.Version = version
	return writeJSON(filepath.Join(dir, planFile), p)
}

// readTables reads what save has written beside plan.json.
func (p *Plan) readTables(ctx context.Context) error {
	t, err := readTable(ctx, filepath.Join(p.dir, tilesFile), "rows", "halo", "memory", "seconds", "read")
	if err != nil {
		return err
	}
	p.Tiles = make([]Tile, t[0].Len())
	p.reads = make([][][]int, len(p.Tiles))
	for i := range p.Tiles {
		p.Tiles[i] = Tile{t[0].Int64[i], t[1].Int64[i], t[2].Int64[i], t[3].Float64[i], t[4].Int64[i]}
		p.reads[i] = make([][]int, len(p.Sets))
	}
	q, err := readTable(ctx, filepath.Join(p.dir, partsFile), "set", "file", "group", "groups", "first", "rows")
	if err != nil {
		return err
	}
	bad := planf("%s is damaged; make the plan anew", p.dir)
	p.parts = make([][]catalog.Part, len(p.Sets))
	for i := range q[0].Int64 {
		set, file := int(q[0].Int64[i]), int(q[1].Int64[i])
		if set < 0 || set >= len(p.Sets) || file < 0 || file >= len(p.Sets[set].Files) {
			return bad
		}
		p.parts[set] = append(p.parts[set], catalog.Part{File: file, Group: int(q[2].Int64[i]), Groups: int(q[3].Int64[i]), First: q[4].Int64[i], Rows: q[5].Int64[i]})
	}
	r, err := readTable(ctx, filepath.Join(p.dir, readsFile), "tile", "set", "part")
	if err != nil {
		return err
	}
	for i := range r[0].Int64 {
		tile, set, part := int(r[0].Int64[i]), int(r[1].Int64[i]), int(r[2].Int64[i])
		if tile < 0 || tile >= len(p.Tiles) || set < 0 || set >= len(p.Sets) || part < 0 || part >= len(p.parts[set]) {
			return bad
		}
		p.reads[tile][set] = append(p.reads[tile][set], part)
	}
	if n := max(len(p.Cuts)-1, (len(p.Tree)+1)/2); n != len(p.Tiles) {
		return bad
	}
	return nil
}

// writeJSON writes a file, durable before it returns.
func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return writeFile(path, append(text, '\n'))
}

func writeFile(path string, text []byte) error {
	return file.Write(context.Background(), path, file.Options{Force: true}, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}
