package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"skyjoin/internal/format"
)

// An output is a file in the making. It is written under a temporary name in
// the directory of the final one, hidden so that nobody takes it for a
// catalog, and gets its name in commit, whole. Either commit or abort must be
// called; abort after commit does nothing.
type output struct {
	name  string // as the user gave it
	path  string // the final path, links resolved
	force bool
	tmp   string
	f     *os.File // nil when writing to stdout
	w     *behind
	n     int64  // bytes written
	done  func() // if not nil, what an encoder leaves to be cleared away
}

// Stdout is the name of the output that is no file.
const Stdout = "-"

// stdout is where output to "-" goes; tests replace it.
var stdout io.Writer = os.Stdout

// create starts an output. Without force an existing file is refused.
func create(name string, force bool) (*output, error) {
	o := &output{name: name, force: force}
	if name == Stdout {
		o.w = newBehind(stdout, 1<<16)
		return o, nil
	}
	if err := o.resolve(); err != nil {
		return nil, err
	}
	dir, base := filepath.Split(o.path)
	for {
		o.tmp = filepath.Join(dir, fmt.Sprintf(".%s.%08x.tmp", base, rand.Uint32()))
		f, err := os.OpenFile(o.tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot write %s: %w", name, cause(err))
		}
		o.f, o.w = f, newBehind(f, 1<<20)
		return o, nil
	}
}

// resolve finds the final path, following a link to the file it names, and
// refuses what must not be replaced.
func (o *output) resolve() error {
	o.path = o.name
	st, err := os.Lstat(o.name)
	if err == nil && st.Mode()&fs.ModeSymlink != 0 {
		if o.path, err = filepath.EvalSymlinks(o.name); err != nil {
			return fmt.Errorf("cannot write %s: it is a link to a file that is not there", o.name)
		}
		st, err = os.Stat(o.path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", o.name, cause(err))
	case st.IsDir():
		return format.Requestf("cannot write %s: it is a directory; name a file in it", o.name)
	case !st.Mode().IsRegular():
		return format.Requestf("cannot write %s: it is not a regular file", o.name)
	case !o.force:
		return format.Requestf("%s exists; --force replaces it", o.name)
	}
	return nil
}

// Write appends p. Errors name the output.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.n += int64(n)
	return n, o.Failed(err)
}

// CopyFrom appends n bytes of src from offset on. Where the system can, the
// bytes do not pass through this program.
func (o *output) CopyFrom(ctx context.Context, src *os.File, offset, n int64) error {
	const most = 32 << 20 // between looks at the context
	if _, err := src.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		k, err := o.w.readFrom(io.LimitReader(src, min(n, most)))
		o.n += k
		n -= k
		if err == nil && k == 0 {
			err = fmt.Errorf("%s: %w: it changed while it was read", src.Name(), io.ErrUnexpectedEOF)
		}
		if pe := (*fs.PathError)(nil); errors.As(err, &pe) && pe.Path != src.Name() {
			err = o.Failed(err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Failed names the output in an error.
func (o *output) Failed(err error) error {
	if err == nil {
		return nil
	}
	if o.f == nil { // what stdout has taken cannot be taken back
		return fmt.Errorf("cannot write to stdout: %w", cause(err))
	}
	return fmt.Errorf("cannot write %s: %w; nothing of it is kept", o.name, cause(err))
}

// commit makes the output appear under its name.
func (o *output) commit(ctx context.Context) error {
	err := o.w.flush()
	o.w.close()
	if err != nil {
		return o.Failed(err)
	}
	if o.f == nil {
		return ctx.Err()
	}
	if err := o.f.Sync(); err != nil {
		return o.Failed(err)
	}
	if err := o.f.Close(); err != nil {
		return o.Failed(err)
	}
	// A file may have appeared since the start.
	if err := o.resolve(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Rename(o.tmp, o.path); err != nil {
		return o.Failed(err)
	}
	o.tmp = ""
	// The name is durable once its directory is; not every system can sync
	// one, and the file is whole without it.
	if d, err := os.Open(filepath.Dir(o.path)); err == nil {
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// abort removes what is there of an output that was not committed.
func (o *output) abort() {
	if o.done != nil {
		o.done()
		o.done = nil
	}
	o.w.close()
	if o.tmp == "" {
		return
	}
	o.f.Close()
	os.Remove(o.tmp)
	o.tmp = ""
}

// Scratch returns a file that lives while it is open, and is closed with the
// output: a killed run leaves nothing.
func (o *output) Scratch() (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(o.path), ".rows.*.tmp")
	if err != nil {
		return nil, o.Failed(err)
	}
	os.Remove(f.Name())
	o.done = func() { f.Close() }
	return f, nil
}
