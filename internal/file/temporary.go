package file

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// A temporary file or folder has the name .BASE.PID-XXXXXXXX.tmp beside its
// target BASE. What could not be locked ends in .unlocked.tmp.
const (
	temporaryEnd = ".tmp"
	unlockedEnd  = ".unlocked.tmp"
)

// longestBase bounds BASE in bytes: names have 255 at most.
const longestBase = 200

// shortBase returns the name of a target as its temporaries have it.
func shortBase(path string) string {
	base := filepath.Base(path)
	return base[:min(len(base), longestBase)]
}

// living are the temporaries of this process. Who makes or names one holds it for
// reading, so that Clear sees all of them, and the names of a Set are given
// together.
var living struct {
	sync.RWMutex
	all sync.Map // of *temporary
}

// Clear removes all temporaries of this process, which is about to end, and makes
// everything else wait that would make another one or give it a name.
func Clear() {
	living.Lock()
	living.all.Range(func(t, _ any) bool {
		t.(*temporary).drop()
		return true
	})
}

// A temporary is a file or folder that is there for as long as its process, and
// is locked for that time. f is the file, or the folder opened for reading.
type temporary struct {
	path string
	f    *os.File
}

// newTemporary makes a temporary for a target. create makes the file or folder
// of a name, which must not be there, and opens it.
func newTemporary(path string, create func(name string) (*os.File, error)) (*temporary, error) {
	living.RLock()
	defer living.RUnlock()
	end := temporaryEnd
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d-%08x%s", shortBase(path), os.Getpid(), rand.Uint32(), end))
		f, err := create(name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		t := &temporary{name, f}
		switch err := lock(f); {
		case err == nil && t.there(), err != nil && end == unlockedEnd:
			living.all.Store(t, nil)
			return t, nil
		case err != nil && !errors.Is(err, errLocked): // this file system has no locks
			end = unlockedEnd
		}
		t.drop() // swept before it was locked
	}
}

// there reports whether the name is still that of the open file.
func (t *temporary) there() bool {
	open, err := t.f.Stat()
	named, gone := os.Lstat(t.path)
	return err == nil && gone == nil && os.SameFile(open, named)
}

// drop removes the temporary, which stays locked until it is gone.
func (t *temporary) drop() {
	living.all.Delete(t)
	err := os.RemoveAll(t.path)
	t.f.Close()
	if err != nil { // descriptors have run out, of which there is one more now, or an open file cannot be removed
		os.RemoveAll(t.path)
	}
}

// createFile makes a file that must not be there. Links are not followed.
func createFile(perm fs.FileMode) func(name string) (*os.File, error) {
	return func(name string) (*os.File, error) {
		return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, perm)
	}
}

// createFolder makes a folder that must not be there.
func createFolder(perm fs.FileMode) func(name string) (*os.File, error) {
	return func(name string) (*os.File, error) {
		if err := os.Mkdir(name, perm); err != nil {
			return nil, err
		}
		f, err := os.Open(name)
		if err != nil {
			os.Remove(name)
		}
		return f, err
	}
}
