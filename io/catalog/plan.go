package catalog

import (
	"encoding/json"
	"io/fs"
	"path"
)

// isPlan recognises the folder of a plan of package tiles, whose tables are no
// rows of a catalog, by what its file says.
func isPlan(root fs.FS, dir string) bool {
	text, err := fs.ReadFile(root, path.Join(dir, "plan.json"))
	var p struct {
		Version int
		Command string
		Sets    []struct{ Columns []string }
	}
	return err == nil && json.Unmarshal(text, &p) == nil && p.Version > 0 && p.Command != "" && len(p.Sets) > 0 && len(p.Sets[0].Columns) > 0
}
