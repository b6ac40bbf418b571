package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Options say how an output is written. The zero value is for a new file that
// all may read.
type Options struct {
	// Force replaces a file of the name.
	Force bool
	// Perm is the mode of a new file, before the umask; 0 is 0666.
	Perm fs.FileMode
}

// An Output is a file in the making, see the package comment. Either
// [Output.Commit] or [Output.Abort] must be called; Abort after Commit does
// nothing. It serves one goroutine at a time.
type Output struct {
	name string // as the user gave it
	opt  Options
	old  fs.FileInfo // of the file to be replaced, as it was at the start
	*temporary
	state state
}

type state int

const (
	writing  state = iota
	finished       // synced, and not named
	held           // a Set names it, or drops it
	over           // named or dropped
)

// Create starts an output of the name.
func Create(name string, opt Options) (*Output, error) {
	to, err := find(name, opt.Force)
	if err != nil {
		return nil, err
	}
	perm := opt.Perm
	switch {
	case to.old != nil:
		perm = 0o600 // nobody reads what only its owner could read until now
	case perm == 0:
		perm = 0o666
	}
	t, err := newTemporary(to.path, createFile(perm))
	if err != nil {
		return nil, cannotWrite(name, err)
	}
	return &Output{name: name, opt: opt, old: to.old, temporary: t}, nil
}

// Write writes a file whole, or not at all.
func Write(ctx context.Context, name string, opt Options, write func(io.Writer) error) error {
	o, err := Create(name, opt)
	if err != nil {
		return err
	}
	defer o.Abort()
	if err := write(o); err != nil {
		return o.failed(err)
	}
	return o.Commit(ctx)
}

// Folder returns the folder of the output.
func (o *Output) Folder() string { return filepath.Dir(o.path) }

// Write appends p. Errors are as the system gives them, and name the temporary
// file.
func (o *Output) Write(p []byte) (int, error) { return o.f.Write(p) }

// ReadFrom appends what r has. Where the system can copy between files, the
// bytes do not pass through this program.
func (o *Output) ReadFrom(r io.Reader) (int64, error) { return o.f.ReadFrom(r) }

// failed is an error of writing, for the user.
func (o *Output) failed(err error) error { return Failed(o.name, err) }

// Commit makes the output appear under its name, durably; with [Together], the
// Set does so, unless [Folder] is filling the folder of the output. After an error the output is still to be aborted.
func (o *Output) Commit(ctx context.Context) error {
	if o.state != writing {
		return o.failed(fs.ErrClosed)
	}
	filled, together := filling.Load(o.Folder())
	if !together {
		if err := o.f.Sync(); err != nil {
			return o.failed(err)
		}
	}
	o.state = finished
	if err := ctx.Err(); err != nil {
		return err
	}
	if s := setOf(ctx); s != nil && !together { // a folder is named when it is full
		return s.hold(o)
	}
	if err := o.give(); err != nil {
		return err
	}
	if together {
		filled.(*unsynced).add(o.name)
	} else {
		syncFolder(o.Folder())
	}
	return nil
}

// give gives the output its name.
func (o *Output) give() error {
	living.RLock()
	defer living.RUnlock()
	to, err := find(o.name, o.opt.Force) // a file may have appeared since the start
	if err != nil {
		return err
	}
	if err := o.resemble(to); err != nil {
		return err
	}
	return o.rename(to)
}

// resemble gives the output the mode and owner of the file that it replaces.
func (o *Output) resemble(to target) error {
	old := to.old
	if old == nil {
		old = o.old
	}
	if old == nil {
		return nil
	}
	passOwner(o.f, old)
	if err := o.f.Chmod(old.Mode().Perm()); err != nil && runtime.GOOS != "windows" {
		return o.failed(err)
	}
	return nil
}

// rename gives the output the name of its target.
func (o *Output) rename(to target) (err error) {
	if !renamesOpen {
		o.f.Close()
	}
	if o.opt.Force {
		err = os.Rename(o.path, to.path)
	} else {
		err = renameNew(o.path, to.path)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists(o.name)
	case err != nil:
		return o.failed(err)
	}
	o.state = over
	living.all.Delete(o.temporary)
	o.f.Close() // it is synced
	return nil
}

// renameNew renames a file if there is none of the new name.
func renameNew(from, to string) error {
	switch err := os.Link(from, to); {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	if _, err := os.Lstat(to); err == nil { // this file system has no hard links
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// Abort removes what was written of an output that was not committed.
func (o *Output) Abort() {
	if o.state == writing || o.state == finished {
		o.state = over
		o.drop()
	}
}

// syncFolder makes names in a folder durable. Not every system can, and the
// files are whole without.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
