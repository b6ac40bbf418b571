package neighbors

import (
	"errors"
	"fmt"
)

// Sentinels that callers can test with errors.Is.
var (
	// ErrRequest marks a request that cannot be right: a radius that is not
	// positive, a K larger than what is there, columns of unequal length, a
	// radius over half the periodic box.
	ErrRequest = errors.New("invalid request")

	// ErrCoordinate marks a coordinate that is no position: NaN, infinite, a
	// declination outside [-90, 90], or a negative distance.
	ErrCoordinate = errors.New("invalid coordinate")

	// ErrMemory marks a result or plan that cannot fit the memory allowed.
	ErrMemory = errors.New("over the memory limit")
)

// A CoordinateError is an ErrCoordinate of one value.
type CoordinateError struct {
	Row, Column int
	Why         string // what follows the number of the row in the message
}

func (e *CoordinateError) Error() string {
	return fmt.Sprintf("%v: row %d%s", ErrCoordinate, e.Row, e.Why)
}

func (e *CoordinateError) Unwrap() error { return ErrCoordinate }
