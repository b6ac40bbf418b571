package pages

import (
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/io/catalog"
)

// Usual names the columns of panels in which clusters of stars are judged: proper
// motions, a colour-magnitude diagram, and parallaxes by magnitude. What is not named is
// found by the usual names.
type Usual struct {
	pm, cmd, plx flags.List
}

// Register registers --pm, --cmd and --plx, which mean something with one of the flags.
func (u *Usual) Register(cmd *cobra.Command, with ...string) {
	fs := cmd.Flags()
	fs.Var(&u.pm, "pm", "columns of proper motion in RA and Dec, in panels (default the usual names)")
	fs.Var(&u.cmd, "cmd", "columns of colour and magnitude, in panels (default the usual names)")
	fs.Var(&u.plx, "plx", "columns of magnitude and parallax, in panels (default the usual names)")
	names := []string{"pm", "cmd", "plx"}
	for _, name := range names {
		flags.CompleteColumns(cmd, name)
	}
	flags.Needs(fs, names, with...)
}

// usualNames are, in lower case, the names of proper motions, of colours and magnitudes,
// and of magnitudes and parallaxes.
var usualNames = [3][][2]string{
	{{"pmra", "pmdec"}, {"pmra", "pmde"}, {"pm_ra", "pm_dec"}, {"pm_ra_cosdec", "pm_dec"}, {"pmra_cosdec", "pmdec"}},
	{{"bp_rp", "phot_g_mean_mag"}, {"bp-rp", "gmag"}, {"bprp", "g"}, {"bp_rp", "gmag"}, {"bp_rp", "g"},
		{"g_r", "g"}, {"g-r", "gmag"}, {"b_v", "v"}, {"b-v", "vmag"}, {"j_k", "k"}, {"j-k", "kmag"}},
	{{"phot_g_mean_mag", "parallax"}, {"gmag", "plx"}, {"gmag", "parallax"}, {"g", "parallax"}, {"g", "plx"}, {"vmag", "plx"}},
}

// Resolve returns the pairs of columns of the three panels, nil where there are none.
func (u *Usual) Resolve(cat *catalog.Catalog) (pairs [3][]string, err error) {
	for i, f := range []struct {
		flag  string
		named flags.List
	}{{"pm", u.pm}, {"cmd", u.cmd}, {"plx", u.plx}} {
		if pairs[i], err = pair(cat, f.flag, f.named, usualNames[i]); err != nil {
			return pairs, err
		}
	}
	return pairs, nil
}

// pair returns columns that are named, else those of usual names, else none.
func pair(cat *catalog.Catalog, flag string, named flags.List, usual [][2]string) ([]string, error) {
	if len(named) > 0 {
		if len(named) != 2 {
			return nil, exit.Usagef("--%s %s: a panel has two columns, this names %d", flag, named.String(), len(named))
		}
		for _, name := range named {
			if _, err := cat.Field(name); err != nil {
				return nil, err
			}
		}
		return named, nil
	}
	for _, names := range usual {
		if x, y := columnLike(cat, names[0]), columnLike(cat, names[1]); x != "" && y != "" {
			return []string{x, y}, nil
		}
	}
	return nil, nil
}

// columnLike returns the first column of that name in any case, else "".
func columnLike(cat *catalog.Catalog, lower string) string {
	for _, f := range cat.Fields() {
		if strings.ToLower(f.Name) == lower {
			return f.Name
		}
	}
	return ""
}
