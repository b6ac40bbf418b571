package tiles

import (
	"context"
	"path/filepath"

	"skyjoin/io/catalog"
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
	logsDir   = "logs"   // of a scheduler
)

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
	if err := writeTables(ctx, dir, 1, map[string][]catalog.Column{
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
	}); err != nil {
		return err
	}
	p.Version = version
	return writeJSON(filepath.Join(dir, planFile), storedPlan{p, p.cuts, p.tree})
}
