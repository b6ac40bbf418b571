package job

import (
	"fmt"
	"path/filepath"
	"strings"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/file"
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
	defer j.finished()
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

// finish names what killed runs had begun to name where files are read from.
func (j *Job) finish(paths []string) {
	defer j.finished()
	for _, path := range paths {
		for _, folder := range []string{path, filepath.Dir(path)} {
			j.paths.Finished = append(j.paths.Finished, file.Finish(folder)...)
		}
	}
}

// finished mentions what killed runs had begun to name, and returns what it says.
func (j *Job) finished() (said string) {
	if names := j.paths.Finished; len(names) > 0 {
		said = fmt.Sprintf("%s, which a killed run had begun to name, have their names now", strings.Join(names, ", "))
		j.Sum.Warn("%s", said)
	}
	j.paths.Finished = nil
	return said
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
	if said := j.finished(); err != nil && said != "" {
		err = fmt.Errorf("%w; %s", err, said)
	}
	j.Swept(j.paths.Swept)
	j.Sum.Outputs = append(j.Sum.Outputs, report.Output{What: what, Path: path})
	return err
}

// Swept mentions what killed runs have left and was removed.
func (j *Job) Swept(paths []string) {
	for _, path := range paths {
		j.Sum.Note("swept", "%s, left behind by a killed run, was removed", path)
	}
}

// WritesFolder declares a folder that is made, or replaced. It refuses one that
// holds an input.
func (j *Job) WritesFolder(path string) error {
	j.Sum.Outputs = append(j.Sum.Outputs, report.Output{What: "folder", Path: path})
	return j.paths.WriteFolder(path)
}
