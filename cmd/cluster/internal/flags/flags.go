// Package flags holds the types of flags, the groups of flags that commands share, and
// the rules on which flags go together.
package flags

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"

	"github.com/spf13/pflag"
)

// A Choice is a flag with a fixed set of values; the first is the default.
type Choice struct {
	Value  string
	Values []string
}

// NewChoice returns a choice of the values.
func NewChoice(values ...string) Choice { return Choice{values[0], values} }

// AddChoice adds a flag with a fixed set of values, the first of which is the
// default.
func AddChoice[T ~string](fs *pflag.FlagSet, c *Choice, name, use string, values ...T) {
	AddOptional(fs, c, name, use, values...)
	c.Value = c.Values[0]
	fs.Lookup(name).DefValue = c.Value
}

// AddOptional is AddChoice for a flag without a default.
func AddOptional[T ~string](fs *pflag.FlagSet, c *Choice, name, use string, values ...T) {
	*c = Choice{Values: make([]string, len(values))}
	for i, v := range values {
		c.Values[i] = string(v)
	}
	fs.Var(c, name, use)
}

// Completions are the values.
func (c *Choice) Completions() []string { return c.Values }

func (c *Choice) String() string { return c.Value }

// Type is the list of values, or "name" where the list would push the help text of all
// flags aside; the usage text must then list them.
func (c *Choice) Type() string {
	if all := strings.Join(c.Values, "|"); len(all) <= 28 {
		return all
	}
	return "name"
}

func (c *Choice) Set(s string) error {
	for _, v := range c.Values {
		if s == v {
			c.Value = s
			return nil
		}
	}
	if ours := peerValues[strings.ToLower(s)]; slices.Contains(c.Values, ours) {
		return fmt.Errorf("it is one of %s; what others call %s is %s here", strings.Join(c.Values, ", "), s, ours)
	}
	return fmt.Errorf("it is one of %s", strings.Join(c.Values, ", "))
}

// A Number is a flag with a finite number; its command checks what else is required of
// it.
type Number struct {
	Value float64
	Given bool
}

func (n *Number) String() string {
	if !n.Given {
		return ""
	}
	return strconv.FormatFloat(n.Value, 'g', -1, 64)
}

func (n *Number) Type() string { return "number" }

func (n *Number) Set(s string) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return fmt.Errorf("not a number")
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("it must be finite")
	}
	n.Value, n.Given = v, true
	return nil
}

// An Integer is a whole-numbered flag with a smallest value.
type Integer struct {
	Value int64
	Least int64
}

func (n *Integer) String() string {
	if n.Value == 0 {
		return ""
	}
	return strconv.FormatInt(n.Value, 10)
}

func (n *Integer) Type() string { return "int" }

func (n *Integer) Set(s string) error {
	v, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return fmt.Errorf("not a whole number")
	}
	if v < n.Least {
		return fmt.Errorf("it must be at least %d", n.Least)
	}
	n.Value = v
	return nil
}

// A Seed seeds the random numbers: any uint64.
type Seed uint64

func (s *Seed) String() string { return strconv.FormatUint(uint64(*s), 10) }

func (s *Seed) Type() string { return "number" }

func (s *Seed) Set(text string) error {
	v, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return fmt.Errorf("not a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	*s = Seed(v)
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

// A Bytes is a number of bytes with a unit: 8GiB, 500MB.
type Bytes struct {
	Bytes int64
	text  string
}

func (b *Bytes) String() string { return b.text }

func (b *Bytes) Type() string { return "size" }

func (b *Bytes) Set(s string) error {
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
	*b = Bytes{int64(v), s}
	return nil
}

// A Box is the sides of a periodic box: one for all axes, or one per axis, 0
// for an open axis.
type Box []float64

func (b *Box) String() string { return JoinFloats(*b) }

func (b *Box) Type() string { return "L|Lx,Ly,..." }

func (b *Box) Set(s string) (err error) {
	*b, err = ParseItems(s, func(item string) (float64, error) {
		v, err := strconv.ParseFloat(item, 64)
		switch {
		case err != nil:
			return 0, fmt.Errorf("side %q is not a number", item)
		case !(v >= 0) || math.IsInf(v, 1):
			return 0, fmt.Errorf("side %q must be positive, or 0 for an open axis", item)
		}
		return v, nil
	})
	return err
}

// Sides returns one side for each of n axes.
func (b Box) Sides(n int) ([]float64, error) {
	switch {
	case len(b) == 1:
		return slices.Repeat(b, n), nil
	case len(b) != n:
		return nil, exit.Usagef("--box %s has %d sides, there are %d columns", &b, len(b), n)
	}
	return b, nil
}
