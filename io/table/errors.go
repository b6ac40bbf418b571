package table

import (
	"errors"
	"fmt"
	"io/fs"

	"skyjoin/io/catalog"
)

// requestf is fmt.Errorf for requests that cannot be carried out as they are:
// the error is a [catalog.ErrRequest], whose own text stays out of the message.
func requestf(format string, args ...any) error {
	return &request{fmt.Errorf(format, args...)}
}

type request struct{ error }

func (r *request) Unwrap() []error { return []error{r.error, catalog.ErrRequest} }

// cause strips the operation and the file name from a file error: what is
// written goes by the name the user gave, not by that of a temporary file.
func cause(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
