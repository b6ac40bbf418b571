package stats2b

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"skyjoin/neighbors"
)

// A Length is a number with or without a unit, as bin edges are written.
type Length struct {
	Value float64
	Unit  string
}

// ParseBins reads bins in the notation of --bins: "log:MIN:MAX:N", "lin:MIN:MAX:N",
// edges "E,…,E", or "@FILE" with edges separated by blanks, commas or lines, where #
// begins a comment. All edges are in one unit, which may stand at any of them and is
// returned; parse reads a single number with its unit.
func ParseBins(spec string, parse func(string) (Length, error)) (Bins, string, error) {
	kind, rest, ok := strings.Cut(spec, ":")
	if shape := shapes[kind]; ok && shape != nil {
		fields := strings.Split(rest, ":")
		if len(fields) != 3 {
			return Bins{}, "", fmt.Errorf("%w: bins %q, they are written as %s:MIN:MAX:N", neighbors.ErrRequest, spec, kind)
		}
		edges, unit, err := parseEdges(fields[:2], parse)
		if err != nil {
			return Bins{}, "", err
		}
		n, err := strconv.Atoi(strings.TrimSpace(fields[2]))
		if err != nil {
			return Bins{}, "", fmt.Errorf("%w: %q bins, it must be a whole number", neighbors.ErrRequest, fields[2])
		}
		b, err := shape(edges[0], edges[1], n)
		return b, unit, err
	}
	var fields []string
	if file, ok := strings.CutPrefix(spec, "@"); ok {
		text, err := os.ReadFile(file)
		if err != nil {
			return Bins{}, "", err
		}
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			fields = append(fields, strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })...)
		}
	} else {
		fields = strings.Split(spec, ",")
		if len(fields) < 2 {
			return Bins{}, "", fmt.Errorf("%w: bins %q, they are log:MIN:MAX:N, lin:MIN:MAX:N, two or more edges E,…,E, or @FILE", neighbors.ErrRequest, spec)
		}
	}
	edges, unit, err := parseEdges(fields, parse)
	if err != nil {
		return Bins{}, "", err
	}
	b, err := EdgeBins(edges...)
	return b, unit, err
}

// shapes are the kinds of bins that are given by their ends.
var shapes = map[string]func(lo, hi float64, n int) (Bins, error){"lin": LinearBins, "log": LogBins}

// parseEdges reads numbers, any of which may carry the common unit.
func parseEdges(fields []string, parse func(string) (Length, error)) (edges []float64, unit string, err error) {
	first := "" // edge with a unit
	for _, f := range fields {
		f = strings.TrimSpace(f)
		l, err := parse(f)
		if err != nil {
			return nil, "", fmt.Errorf("%w: bin edge %q: %w", neighbors.ErrRequest, f, err)
		}
		switch {
		case l.Unit == "" || l.Unit == unit:
		case unit != "":
			return nil, "", fmt.Errorf("%w: bin edges %s and %s: all must be in one unit, %s or %s", neighbors.ErrRequest, first, f, unit, l.Unit)
		default:
			first, unit = f, l.Unit
		}
		edges = append(edges, l.Value)
	}
	return edges, unit, nil
}
