package catalog

import (
	"errors"
	"fmt"
)

// Sentinels that callers can test with errors.Is. Everything else that this
// package returns says that the run failed: a missing, corrupt or changed
// file.
var (
	// ErrRequest marks a request that cannot be right for the catalog: a column
	// it does not have, an element of a column that is no list, an expression
	// that does not parse.
	ErrRequest = errors.New("invalid request")

	// ErrUnusable marks rows that cannot be used where the request does not
	// allow any to be left out, and catalogs without a usable row.
	ErrUnusable = errors.New("unusable rows")
)

// requestf is fmt.Errorf for errors that wrap ErrRequest, which stays out of
// the text: the message is for the person who made the request.
func requestf(format string, args ...any) error {
	return &marked{fmt.Errorf(format, args...), ErrRequest}
}

// unusablef is the same for ErrUnusable.
func unusablef(format string, args ...any) error {
	return &marked{fmt.Errorf(format, args...), ErrUnusable}
}

// marked is an error that is also a sentinel.
type marked struct {
	error
	mark error
}

func (m *marked) Unwrap() []error { return []error{m.error, m.mark} }
