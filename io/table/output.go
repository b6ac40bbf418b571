package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"skyjoin/internal/file"
	"skyjoin/internal/format"
)

// An output is a table that is being written: a file that gets its name in commit, or
// stdout. Either commit or abort must be called; abort after commit does nothing.
type output struct {
	name string       // as the user gave it
	file *file.Output // nil when writing to stdout
	w    *asyncWriter
	n    int64  // bytes written
	done func() // if not nil, removes what an encoder has left
}

// Stdout is the name of the output that is no file.
const Stdout = "-"

// create starts an output. Without opt.Force an existing file is refused.
func create(name string, opt Options) (*output, error) {
	o := &output{name: name}
	if name == Stdout {
		if opt.Writer == nil {
			opt.Writer = os.Stdout
		}
		o.w = newAsyncWriter(opt.Writer, 1<<16)
		return o, nil
	}
	f, err := file.Create(name, file.Options{Force: opt.Force})
	if err != nil {
		return nil, refused(err)
	}
	o.file, o.w = f, newAsyncWriter(f, 1<<20)
	return o, nil
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
	const most = 32 << 20 // between two checks of the context
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
	if err != nil && o.file == nil { // what has gone to stdout cannot be taken back
		return fmt.Errorf("cannot write to stdout: %w", file.Cause(err))
	}
	return file.Failed(o.name, err)
}

// commit makes the output appear under its name.
func (o *output) commit(ctx context.Context) error {
	err := o.w.flush()
	o.w.close()
	if err != nil {
		return o.Failed(err)
	}
	if o.file == nil {
		return ctx.Err()
	}
	return refused(o.file.Commit(ctx))
}

// abort removes an output that was not committed.
func (o *output) abort() {
	if o.done != nil {
		o.done()
		o.done = nil
	}
	o.w.close()
	if o.file != nil {
		o.file.Abort()
	}
}

// Scratch returns a temporary file that is closed with the output. Nothing of it
// remains if the run is killed.
func (o *output) Scratch() (*os.File, error) {
	folder := os.TempDir()
	if o.file != nil {
		folder = o.file.Folder()
	}
	f, remove, err := file.ScratchFile(folder)
	if err != nil {
		return nil, o.Failed(err)
	}
	o.done = remove
	return f, nil
}

// refused makes what package file refuses a [catalog.ErrRequest].
func refused(err error) error {
	if errors.Is(err, file.ErrRefused) {
		return format.Mark(err, format.ErrRequest)
	}
	return err
}
