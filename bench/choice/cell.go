package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// auto is the name of the choice.
const auto = "auto"

// names are those of all contestants, in the order of their columns. The choice is the
// first.
var names = []string{auto, "grid", "kdtree", "newsuperego", "superego", "rtree", "brute", nanoflann}

// A cell is one catalog and radius, joined on some threads.
type cell struct {
	kind            string
	rows, dim, mean int // mean is 0 where the radius was given
	threads         int
	radius          float64
	pairs           int64    // -1 if not known
	chosen          string   // algorithm
	times           []timing // by names
}

// A timing is the least time of a contestant, or that it takes more.
type timing struct {
	seconds  time.Duration // 0: it did not run
	over     bool          // seconds is what it was given
	expected time.Duration // then, by the share of rows; 0 if not known
}

func (t timing) String() string {
	switch {
	case t.seconds == 0:
		return ""
	case t.over && t.expected > 0:
		return fmt.Sprintf(">%.6f~%.6f", t.seconds.Seconds(), t.expected.Seconds())
	case t.over:
		return fmt.Sprintf(">%.6f", t.seconds.Seconds())
	}
	return fmt.Sprintf("%.6f", t.seconds.Seconds())
}

// parseTiming reads what String writes.
func parseTiming(text string) (t timing, err error) {
	if text == "" {
		return t, nil
	}
	text, t.over = strings.CutPrefix(text, ">")
	text, expected, _ := strings.Cut(text, "~")
	if t.seconds, err = parseSeconds(text); err == nil && expected != "" {
		t.expected, err = parseSeconds(expected)
	}
	return t, err
}

func parseSeconds(text string) (time.Duration, error) {
	s, err := strconv.ParseFloat(text, 64)
	return time.Duration(s * 1e9), err
}

// A ratio is the time of the choice over that of the best contestant of some, and how
// it is known.
type ratio struct {
	value float64 // 0: not known
	sign  string  // "<" if at most, as no other ended; ">" if the choice did not, "≈" if none did
	name  string  // who ended and is the best
}

// against returns the ratio to those contestants that are asked for.
func (c *cell) against(asked func(name string) bool) ratio {
	best, given, expected := -1, time.Duration(0), time.Duration(0)
	for i, t := range c.times {
		switch {
		case i == 0 || t.seconds == 0 || !asked(names[i]):
		case !t.over:
			if best < 0 || t.seconds < c.times[best].seconds {
				best = i
			}
		default:
			if given == 0 || t.seconds < given {
				given = t.seconds
			}
			if t.expected > 0 && (expected == 0 || t.expected < expected) {
				expected = t.expected
			}
		}
	}
	choice := c.times[0]
	over := func(a, b time.Duration) float64 { return float64(a) / float64(b) }
	switch {
	case best >= 0 && choice.over:
		return ratio{over(choice.seconds, c.times[best].seconds), ">", names[best]}
	case best >= 0:
		return ratio{over(choice.seconds, c.times[best].seconds), "", names[best]}
	case given == 0:
		return ratio{}
	case !choice.over:
		return ratio{over(choice.seconds, given), "<", ""}
	case choice.expected > 0 && expected > 0:
		return ratio{over(choice.expected, expected), "≈", ""}
	}
	return ratio{}
}

// others returns the ratio to the algorithms of ours that were not chosen.
func (c *cell) others() ratio {
	return c.against(func(name string) bool { return name != nanoflann && name != c.chosen })
}

// all returns the ratio to all algorithms of ours.
func (c *cell) all() ratio {
	return c.against(func(name string) bool { return name != nanoflann })
}

// String is a ratio as the tables have it.
func (r ratio) String() string {
	switch {
	case r.value == 0:
		return "–"
	case r.name != "" && (r.value > 1 || r.sign == ">"):
		return fmt.Sprintf("**%s%.2f** %s", r.sign, r.value, r.name)
	}
	return fmt.Sprintf("%s%.2f", r.sign, r.value)
}
