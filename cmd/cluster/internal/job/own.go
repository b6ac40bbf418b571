package job

import (
	"os"
	"path/filepath"
	"slices"

	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
)

// noteOwn notes which files of a catalog are outputs of this program, if a folder or
// pattern named them together with other files: their rows may occur twice.
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

// madeBy returns the command that wrote a file from others, "" if none did.
func madeBy(metadata []catalog.KeyValue) string {
	for _, kv := range metadata {
		if kv.Key == report.MetadataPrefix+"command" && kv.Value != "gen" && kv.Value != "convert" {
			return kv.Value
		}
	}
	return ""
}

// besideCatalog returns the files in a folder that are read in addition to the
// catalog: those that say which of its files have rows.
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
