package flags

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/gpu"
	"skyjoin/hybrid"
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

// OnlyAsked, for rows, leaves the work to the CPU under --device auto: it has
// not been seen to end sooner on a GPU.
const OnlyAsked = 0

// NearestRows is for how many rows a CPU thread finds the 8 nearest while a GPU
// starts, in even points of 2-D; others take it longer.
const NearestRows = 800_000

// Register adds the flags. rows is how many rows a CPU thread does of the
// command's work while a GPU starts, which takes gpuStart; measured with 500
// neighbours a row on a processor with AVX-512.
func (f *GPU) Register(cmd *cobra.Command, rows int) {
	f.Registered, f.Rows = true, rows
	f.Pattern = Choice{"", []string{string(gpu.PatternFull), string(gpu.PatternUnicomp), string(gpu.PatternLIDUnicomp), string(gpu.PatternBrute)}}
	f.Threads = Choice{"", []string{"1", "2", "4", "8", "16", "32"}}
	f.Order = Choice{"", []string{string(gpu.OrderNone), string(gpu.OrderSortByWL), string(gpu.OrderWorkQueue)}}
	fs := cmd.Flags()
	fs.Var(&f.Gpus, "gpus", gpusHelp)
	var partitions []string
	for _, p := range hybrid.Partitions {
		partitions = append(partitions, string(p))
	}
	f.Partition = NewChoice(partitions...)
	fs.Var(&f.Partition, "partition", "how GPUs and CPU divide the rows with --device hybrid: "+strings.Join(f.Partition.Values, ", "))
	fs.StringArrayVar(&f.Traces, "trace", nil, "`file` for what each device did when, of a join shared by several: .json or .csv, or a figure; may be given several times")
	f.Look = lookOf(fs)
	f.Force = func() bool {
		force := fs.Lookup("force")
		return force != nil && force.Value.String() == "true"
	}
	fs.Var(&f.Pattern, "gpu-pattern", "a published GPU kernel instead of the fastest: "+strings.Join(f.Pattern.Values, ", ")+"; all give the same answer")
	fs.Var(&f.Threads, "gpu-threads", "GPU threads for each row, of the published kernels (default 1)")
	fs.Var(&f.Order, "gpu-order", "order of the rows, of the published kernels (default none)")
	Complete(cmd, "partition", f.Partition.Values)
	Complete(cmd, "gpu-pattern", f.Pattern.Values)
	Complete(cmd, "gpu-threads", f.Threads.Values)
	Complete(cmd, "gpu-order", f.Order.Values)
}

// RegisterPairs adds the flags of a command whose statistic of all pairs can
// run on a GPU; rows is as for register.
func (f *GPU) RegisterPairs(cmd *cobra.Command, rows int) {
	f.RegisterStatistic(cmd, rows)
	f.Tiling = Choice{"", []string{string(gpu.TilingNaive), string(gpu.TilingBoth), string(gpu.TilingShared), string(gpu.TilingRoC), string(gpu.TilingShuffle)}}
	f.Output = Choice{"", []string{string(gpu.OutputGlobal), string(gpu.OutputBlock), string(gpu.OutputLanes)}}
	fs := cmd.Flags()
	fs.Var(&f.Tiling, "gpu-tiling", "where a GPU holds the points that meet, a published way: "+strings.Join(f.Tiling.Values, ", ")+"; all pairs are met then, and all give the same answer")
	fs.Var(&f.Output, "gpu-output", "where a GPU counts, a published way: "+strings.Join(f.Output.Values, ", "))
	Complete(cmd, "gpu-tiling", f.Tiling.Values)
	Complete(cmd, "gpu-output", f.Output.Values)
}

// RegisterStatistic adds the flags of a command whose statistic of pairs can
// run on GPUs.
func (f *GPU) RegisterStatistic(cmd *cobra.Command, rows int) {
	f.Registered, f.Statistic, f.Rows = true, true, rows
	cmd.Flags().Var(&f.Gpus, "gpus", gpusHelp)
}

// Indexes is a flag that lists numbers from 0.
type Indexes []int

func (x *Indexes) String() string {
	var items []string
	for _, i := range *x {
		items = append(items, strconv.Itoa(i))
	}
	return strings.Join(items, ",")
}

func (x *Indexes) Type() string { return "list" }

func (x *Indexes) Set(s string) error {
	items, err := SplitList(s)
	if err != nil {
		return err
	}
	*x = nil
	seen := map[int]bool{}
	for _, item := range items {
		i, err := strconv.ParseUint(item, 10, 31)
		if err != nil {
			return fmt.Errorf("%q is not a number from 0 on; write it as in 0,1", item)
		}
		if seen[int(i)] {
			return fmt.Errorf("%d is there twice", i)
		}
		seen[int(i)] = true
		*x = append(*x, int(i))
	}
	return nil
}
