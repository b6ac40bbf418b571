package table

import (
	"errors"

	"skyjoin/internal/file"
	"skyjoin/internal/format"
)

// refused makes what package file refuses a [catalog.ErrRequest].
func refused(err error) error {
	if errors.Is(err, file.ErrRefused) {
		return format.Mark(err, format.ErrRequest)
	}
	return err
}
