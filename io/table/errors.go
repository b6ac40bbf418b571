package table

import (
	"errors"
	"io/fs"
)

// cause strips the operation and the file name from a file error: what is
// written goes by the name the user gave, not by that of a temporary file.
func cause(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
