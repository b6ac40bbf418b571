package flags

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/gpu"
	"skyjoin/hybrid"
	"skyjoin/internal/each"
	"skyjoin/io/figure"
)

// GPU choose the GPUs, and the kernels, of a command whose join can run
// on them.
type GPU struct {
	Registered bool
	Statistic  bool // of pairs, which GPUs share and the CPU has no part in
	Rows       int  // for each CPU thread that make --device auto look for a GPU, or onlyAsked
	Gpus       Indexes
	Pattern    Choice
	Threads    Choice
	Order      Choice
	Tiling     Choice
	Output     Choice
	Partition  Choice
	Traces     []string
	Force      func() bool         // replace existing files
	Look       func() figure.Style // of figures of --trace
}

const gpusHelp = "which GPUs, as in 0,1; 'cluster devices' numbers them (default the first)"

// OnlyAsked, for rows, leaves the work to the CPU under --device auto: in measurements
// a GPU was not faster.
const OnlyAsked = 0

// NearestRows is the number of rows whose 8 nearest a CPU thread finds while a GPU
// starts, for evenly spread points in 2-D; others take longer.
const NearestRows = 800_000

// Register adds the flags. rows is how many rows a CPU thread does of the
// command's work while a GPU starts, which takes gpuStart; measured with 500
// neighbours a row on a processor with AVX-512.
func (f *GPU) Register(cmd *cobra.Command, rows int) {
	f.Registered, f.Rows = true, rows
	fs := cmd.Flags()
	fs.Var(&f.Gpus, "gpus", gpusHelp)
	AddOptional(fs, &f.Partition, "partition", "how GPUs and CPU divide the rows with --device hybrid: "+listed(hybrid.Partitions)+" (default "+string(hybrid.Adaptive)+")", hybrid.Partitions...)
	fs.StringArrayVar(&f.Traces, "trace", nil, "`file` for the timeline of a join that several devices share: .json or .csv, or a figure; may be given several times")
	f.Look = lookOf(fs)
	f.Force = func() bool {
		force := fs.Lookup("force")
		return force != nil && force.Value.String() == "true"
	}
}

// RegisterPatterns adds the flags of a command that joins by the published kernels
// as well, which have the patterns.
func (f *GPU) RegisterPatterns(cmd *cobra.Command, patterns ...gpu.Pattern) {
	fs := cmd.Flags()
	AddOptional(fs, &f.Pattern, "gpu-pattern", "a published GPU kernel instead of the fastest: "+listed(patterns)+"; all give the same answer", patterns...)
	AddOptional(fs, &f.Threads, "gpu-threads", "GPU threads for each row, of the published kernels (default 1)", "1", "2", "4", "8", "16", "32")
	AddOptional(fs, &f.Order, "gpu-order", "order of the rows, of the published kernels (default none)", gpu.OrderNone, gpu.OrderSortByWL, gpu.OrderWorkQueue)
	Needs(fs, []string{"gpu-pattern", "gpu-threads", "gpu-order"}, "device=gpu", "device=hybrid")
}

// Half reports whether the pattern finds each pair of one catalog once, by looking
// at half of the cells around a row.
func (f *GPU) Half() bool {
	return slices.Contains([]gpu.Pattern{gpu.PatternUnicomp, gpu.PatternLIDUnicomp}, gpu.Pattern(f.Pattern.Value))
}

// listed lists values in a sentence.
func listed[T ~string](values []T) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ", "), "[]")
}

// RegisterPairs adds the flags of a command whose statistic of all pairs can
// run on a GPU; rows is as for register.
func (f *GPU) RegisterPairs(cmd *cobra.Command, rows int) {
	f.Registered, f.Statistic, f.Rows = true, true, rows
	cmd.Flags().Var(&f.Gpus, "gpus", gpusHelp)
	tilings := []gpu.Tiling{gpu.TilingNaive, gpu.TilingBoth, gpu.TilingShared, gpu.TilingRoC, gpu.TilingShuffle}
	AddOptional(cmd.Flags(), &f.Tiling, "gpu-tiling", "where a GPU holds the points of a pair, a published method: "+listed(tilings)+"; all pairs are compared then, and all give the same answer", tilings...)
	outputs := []gpu.Output{gpu.OutputGlobal, gpu.OutputBlock, gpu.OutputLanes}
	AddOptional(cmd.Flags(), &f.Output, "gpu-output", "where a GPU counts, a published method: "+listed(outputs), outputs...)
	Needs(cmd.Flags(), []string{"gpu-tiling", "gpu-output"}, "device=gpu", "emit-cuda")
}

// Indexes is a flag that lists numbers from 0.
type Indexes []int

func (x *Indexes) String() string {
	items := each.Of(*x, strconv.Itoa)
	return strings.Join(items, ",")
}

func (x *Indexes) Type() string { return "list" }

func (x *Indexes) Set(s string) (err error) {
	seen := map[int]bool{}
	*x, err = ParseItems(s, func(item string) (int, error) {
		n, err := strconv.ParseUint(item, 10, 31)
		i := int(n)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%q is not a number from 0 on; write it as in 0,1", item)
		case seen[i]:
			return 0, fmt.Errorf("%d is listed twice", i)
		}
		seen[i] = true
		return i, nil
	})
	return err
}
