package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrRefused marks requests that cannot be carried out as they are: a file that
// exists, a target that is a folder, an output that is an input.
var ErrRefused = errors.New("refused")

// refusal is an ErrRefused whose message is its own text alone.
type refusal struct{ text string }

func (r refusal) Error() string { return r.text }
func (refusal) Unwrap() error   { return ErrRefused }

func refusef(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

// exists is the refusal to replace a file without Options.Force.
func exists(name string) error { return refusef("%s exists; --force replaces it", name) }

// cannotWrite names the output in an error, in place of the temporary file. The
// cause stays testable, as in errors.Is(err, fs.ErrNotExist).
func cannotWrite(name string, err error) error {
	return fmt.Errorf("cannot write %s: %w", name, Cause(err))
}

// Cause strips the operation and the name of the file from an error, for a
// message that names the file as the user did.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Failed is the error of an output that could not be written to its end. It
// names the output as the user did, in place of the temporary file.
func Failed(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w; nothing of it is kept", name, Cause(err))
}
