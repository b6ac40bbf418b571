package job

import (
	"os"
	"path/filepath"
	"slices"

	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
)

// noteOwn says which files of a catalog this program has written from others,
// where a folder or pattern named them together with files that it has not: their
// rows may be there twice.
func (j *Job) noteOwn(cat *catalog.Catalog, paths []string) {
	own := map[string]string{} // files and the commands that wrote them
	for i, f := range cat.Files() {
		if command := madeBy(cat.MetadataOf(i)); command != "" && !slices.Contains(paths, f.Path) {
			own[f.Path] = command
		}
	}
	if len(own) == len(cat.Files()) {
		return
	}
	for _, f := range cat.Files() {
		if command := own[f.Path]; command != "" {
			j.Sum.Note("input", "%s, an output of 'cluster %s', is read with the others; name the files if it repeats their rows", f.Path, command)
		}
	}
}

// madeBy returns the command that has written a file from others, "" if none has.
func madeBy(metadata []catalog.KeyValue) string {
	for _, kv := range metadata {
		if kv.Key == report.MetadataPrefix+"command" && kv.Value != "gen" && kv.Value != "convert" {
			return kv.Value
		}
	}
	return ""
}

// besideCatalog returns the files of a folder that are read with a catalog in it:
// what says which of its files have rows.
func besideCatalog(paths []string) (files []string) {
	for _, path := range paths {
		for _, name := range []string{"collection.properties", "hats.properties", "properties", "partition_info.csv"} {
			file := filepath.Join(path, name)
			if _, err := os.Stat(file); err == nil {
				files = append(files, file)
			}
		}
	}
	return files
}
