package flags

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A Group is flags that the help lists together.
type Group string

// The groups of flags, in the order of the help.
const (
	What      Group = "What is computed"
	Input     Group = "Input"
	Out       Group = "Output"
	Figure    Group = "Figures"
	Device    Group = "Device"
	Published Group = "Published methods"
	Running   Group = "The run"
)

// Groups are all groups.
var Groups = []Group{What, Input, Out, Figure, Device, Published, Running}

// grouped are the flags of each group; what is in none is of What.
var grouped = map[Group]string{
	Input: "columns frame ra-hours where let hdu format names null strict allow-empty columns-b frame-b ra-hours-b distance-b where-b let-b hdu-b format-b " +
		"names-b null-b weights-b where-train train random with from-tree footprint rr compare labels",
	Out:       "output output-format force keep keep-all clusters counts digits probabilities explain tree linkage mst save-rr unit pad emit-cuda",
	Figure:    "plot plot-panels plot-tree plot-dendrogram plot-reachability plot-scores plot-covariance plot-y plot-matrix plot-data regions style serif plot-width font-size projection centre-ra cmd pm plx dpi size colors legend title xlabel ylabel xlim ylim html-columns",
	Device:    "device gpus partition trace",
	Published: "gpu-pattern gpu-threads gpu-order gpu-tiling gpu-output algorithm",
	Running:   "threads memory config json quiet progress log-format help help-all",
}

// GroupOf is the group of a flag.
func GroupOf(f *pflag.Flag) Group {
	if f.Name == "clusters" && !NamesFiles(f) {
		return What // how many
	}
	for _, g := range Groups {
		if slices.Contains(strings.Fields(grouped[g]), f.Name) {
			return g
		}
	}
	return What
}

// written are flags that name files that are written.
const written = "output clusters tree linkage mst explain save-rr emit-cuda trace plot plot-panels plot-tree plot-dendrogram plot-reachability plot-scores plot-covariance plot-data regions"

// Writes reports whether the flag names files that are written, or a folder.
func Writes(f *pflag.Flag) bool {
	return NamesFiles(f) && slices.Contains(strings.Fields(written), f.Name)
}

// NamesFiles reports whether the values of the flag are files or folders.
func NamesFiles(f *pflag.Flag) bool {
	what, _ := pflag.UnquoteUsage(f)
	return what == "file" || what == "folder"
}
