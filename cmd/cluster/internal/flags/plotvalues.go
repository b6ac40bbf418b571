package flags

import (
	"errors"
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"skyjoin/io/figure"
)

// limits are the ends of an axis.
type limits struct {
	figure.Limits
	text string
}

func (l *limits) String() string { return l.text }

func (l *limits) Type() string { return "from,to" }

func (l *limits) Set(s string) error {
	from, to, _ := strings.Cut(s, ",")
	var lo, hi Number
	if err := errors.Join(lo.Set(from), hi.Set(to)); err != nil {
		return fmt.Errorf("it is FROM,TO, as in 0.1,20")
	}
	if !(lo.Value < hi.Value) {
		return fmt.Errorf("%v is not below %v", lo.Value, hi.Value)
	}
	*l = limits{figure.Limits{Lo: lo.Value, Hi: hi.Value}, s}
	return nil
}

// colors are colours by name, as CSS has them, or as #RRGGBB.
type colors struct {
	given []color.NRGBA
	text  string
}

func (c *colors) String() string { return c.text }

func (c *colors) Type() string { return "list" }

func (c *colors) Set(s string) error {
	*c = colors{text: s}
	for name := range strings.SplitSeq(s, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		named, ok := colornames.Map[name]
		if digits, hex := strings.CutPrefix(name, "#"); hex && len(digits) == 6 {
			v, err := strconv.ParseUint(digits, 16, 32)
			named, ok = color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}, err == nil
		}
		if !ok {
			return fmt.Errorf("%q is no color: they are names of CSS, as in darkorange, or as in #0072b2", name)
		}
		c.given = append(c.given, color.NRGBA(named))
	}
	return nil
}
