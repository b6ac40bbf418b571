package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
)

// everyday are the flags that the help of a command shows, in its order; the rest are
// in that of --help-all. Commands that are not here have few flags, and show all.
var everyday = map[string]string{
	"convert":     "output columns where let null format hdu digits keep-all force threads memory json",
	"get":         "adql cone upload async page-by resume output force json",
	"dbscan":      "eps min-points columns metric scale box where output clusters plot force threads memory json",
	"hdbscan":     "min-cluster-size min-samples select cut columns metric scale where output clusters plot force threads json",
	"optics":      "min-samples max-eps extract columns metric scale where output plot plot-reachability force threads memory json",
	"outliers":    "method k flag-above top columns metric scale where output force threads memory json",
	"validity":    "labels columns metric scale where clusters force threads memory json",
	"predict":     "where output plot force threads memory json",
	"kdist":       "k columns metric scale where output plot force threads memory json",
	"scan":        "eps min-points columns metric scale where output plot force threads memory json",
	"join":        "eps columns columns-b metric scale where output keep unit force device threads memory json",
	"knn":         "k columns columns-b metric scale where output keep unit force device threads memory json",
	"match":       "radius find join error-a error-b columns columns-b metric where output keep unit force json",
	"classify":    "train label regress features k vote cv scale where output plot probabilities force json",
	"hist":        "bins columns columns-b metric box weights where output plot force device threads memory json",
	"corr":        "bins random kind estimator pi redshift patches covariance columns weights output plot force json",
	"rdf":         "bins box columns columns-b where output plot force device threads memory json",
	"stat":        "expr reduce bins per-row columns columns-b where output force device threads memory json",
	"plan dbscan": "eps min-points columns metric scale where tiles tile-rows output force threads memory json",
	"plan match":  "radius find join columns columns-b metric where tiles tile-rows output force threads memory json",
	"plan hist":   "bins columns metric weights where tiles tile-rows output force threads memory json",
	"plan corr":   "bins random kind estimator columns weights where tiles tile-rows output force memory json",
	"tile":        "index force device threads memory json",
	"gen":         "rows seed dim clusters ra dec footprint output force threads json",
	"plot":        "plot kind x y labels invert-y series where title xlim ylim style again force json",
	"calibrate":   "eps columns metric scale where device gpus threads json",
	"submit":      "engine processes retries print poll threads json",
}

// helpAll is the flag of all of the help.
const helpAll = "help-all"

// flagHelp is the part of a command's help that lists its flags.
func flagHelp(c *cobra.Command) string {
	names, some := everyday[strings.TrimPrefix(c.CommandPath(), "cluster ")]
	switch all := c.Flags().Lookup(helpAll); {
	case !c.HasAvailableLocalFlags():
		return ""
	case all != nil && all.Changed && some:
		return grouped(c)
	case !some:
		return "\n\nFlags:\n" + strings.TrimRight(c.LocalFlags().FlagUsagesWrapped(100), "\n")
	}
	g := &human.Grid{}
	for name := range strings.FieldsSeq(names + " " + helpAll) {
		if f := c.Flags().Lookup(name); f != nil {
			flag, what := flagLine(f)
			g.Add(flag, what)
		}
	}
	return "\n\nFlags:\n" + strings.TrimRight(g.String(), "\n")
}

// flagLine is the line of a flag: what it is, without the details.
func flagLine(f *pflag.Flag) (name, what string) {
	value, use := pflag.UnquoteUsage(f)
	name = "  "
	if f.Shorthand != "" {
		name += "-" + f.Shorthand + ", "
	} else {
		name += "    "
	}
	name += strings.TrimRight("--"+f.Name+" "+value, " ")
	for _, end := range []string{"; ", " (default", ": "} {
		if head, _, _ := strings.Cut(use, end); strings.Contains(head, " ") || end != ": " {
			use = head
		}
	}
	return name, human.Short(use, 63)
}

// grouped lists all flags, by groups.
func grouped(c *cobra.Command) string {
	var b strings.Builder
	for _, g := range flags.Groups {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.SortFlags = false
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if flags.GroupOf(f) == g {
				fs.AddFlag(f)
			}
		})
		if fs.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n\n%s:\n%s", g, strings.TrimRight(fs.FlagUsagesWrapped(100), "\n"))
		}
	}
	return b.String()
}
