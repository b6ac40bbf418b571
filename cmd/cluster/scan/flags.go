package scan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/dbscan"
	"skyjoin/internal/each"
)

// maxSteps bounds the radii of one scan.
const maxSteps = 10_000

// Radii are N radii from Lo to Hi, evenly spaced in their logarithms. The zero
// value is radii that are not given.
type Radii struct {
	Lo, Hi flags.Length
	N      int
	text   string
}

func (r *Radii) String() string { return r.text }

func (r *Radii) Type() string { return "LO:HI:N" }

func (r *Radii) Set(s string) error {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return fmt.Errorf("it is LO:HI:N, as in 0.5:1.5:40 or 1arcmin:10arcmin:40")
	}
	var err error
	if r.Lo, err = flags.ParseLength(parts[0]); err != nil {
		return fmt.Errorf("the first radius, %s: %w", parts[0], err)
	}
	if r.Hi, err = flags.ParseLength(parts[1]); err != nil {
		return fmt.Errorf("the last radius, %s: %w", parts[1], err)
	}
	if r.N, err = strconv.Atoi(strings.TrimSpace(parts[2])); err != nil || r.N < 2 || r.N > maxSteps {
		return fmt.Errorf("the number of radii, %s: it must be a whole number from 2 to %d", parts[2], maxSteps)
	}
	if r.Lo.Unit == "" && r.Hi.Unit != "" {
		r.Lo = flags.Length{Value: r.Lo.Value, Unit: r.Hi.Unit, Text: r.Lo.Text + r.Hi.Unit}
	}
	r.text = s
	return nil
}

// in returns the radii in the unit of the metric, nil if they are not given.
func (r *Radii) in(g *geometry.Geometry) ([]float64, error) {
	if r.N == 0 {
		return nil, nil
	}
	lo, err := g.Radius("--eps", r.Lo)
	if err != nil {
		return nil, err
	}
	hi, err := g.Radius("--eps", r.Hi)
	if err != nil {
		return nil, err
	}
	if !(lo < hi) {
		return nil, exit.Usagef("--eps %s: the first radius, %s, must be less than the last, %s", r.text, r.Lo.Text, r.Hi.Text)
	}
	return dbscan.RadiiBetween(lo, hi, r.N), nil
}

// Counts are different whole numbers from 2 on.
type Counts []int64

func (c *Counts) String() string {
	items := each.Of(*c, func(n int64) string { return strconv.FormatInt(n, 10) })
	return strings.Join(items, ",")
}

func (c *Counts) Type() string { return "M,…" }

func (c *Counts) Set(s string) error {
	items, err := flags.SplitList(s)
	if err != nil {
		return err
	}
	*c = nil
	for _, item := range items {
		n, err := strconv.ParseInt(item, 10, 64)
		if err != nil || n < 2 || n > math.MaxUint32 {
			return fmt.Errorf("%q is not a whole number of at least 2", item)
		}
		for _, other := range *c {
			if n == other {
				return fmt.Errorf("%d is listed twice", n)
			}
		}
		*c = append(*c, n)
	}
	return nil
}

// floats returns the counts as the summary takes a list.
func (c Counts) floats() []float64 {
	return each.Of(c, func(n int64) float64 { return float64(n) })
}
