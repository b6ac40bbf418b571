package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A choice is a flag with a fixed set of values; the first is the default.
type choice struct {
	value  string
	values []string
}

func newChoice(values ...string) choice { return choice{values[0], values} }

func (c *choice) String() string { return c.value }

// Type is the values, or, where they would push the text of all flags of the
// help aside, "name": their use has to tell them then.
func (c *choice) Type() string {
	if all := strings.Join(c.values, "|"); len(all) <= 28 {
		return all
	}
	return "name"
}

func (c *choice) Set(s string) error {
	for _, v := range c.values {
		if s == v {
			c.value = s
			return nil
		}
	}
	return fmt.Errorf("it is one of %s", strings.Join(c.values, ", "))
}

// A number is a finite flag; what else it must be is for its command to say.
type number struct {
	value float64
	set   bool
}

func (n *number) String() string {
	if !n.set {
		return ""
	}
	return strconv.FormatFloat(n.value, 'g', -1, 64)
}
func (n *number) Type() string { return "number" }

func (n *number) Set(s string) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return fmt.Errorf("not a number")
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("it must be finite")
	}
	n.value, n.set = v, true
	return nil
}

// An integer is a whole-numbered flag with a smallest value.
type integer struct {
	value int64
	least int64
}

func (n *integer) String() string {
	if n.value == 0 {
		return ""
	}
	return strconv.FormatInt(n.value, 10)
}
func (n *integer) Type() string { return "int" }

func (n *integer) Set(s string) error {
	v, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return fmt.Errorf("not a whole number")
	}
	if v < n.least {
		return fmt.Errorf("it must be at least %d", n.least)
	}
	n.value = v
	return nil
}

// A seed is what everything random follows from: all of a uint64.
type seed uint64

func (s *seed) String() string { return strconv.FormatUint(uint64(*s), 10) }
func (s *seed) Type() string   { return "number" }

func (s *seed) Set(text string) error {
	v, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return fmt.Errorf("not a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	*s = seed(v)
	return nil
}

// byteUnits are the suffixes of --memory, longer ones first.
var byteUnits = []struct {
	suffix string
	bytes  float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// A byteSize is a number of bytes with a unit: 8GiB, 500MB.
type byteSize struct {
	bytes int64
	text  string
}

func (b *byteSize) String() string { return b.text }
func (b *byteSize) Type() string   { return "size" }

func (b *byteSize) Set(s string) error {
	number, scale := strings.TrimSpace(s), 1.0
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, scale = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fmt.Errorf("not a size; write it as in 8GiB or 500MB")
	}
	if v *= scale; !(v >= 1) || v >= math.MaxInt64 {
		return fmt.Errorf("it must be at least 1 byte and less than 8 EiB")
	}
	*b = byteSize{int64(v), s}
	return nil
}

// A list is a comma-separated flag; an item that holds a comma is quoted.
type list []string

func (l *list) String() string { return joinList(*l) }
func (l *list) Type() string   { return "list" }

func (l *list) Set(s string) error {
	items, err := splitList(s)
	if err != nil {
		return err
	}
	*l = items
	return nil
}

// splitList reads one line of CSV; no item may be empty.
func splitList(s string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(s))
	r.TrimLeadingSpace = true
	items, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf(`not a list; write it as in a,b,"c,d"`)
	}
	if _, err := r.Read(); err == nil {
		return nil, fmt.Errorf("it must be one line")
	}
	for i := range items {
		if items[i] = strings.TrimRight(items[i], " \t"); items[i] == "" {
			return nil, fmt.Errorf("item %d of the list is empty", i+1)
		}
	}
	return items, nil
}

// joinList is the inverse of splitList.
func joinList(items []string) string {
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(items) // a strings.Builder does not fail
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// A box is the sides of a periodic box: one for all axes, or one per axis, 0
// for an open axis.
type box []float64

func (b *box) String() string { return joinFloats(*b) }
func (b *box) Type() string   { return "L|Lx,Ly,..." }

func (b *box) Set(s string) error {
	items, err := splitList(s)
	if err != nil {
		return err
	}
	*b = nil
	for _, item := range items {
		v, err := strconv.ParseFloat(item, 64)
		if err != nil {
			return fmt.Errorf("side %q is not a number", item)
		}
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("side %q must be positive, or 0 for an open axis", item)
		}
		*b = append(*b, v)
	}
	return nil
}

// sides returns one side for each of n axes.
func (b box) sides(n int) ([]float64, error) {
	switch {
	case len(b) == 1:
		sides := make([]float64, n)
		for i := range sides {
			sides[i] = b[0]
		}
		return sides, nil
	case len(b) != n:
		return nil, usagef("--box %s has %d sides, there are %d columns", &b, len(b), n)
	}
	return b, nil
}

// joinFloats writes numbers so that they read back the same.
func joinFloats(v []float64) string {
	items := make([]string, len(v))
	for i, x := range v {
		items[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(items, ",")
}
