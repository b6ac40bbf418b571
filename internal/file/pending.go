package file

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A pending list says which outputs a [Set] is naming, so that all get their names
// even if the process is killed between two of them. A list is in each folder of
// the outputs, and locked, from before the first output has its name until all
// have. The list of one folder counts, and is there last and gone first; the
// others lead to it.
type pending struct {
	// ID tells this list from others of its folder.
	ID string
	// In is the folder of the list that counts.
	In string
	// Outputs are those of all folders, in the list that counts.
	Outputs []naming `json:",omitempty"`
}

// A naming is an output that gets its name.
type naming struct {
	Folder, Temporary, Name string
	Old                     string // what is replaced, see stateOf; "" is nothing
}

// pendingPath is the path of the list of this user in a folder. What other users
// have begun is left to them.
func pendingPath(folder string) string {
	return filepath.Join(folder, fmt.Sprintf(".outputs-%d.pending", os.Geteuid()))
}

// list writes the lists of outputs, which count once they have their names, the
// last of them last. There are none of a single output, which gets its name in one
// step, nor where files cannot be locked.
func list(outs []*Output, to []target) (lists []*temporary, err error) {
	if len(outs) < 2 {
		return nil, nil
	}
	all, folders := pending{ID: filepath.Base(outs[0].path)}, []string{}
	for i, o := range outs {
		folder, err := filepath.Abs(o.Folder())
		if err != nil {
			return nil, o.failed(err)
		}
		all.Outputs = append(all.Outputs, naming{folder, filepath.Base(o.path), filepath.Base(to[i].path), stateOf(to[i].path)})
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	last := len(folders) - 1
	all.In = folders[last]
	for i, folder := range folders {
		p := all
		if i < last {
			p.Outputs = nil
		}
		t, err := p.write(folder)
		if err != nil || t == nil {
			dropAll(lists)
			return nil, err
		}
		lists = append(lists, t)
	}
	return lists, nil
}

// write writes the list of a folder, which has no name yet. There is none where
// files cannot be locked.
func (p *pending) write(folder string) (*temporary, error) {
	path := pendingPath(folder)
	t, err := newTemporary(path, createFile(0o600))
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	if strings.HasSuffix(t.path, unlockedEnd) {
		t.drop()
		return nil, nil
	}
	text, err := json.Marshal(p)
	if err == nil {
		_, err = t.f.Write(text)
	}
	if err = errors.Join(err, t.f.Sync()); err != nil {
		t.drop()
		return nil, Failed(path, err)
	}
	return t, nil
}

// publish gives lists their names. If a folder has a list already, the error is
// fs.ErrExist, and none of these has its name.
func publish(lists []*temporary) error {
	for i, t := range lists {
		path := pendingPath(filepath.Dir(t.path))
		if err := renameNew(t.path, path); err != nil {
			for k := range i {
				err = errors.Join(err, os.Rename(pendingPath(filepath.Dir(lists[k].path)), lists[k].path))
			}
			return err
		}
	}
	for _, t := range lists {
		t.path = pendingPath(filepath.Dir(t.path))
	}
	return nil
}

// dropAll drops lists, the one that counts first. Those that are gone it leaves.
func dropAll(lists []*temporary) {
	for _, t := range slices.Backward(lists) {
		t.drop()
		t.path = "" // which another process may take
	}
}

// Finish names the outputs in a folder that a process of this user was naming when
// it was killed, and those in other folders that belong to them. It returns their
// names.
func Finish(folder string) (names []string) {
	p, t := openPending(folder)
	if t == nil {
		return nil
	}
	if p.Outputs == nil && p.In != "" {
		counts, first := openPending(p.In)
		if first == nil || counts.ID != p.ID {
			if first != nil || !isPending(p.In) {
				t.drop() // killed before all lists were there, or when all outputs had their names
			}
			t.f.Close() // or another process finishes it
			if first != nil {
				first.f.Close()
			}
			return nil
		}
		defer t.drop()
		p, t = counts, first
	}
	var folders []string
	for _, n := range p.Outputs {
		n.finish()
		names, folders = append(names, n.Name), append(folders, n.Folder)
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	for _, folder := range folders {
		syncFolder(folder)
	}
	t.drop()
	for _, folder := range folders {
		if q, t := openPending(folder); t != nil && q.ID == p.ID {
			t.drop()
		} else if t != nil {
			t.f.Close()
		}
	}
	return names
}

// openPending opens and locks the list of this user in a folder. There is none to
// open if a process holds it.
func openPending(folder string) (*pending, *temporary) {
	path := pendingPath(folder)
	f, err := os.OpenFile(path, os.O_RDWR|noFollow|noWait, 0)
	if err != nil {
		return nil, nil
	}
	t := &temporary{path, f}
	if !ours(f) || lock(f) != nil || !t.there() {
		f.Close()
		return nil, nil
	}
	p := &pending{}
	if text, err := io.ReadAll(f); err != nil || json.Unmarshal(text, p) != nil {
		*p = pending{} // names nothing
	}
	return p, t
}

// finish gives an output its name if it has not got it. Where another file has the
// name by now, or what was to be replaced has changed, the output is dropped.
func (n *naming) finish() {
	base, locks, _ := temporaryOf(n.Temporary)
	if !locks || n.Name != filepath.Base(n.Name) || base != shortBase(n.Name) {
		return
	}
	from, to := filepath.Join(n.Folder, n.Temporary), filepath.Join(n.Folder, n.Name)
	if st, err := os.Lstat(from); err != nil || !st.Mode().IsRegular() {
		return
	}
	rename := renameNew
	if n.Old != "" && n.Old == stateOf(to) {
		rename = os.Rename
	}
	if rename(from, to) != nil {
		os.Remove(from)
	}
}

// stateOf tells a file from another of its name and from one that has changed since;
// it is "" if there is none.
func stateOf(path string) string {
	st, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d bytes of %d", st.Size(), st.ModTime().UnixNano())
}

// isPending reports whether a list of this user is in a folder.
func isPending(folder string) bool {
	_, err := os.Lstat(pendingPath(folder))
	return !errors.Is(err, fs.ErrNotExist)
}
