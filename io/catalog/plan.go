package catalog

import (
	"encoding/json"
	"io/fs"
	"path"
)

// isPlan reports whether a folder is a plan of package tiles, by the content of its
// file: the tables of a plan are no rows of a catalog.
func isPlan(root fs.FS, dir string) bool {
	text, err := fs.ReadFile(root, path.Join(dir, "plan.json"))
	var p struct {
		Version int
		Command string
		Sets    []struct{ Columns []string }
	}
	return err == nil && json.Unmarshal(text, &p) == nil && p.Version > 0 && p.Command != "" && len(p.Sets) > 0 && len(p.Sets[0].Columns) > 0
}
