package job

import (
	"os"
	"path/filepath"
	"slices"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
)

// Inputs returns the files of the catalog.
func (j *Job) Inputs() []string { return filesOf(j.Cat) }

func filesOf(cat *catalog.Catalog) (paths []string) {
	for _, f := range cat.Files() {
		paths = append(paths, f.Path)
	}
	return paths
}

// Reads declares files that are read besides the catalogs; "" is none. It
// refuses those that are outputs.
func (j *Job) Reads(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := j.paths.Read(path); err != nil {
			return err
		}
	}
	return nil
}

// ReadsFolder declares a folder all of which is read. It refuses outputs in it.
func (j *Job) ReadsFolder(path string) error { return j.paths.ReadFolder(path) }

// Writes declares an output, what being its kind, as in "figure". It refuses one
// that cannot be written, or that is an input or another output, and mentions
// what killed runs have left beside it.
func (j *Job) Writes(what, path string, force bool) error {
	if path == flags.Stdout {
		return nil
	}
	err := j.paths.Write(what, path, force)
	for _, swept := range j.paths.Swept {
		j.Sum.Note("swept", "%s, which a killed run had left, was removed", swept)
	}
	return err
}

// WritesFolder declares a folder that is made, or replaced. It refuses one that
// holds an input.
func (j *Job) WritesFolder(path string) error { return j.paths.WriteFolder(path) }

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
