package optics

import (
	"fmt"
	"strings"

	"skyjoin/cmd/cluster/internal/flags"
)

// An extraction is how clusters are taken from the order; the zero value is none.
type extraction struct {
	eps  flags.Length
	xi   float64
	text string
}

func (e *extraction) String() string { return e.text }

func (e *extraction) Type() string { return "dbscan:E|xi:X" }

func (e *extraction) Set(s string) error {
	kind, value, _ := strings.Cut(s, ":")
	switch kind {
	case "dbscan":
		eps, err := flags.ParseLength(value)
		if err != nil {
			return fmt.Errorf("the radius %q: %w", value, err)
		}
		*e = extraction{eps: eps, text: s}
	case "xi":
		xi, ok := flags.ParseFloat(value)
		if !ok || !(xi > 0 && xi < 1) {
			return fmt.Errorf("xi %q must be a number above 0 and below 1", value)
		}
		*e = extraction{xi: xi, text: s}
	default:
		return fmt.Errorf("it is dbscan:E, with a radius, or xi:X, as in xi:0.05")
	}
	return nil
}
