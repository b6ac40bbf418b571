package geometry

import (
	"fmt"
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
)

// A Scale is the --scale flag: nothing, one rule for every coordinate, or a
// list with a rule or a number for each.
type Scale struct {
	items []scaleItem // nil: no scales
	text  string
}

// A scaleItem is the scale of one coordinate.
type scaleItem struct {
	rule string // "standard", "minmax", "robust", or "" for a number
	flags.Length
}

const (
	scaleStandard = "standard"
	scaleMinMax   = "minmax"
	scaleRobust   = "robust"
)

func (s *Scale) String() string { return s.text }

// Completions are the values that are no lists.
func (s *Scale) Completions() []string {
	return []string{"none", scaleStandard, scaleMinMax, scaleRobust}
}

func (s *Scale) Type() string { return "scales" }

func (s *Scale) Set(text string) error {
	parts, err := flags.SplitList(text)
	if err != nil {
		return err
	}
	*s = Scale{text: text}
	if len(parts) == 1 && parts[0] == "none" {
		return nil
	}
	for i, part := range parts {
		item := scaleItem{}
		switch part {
		case scaleStandard, scaleMinMax, scaleRobust:
			item.rule = part
		default:
			if item.Length, err = flags.ParseLength(part); err != nil {
				return fmt.Errorf("scale %d, %q: %w", i+1, part, err)
			}
		}
		s.items = append(s.items, item)
	}
	return nil
}

// given reports whether there are scales.
func (s *Scale) given() bool { return len(s.items) > 0 }

// A sharedScale says what the first coordinate of a geometry is.
type sharedScale uint8

const (
	notShared    sharedScale = iota // one column
	sharedAngle                     // RA and Dec
	sharedLength                    // RA, Dec and a distance
)

// perCoordinate returns one item for each of the coordinates, which are named
// as people read them. Where the first stands for several columns, no rule can
// give its scale.
func (s *Scale) perCoordinate(names []string, first sharedScale) ([]scaleItem, error) {
	items := s.items
	example := exampleScale(len(names), first)
	if first != notShared && items[0].rule != "" {
		what := map[sharedScale]string{sharedAngle: "an angle with its unit", sharedLength: "a number"}[first]
		return nil, exit.Usagef("--scale %s: %s share one scale, %s, as in --scale %s", s.text, names[0], what, example)
	}
	if len(items) == 1 && items[0].rule != "" {
		for len(items) < len(names) {
			items = append(items, items[0])
		}
	}
	if len(items) != len(names) {
		return nil, exit.Usagef("--scale %s has %s, %d needed: %s, as in --scale %s",
			s.text, human.Plural(int64(len(items)), "item", "items"), len(names), strings.Join(names, "; "), example)
	}
	for i, item := range items {
		switch {
		case item.rule != "":
		case first == sharedAngle && i == 0:
			if _, err := item.Angle("--scale"); err != nil {
				return nil, err
			}
		case item.Unit != "":
			return nil, exit.Usagef("--scale %s: the scale of %s is a plain number in its unit", s.text, names[i])
		}
	}
	return items, nil
}

// exampleScale is a list of scales of the right length.
func exampleScale(n int, first sharedScale) string {
	items := slices.Repeat([]string{"0.4"}, n)
	if first == sharedAngle {
		items[0] = "0.5deg"
	}
	return strings.Join(items, ",")
}
