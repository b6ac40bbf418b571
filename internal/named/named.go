// Package named finds the values of enumerations by their names.
package named

import (
	"fmt"
	"slices"
	"strings"

	"skyjoin/internal/each"
)

// Index returns the number of a name. The error wraps wrong, and says what is named
// and which names there are.
func Index[T ~uint8 | ~int](wrong error, what string, names []string, name string) (T, error) {
	if i := slices.Index(names, name); i >= 0 {
		return T(i), nil
	}
	return 0, fmt.Errorf("%w: %s %q, it must be %s", wrong, what, name, Or(names))
}

// Value is Index for values that are their own names.
func Value[T ~string](wrong error, what string, values []T, name string) (T, error) {
	i, err := Index[int](wrong, what, each.Of(values, func(v T) string { return string(v) }), name)
	if err != nil {
		return "", err
	}
	return values[i], nil
}

// Or joins names: a, b or c.
func Or(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
