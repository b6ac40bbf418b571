package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/file"
)

// A manifest is what was done, by steps.
type manifest struct {
	Schema int                `json:"schema"`
	Steps  map[string]*record `json:"steps"`

	path string
	mu   sync.Mutex
}

// A record is a step that was done, or begun.
type record struct {
	Program string            `json:"program"`
	Flags   string            `json:"flags"`   // of the command line
	Inputs  map[string]string `json:"inputs"`  // hashes by path
	Outputs map[string]string `json:"outputs"` // the same, "" until they are written
}

// openManifest reads a manifest, which need not be there.
func openManifest(path string) (*manifest, error) {
	m := &manifest{Schema: report.Schema, Steps: map[string]*record{}, path: path}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, m); err != nil || m.Schema != report.Schema || m.Steps == nil {
		return nil, fmt.Errorf("%s is no manifest of this program; remove it, and all steps are carried out (%v)", path, err)
	}
	return m, nil
}

// owns reports whether a step of the pipeline has written the file, or begun to.
func (m *manifest) owns(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.Steps {
		if _, is := r.Outputs[path]; is {
			return true
		}
	}
	return false
}

// note keeps the record of a step, at once.
func (m *manifest) note(name string, r *record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Steps[name] = r
	return file.Write(context.Background(), m.path, file.Options{Force: true}, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(m)
	})
}

// why says why a step is not as it was recorded, "" if it is.
func (m *manifest) why(s *step, now *record) string {
	m.mu.Lock()
	was := m.Steps[s.Name]
	m.mu.Unlock()
	switch {
	case was == nil:
		return "it was not carried out before"
	case was.Flags != now.Flags:
		return "its flags have changed"
	case was.Program != now.Program:
		return "the program has changed"
	}
	for _, path := range s.reads {
		if was.Inputs[path] != now.Inputs[path] {
			return path + " has changed"
		}
	}
	for _, path := range s.Outputs {
		switch hash, _ := contents(path); {
		case was.Outputs[path] == "":
			return "it was interrupted, or has failed"
		case hash == "":
			return path + " is not there"
		case hash != was.Outputs[path]:
			return path + " is not as it was written"
		}
	}
	return ""
}

// now is the record of a step as things are.
func (s *step) now(program string) (*record, error) {
	r := &record{Program: program, Flags: strings.Join(s.Line, "\n"), Inputs: map[string]string{}, Outputs: map[string]string{}}
	for _, path := range s.reads {
		hash, err := contents(path)
		if err != nil {
			return nil, err
		}
		r.Inputs[path] = hash
	}
	for _, path := range s.Outputs {
		r.Outputs[path] = ""
	}
	return r, nil
}

// contents is a hash of what a file, all files of a folder or of a pattern hold, ""
// if there is none.
func contents(path string) (string, error) {
	if i := strings.LastIndex(path, "["); i > 0 && strings.HasSuffix(path, "]") {
		if _, err := os.Stat(path); err != nil { // a table of a FITS file
			path = path[:i]
		}
	}
	paths := []string{path}
	if _, err := os.Stat(path); err != nil {
		if paths, err = filepath.Glob(path); err != nil {
			return "", nil // it is no pattern either
		}
	}
	slices.Sort(paths)
	all, none := sha256.New(), true
	for _, p := range paths {
		err := filepath.WalkDir(p, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			one := sha256.New()
			if _, err := io.Copy(one, f); err != nil {
				return err
			}
			none = false
			inner, _ := filepath.Rel(p, name) // both are relative, or neither
			fmt.Fprintf(all, "%s\n%x\n", inner, one.Sum(nil))
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	if none {
		return "", nil
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}
