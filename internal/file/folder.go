package file

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"skyjoin/internal/par"
)

// Folder makes a folder that gets its name when fill, which is given its
// temporary name, has filled it. What [Create] makes in it is synced at the end,
// all together.
//
// A folder that has the name already is left alone if owns is nil, and what was
// made is dropped. Otherwise it is replaced, if owns says of every file in it, by
// its path in the folder, that it may be removed, see [Replaceable].
func Folder(path string, owns func(file string) bool, fill func(temporary string) error) error {
	if owns != nil {
		if err := Replaceable(path, owns); err != nil {
			return err
		}
	}
	t, err := newTemporary(path, createFolder(0o777))
	if err != nil {
		return err
	}
	defer t.drop() // nothing once it is renamed
	files := &unsynced{}
	filling.Store(t.path, files)
	defer filling.Delete(t.path)
	if err := fill(t.path); err != nil {
		return err
	}
	if err := files.sync(); err != nil {
		return Failed(path, err)
	}
	syncFolder(t.path)
	living.RLock()
	err = t.rename(path, owns)
	living.RUnlock()
	if err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// filling are the folders that Folder is filling, by their temporary names, with
// what is to be synced before they get their own.
var filling sync.Map

// unsynced are files that are synced together, which takes a disk about as long
// as one of them.
type unsynced struct {
	mu    sync.Mutex
	paths []string
}

func (u *unsynced) add(path string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.paths = append(u.paths, path)
}

func (u *unsynced) sync() error {
	errs := make([]error, len(u.paths))
	var all par.Group
	for i, path := range u.paths {
		all.Go(func() {
			f, err := os.Open(path)
			if err == nil {
				err = errors.Join(f.Sync(), f.Close())
			}
			errs[i] = err
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// rename gives a folder its name.
func (t *temporary) rename(path string, owns func(file string) bool) error {
	if !renamesOpen {
		t.f.Close()
	}
	err := os.Rename(t.path, path)
	if err == nil {
		return nil
	}
	if _, there := os.Lstat(path); there != nil {
		return err
	}
	if owns == nil { // another process has been faster
		return nil
	}
	if err := Replaceable(path, owns); err != nil { // it may have been filled meanwhile
		return err
	}
	old := t.path
	if exchange(t.path, path) != nil {
		// Two steps, between which there is none of the name.
		old += ".old"
		if err := os.Rename(path, old); err != nil {
			return err
		}
		if err := os.Rename(t.path, path); err != nil {
			return errors.Join(err, os.Rename(old, path))
		}
	}
	t.f.Close()
	t.path = "" // there is nothing to drop
	return removeOwned(old, owns)
}

// Scratch makes a folder for files that only this run needs, beside a target,
// which nobody but its owner can read. remove removes it; those that killed
// processes have left there are removed first.
func Scratch(target string) (folder string, remove func(), err error) {
	Sweep(target)
	t, err := newTemporary(target, createFolder(0o700))
	if err != nil {
		return "", nil, err
	}
	return t.path, t.drop, nil
}

// ScratchFile opens a file in a folder that has no name, so that nothing is left
// of it when it is closed. Systems that cannot remove open files keep the name
// until remove is called.
func ScratchFile(folder string) (f *os.File, remove func(), err error) {
	t, err := newTemporary(filepath.Join(folder, "rows"), createFile(0o600))
	if err != nil {
		return nil, nil, err
	}
	os.Remove(t.path)
	return t.f, t.drop, nil
}

// Append appends to a file, in a folder that Folder or Scratch has made, of
// which no other process knows.
func Append(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|noFollow, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}
