package hdbscan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/hdbscan"
	"skyjoin/internal/each"
)

// sizes are one or more min-cluster-sizes.
type sizes []float64

func (s *sizes) String() string { return flags.JoinFloats(*s) }

func (s *sizes) Type() string { return "N,..." }

func (s *sizes) Set(text string) error {
	items, err := flags.SplitList(text)
	if err != nil {
		return err
	}
	*s = nil
	for _, item := range items {
		v, ok := flags.ParseFloat(item)
		switch {
		case !ok:
			return fmt.Errorf("%q is not a number", item)
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("%q must be finite", item)
		case slices.Contains(*s, v):
			return fmt.Errorf("%v is listed twice", v)
		}
		*s = append(*s, v)
	}
	return nil
}

// lengths are radii, with or without units.
type lengths []flags.Length

func (l *lengths) String() string {
	texts := each.Of(*l, func(x flags.Length) string { return x.Text })
	return strings.Join(texts, ",")
}

func (l *lengths) Type() string { return "E,..." }

func (l *lengths) Set(text string) error {
	items, err := flags.SplitList(text)
	if err != nil {
		return err
	}
	*l = nil
	for _, item := range items {
		x, err := flags.ParseLength(item)
		if err != nil {
			return fmt.Errorf("%q: %w", item, err)
		}
		*l = append(*l, x)
	}
	return nil
}

// A selection says which clusters are selected.
type selection struct {
	method     flags.Choice
	epsilon    flags.Length
	epsilonMax flags.Length
	maxSize    flags.Number
	single     bool
}

func (s *selection) register(cmd *cobra.Command) {
	s.method = flags.NewChoice(hdbscan.EOM.String(), hdbscan.Leaf.String())
	fs := cmd.Flags()
	fs.Var(&s.method, "select", "which clusters are selected: those that persist most, or those that do not split")
	fs.Var(&s.epsilon, "epsilon", "replace clusters that begin below this distance by the one above them that does not")
	fs.Var(&s.epsilonMax, "epsilon-max", "the largest distance at which a cluster may begin, with --select eom")
	fs.Var(&s.maxSize, "max-cluster-size", "the most rows, or weight, of a cluster, with --select eom")
	fs.BoolVar(&s.single, "single-cluster", false, "let all rows be one cluster, which keeps those that leave last")
}

func (s *selection) check() error {
	switch leaf := s.method.Value == hdbscan.Leaf.String(); {
	case leaf && s.epsilonMax.Value > 0:
		return exit.Usagef("--epsilon-max %s: it belongs to --select eom", &s.epsilonMax)
	case leaf && s.maxSize.Given:
		return exit.Usagef("--max-cluster-size %s: it belongs to --select eom", &s.maxSize)
	case leaf && s.single && s.epsilon.Value == 0:
		return exit.Usagef("--single-cluster: with --select leaf it needs --epsilon")
	case s.maxSize.Given && s.maxSize.Value <= 0:
		return exit.Usagef("--max-cluster-size %v: it must be positive", s.maxSize.Value)
	}
	return nil
}

// resolve returns the selection in the unit of the metric.
func (s *selection) resolve(g *geometry.Geometry) (hdbscan.Selection, error) {
	method, err := hdbscan.ParseMethod(s.method.Value)
	out := hdbscan.Selection{Method: method, SingleCluster: s.single, MaxClusterSize: s.maxSize.Value}
	for _, l := range []struct {
		name string
		flag flags.Length
		to   *float64
	}{{"--epsilon", s.epsilon, &out.Epsilon}, {"--epsilon-max", s.epsilonMax, &out.EpsilonMax}} {
		if l.flag.Value > 0 && err == nil {
			*l.to, err = g.Radius(l.name, l.flag)
		}
	}
	return out, err
}

func (s *selection) parameters(p *report.Parameters) {
	p.Text("select", s.method.Value)
	if s.epsilon.Value > 0 {
		p.Length("epsilon", s.epsilon)
	}
	if s.epsilonMax.Value > 0 {
		p.Length("epsilon-max", s.epsilonMax)
	}
	if s.maxSize.Given {
		p.Number("max-cluster-size", s.maxSize.Value)
	}
	if s.single {
		p.Flag("single-cluster", true)
	}
}
