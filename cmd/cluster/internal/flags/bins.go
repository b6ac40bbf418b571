package flags

import (
	"fmt"
	"math"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/stats2b"
)

const BinsHelp = "log:MIN:MAX:N, lin:MIN:MAX:N, edges MIN,…,MAX or @edges.txt; on the sky with a unit, as in log:0.01deg:10deg:20; bins are half open"

// Bins is a --bins flag. It is parsed once the metric is known.
type Bins struct{ Text string }

func (b *Bins) String() string { return b.Text }

func (b *Bins) Type() string { return "bins" }

func (b *Bins) Set(s string) error {
	if s == "" {
		return fmt.Errorf("it is empty; write it as in log:0.1:10:20")
	}
	b.Text = s
	return nil
}

// File returns the file that holds the edges, "" for bins of another kind.
func (b *Bins) File() string {
	name, is := strings.CutPrefix(b.Text, "@")
	if !is {
		return ""
	}
	return name
}

// Parse reads the bins of a flag. Those of angles are in the unit given, which
// must be there.
func (b *Bins) Parse(flag string, angle bool) (bins stats2b.Bins, unit string, err error) {
	edge := ParseEdge
	if strings.Contains(b.Text, ":") && b.File() == "" { // both ends say what they are; among edges some may not
		edge = inFinest(b.Text)
	}
	bins, unit, err = stats2b.ParseBins(b.Text, edge)
	switch {
	case err != nil:
		return bins, "", exit.Usagef("%s %s: %s", flag, b.Text, exit.Message(err))
	case angle && unit == "":
		return bins, "", exit.Usagef("%s %s needs a unit on the sky, one of %s, as in log:0.01deg:10deg:20", flag, b.Text, unitNames())
	case !angle && unit != "":
		return bins, "", exit.Usagef("%s %s: plain numbers are needed, in the unit of the columns", flag, b.Text)
	case angle:
		bins = bins.In(Radians(unit))
	}
	return bins, unit, nil
}

// inFinest reads the two ends of bins as ParseEdge does, those in degrees, minutes
// and seconds in the finer of these, as 1arcmin:1deg is 1 to 60 arcmin.
func inFinest(text string) func(string) (stats2b.Length, error) {
	finest := ""
	_, _, _ = stats2b.ParseBins(text, func(s string) (stats2b.Length, error) { // what is wrong is found when it is read again
		l, err := ParseEdge(s)
		if r := Radians(l.Unit); l.Unit != "rad" && r > 0 && (finest == "" || r < Radians(finest)) {
			finest = l.Unit
		}
		return stats2b.Length{Value: l.Value}, err
	})
	return func(s string) (stats2b.Length, error) {
		l, err := ParseEdge(s)
		if l.Unit != "" && l.Unit != "rad" && err == nil {
			l.Value, l.Unit = l.Value*math.Round(Radians(l.Unit)/Radians(finest)), finest
		}
		return l, err
	}
}

// ParseEdge reads a number with or without a unit of angle, 0deg among them.
func ParseEdge(s string) (stats2b.Length, error) {
	l, err := parseMeasure(s)
	if err == nil && l.Unit != "" && l.Value < 0 {
		err = fmt.Errorf("it must be positive and finite")
	}
	return stats2b.Length{Value: l.Value, Unit: l.Unit}, err
}
