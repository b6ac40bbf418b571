package tiles

import (
	"os"
	"path/filepath"
	"strings"
)

// Clean removes what runs of tiles that were killed have left behind. No tile
// may be running.
func (p *Plan) Clean() error {
	dir := filepath.Join(p.dir, tilesDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), ".tmp") {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
