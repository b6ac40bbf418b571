package file

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Paths are the files that a command reads and writes. Each is compared with all
// others by what it is, not by how it is spelt: links, hard links and relative
// names are seen through. Declare everything before the first output is opened.
// The zero value is empty.
type Paths struct {
	// Swept are the temporary files of killed processes that were removed
	// beside outputs, for the command to mention.
	Swept []string
	// Finished are the outputs that killed processes had begun to name, and that
	// have their names now, see [Finish].
	Finished []string

	reads, writes []identity
	folders       []identity // that are read
}

// An identity is what tells a file from others: what is there of the name, or
// else its folder and its name in it.
type identity struct {
	name   string // as it was given
	file   fs.FileInfo
	folder fs.FileInfo
	base   string
}

func identify(name, path string) identity {
	id := identity{name: name, base: filepath.Base(path)}
	if st, err := os.Stat(path); err == nil {
		id.file = st
	}
	if st, err := os.Stat(filepath.Dir(path)); err == nil {
		id.folder = st
	}
	return id
}

// is reports whether both are one file.
func (a *identity) is(b *identity) bool {
	if a.file != nil && b.file != nil && os.SameFile(a.file, b.file) {
		return true
	}
	return a.folder != nil && b.folder != nil && a.base == b.base && os.SameFile(a.folder, b.folder)
}

// Read declares files that are read. It is an error if one of them is an output.
func (p *Paths) Read(names ...string) error {
	for _, name := range names {
		p.Finished = append(p.Finished, Finish(filepath.Dir(name))...)
		id := identify(name, name)
		for i := range p.writes {
			if p.writes[i].is(&id) {
				return isInput("output", p.writes[i].name, name)
			}
		}
		p.reads = append(p.reads, id)
	}
	return nil
}

// Write declares a file that is written, what being its kind as in "output". It
// is an error if it is one of the inputs, or another output, or cannot be made
// and given its name as things are: a file is there and force is not given, the
// folder is not there or not to be written to.
func (p *Paths) Write(what, name string, force bool) error {
	id := identify(name, name)
	for i := range p.reads {
		if p.reads[i].is(&id) {
			return isInput(what, name, p.reads[i].name)
		}
	}
	if folder := within(name, p.folders); folder != nil {
		return refusef("%s %s would lie in %s, which is read, and inputs are never overwritten; name a file elsewhere", what, name, folder.name)
	}
	p.Finished = append(p.Finished, Finish(filepath.Dir(name))...)
	to, err := find(name, force)
	if err != nil {
		return err
	}
	if id = identify(name, to.path); to.link {
		id.file = nil // the link is replaced, not what it leads to
	}
	for i := range p.writes {
		if p.writes[i].is(&id) {
			return refusef("output %s is named twice", name)
		}
	}
	p.Swept = append(p.Swept, Sweep(to.path)...)
	t, err := newTemporary(to.path, createFile(0o600))
	if err != nil {
		return cannotWrite(name, err)
	}
	t.drop()
	p.writes = append(p.writes, id)
	return nil
}

func isInput(what, name, input string) error {
	return refusef("%s %s is the input %s, and inputs are never overwritten; name another file", what, name, input)
}

// ReadFolder declares a folder all of which is read. It is an error if one of the
// outputs lies in it.
func (p *Paths) ReadFolder(name string) error {
	folder := identify(name, name)
	for i := range p.writes {
		if within(p.writes[i].name, []identity{folder}) != nil {
			return refusef("output %s would lie in %s, which is read, and inputs are never overwritten; name a file elsewhere", p.writes[i].name, name)
		}
	}
	p.folders = append(p.folders, folder)
	return nil
}

// WriteFolder declares a folder that is made, or replaced with all that is in
// it. It is an error if one of the inputs is in it.
func (p *Paths) WriteFolder(name string) error {
	folder := []identity{identify(name, name)}
	for i := range p.reads {
		if within(p.reads[i].name, folder) != nil {
			return refusef("folder %s holds the input %s, and inputs are never overwritten; name another folder", name, p.reads[i].name)
		}
	}
	return nil
}

// within returns which of the folders a file lies in, at any depth.
func within(name string, folders []identity) *identity {
	path, err := filepath.Abs(name)
	for err == nil && path != filepath.Dir(path) {
		path = filepath.Dir(path)
		st, err := os.Stat(path)
		for i := range folders {
			if err == nil && folders[i].file != nil && os.SameFile(st, folders[i].file) {
				return &folders[i]
			}
		}
	}
	return nil
}
