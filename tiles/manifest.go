package tiles

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"skyjoin/internal/file"
	"skyjoin/neighbors"
)

// manifest matches the paths of everything that this program puts into the folder of
// a plan. Nothing else is ever removed.
var manifest = regexp.MustCompile(`^(plan\.json|(tiles|parts|reads)\.parquet` +
	`|rows/\d{5}-[01]\.rows` +
	`|tiles/\d{5}\.failed` +
	`|tiles/\d{5}/` + pieceNames +
	`|merged/` + mergedNames +
	`|(tiles-\d+|merge)\.sh` +
	`|logs/(tiles-\d+_\d+|merge-\d+)\.log)$`)

const (
	pieceNames  = `(tile\.json|labels\.rows|(clusters|shared|links|choices|pairs|times|\w+\.(pairs|squares|masses))\.parquet)`
	mergedNames = `(answer\.json|(numbers|borders|clusters|matches)\.parquet)`
)

var (
	ofPiece  = regexp.MustCompile(`^` + pieceNames + `$`)
	ofMerged = regexp.MustCompile(`^` + mergedNames + `$`)
	ofTiles  = regexp.MustCompile(`^\d{5}(\.failed)?$`)
)

// Replaceable returns an error if no plan can be made in a folder: it exists and is
// no plan, or it holds other files too.
func Replaceable(dir string) error {
	st, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && st.IsDir() && !isPlan(dir) {
		return fmt.Errorf("%w: %s is a folder that holds no plan; name another one", neighbors.ErrRequest, dir)
	}
	return file.Replaceable(dir, manifest.MatchString)
}

// isPlan reports whether a folder holds a plan, even one that is damaged or of
// another version.
func isPlan(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, planFile))
	var p struct {
		Version int
		Command string
		Sets    []struct{ Files []File }
	}
	if err != nil || json.Unmarshal(text, &p) != nil || p.Version < 1 || len(p.Sets) == 0 {
		return false
	}
	_, known := commands[p.Command]
	return known && len(p.Sets[0].Files) > 0
}

// noLinks refuses a plan whose folders are symbolic links: what is written there
// would go elsewhere.
func (p *Plan) noLinks() error {
	for _, name := range []string{rowsDir, tilesDir, mergedDir, logsDir} {
		path := filepath.Join(p.dir, name)
		if st, err := os.Lstat(path); err == nil && !st.IsDir() {
			return planf("%s is not a folder; links are not followed", path)
		}
	}
	return nil
}

// Clean removes what killed runs of tiles have left behind. Runs in progress are
// left alone.
func (p *Plan) Clean() {
	file.SweepFolder(filepath.Join(p.dir, tilesDir), ofTiles.MatchString)
}
