package gpu

// Config says which GPUs to use and how. The zero value is the first GPU and
// the fastest kernels.
type Config struct {
	Devices []int // by index, as the driver numbers them: one for Open, any number for OpenCards; nil: the first
	Streams int   // streams per device, 64 at most; 0: 3
	Batch   int   // neighbours that a batch has room for, unless a single row has more; 0: at most 2M (8 MB)
	Yield   bool  // threads sleep while they wait for the GPU, which leaves the cores to a CPU joiner
	Memory  int64 // limit on pinned host memory, and on device memory for results, in bytes; 0: none

	// Linear searches for the nearest as HYBRIDKNN-JOIN does (Gowanlock, §4.4,
	// §4.5): within one distance for all rows, which grows by half of the first one
	// when more than a quarter of a batch fail. Otherwise a tree is searched.
	Linear  bool
	stretch float64 // of the first distance, for comparisons with the paper (Fig. 13); 0: 1
	last    bool    // to the last row, as GPU-ONLY does, rather than leave the CPU what is not worth a round

	// Pattern selects a published kernel, Threads its threads a query, and Order
	// the order of the rows. Threads or Order alone select PatternFull. The nearest
	// are then searched for within a distance, as with Linear.
	Pattern Pattern
	Threads int // 1, 2, 4, 8, 16 or 32; 0: 1
	Order   Order

	Pairs Pairs // of the kernels over all pairs
}

// A Pattern is the choice of cells that a published kernel looks at. The half
// patterns, PatternUnicomp and PatternLIDUnicomp, join one set in an open space
// with itself within a radius, all rows at once; other joins are refused.
type Pattern string

const (
	// PatternDefault stands for this package's own kernels, which count first and
	// need no estimate.
	PatternDefault Pattern = ""
	// PatternFull looks at all adjacent cells: GPUSELFJOINGLOBAL of Gowanlock &
	// Karsin, GPUCALCGLOBAL of Gallet & Gowanlock.
	PatternFull Pattern = "full"
	// PatternUnicomp looks at an adjacent cell from one side only, chosen by
	// the parity of coordinates (Gowanlock & Karsin).
	PatternUnicomp Pattern = "unicomp"
	// PatternLIDUnicomp looks at the adjacent cells of greater number only:
	// LID-UNICOMP of Gallet & Gowanlock, also LINEARCOORD.
	PatternLIDUnicomp Pattern = "lid-unicomp"
	// PatternBrute looks at all points.
	PatternBrute Pattern = "brute"
)

// An Order is the order in which a published kernel takes the rows.
type Order string

const (
	// OrderNone is the order of the rows, dealt out to the batches in turn.
	OrderNone Order = "none"
	// OrderSortByWL sorts each of these batches by decreasing work (SORTBYWL).
	OrderSortByWL Order = "sortbywl"
	// OrderWorkQueue sorts all rows by decreasing work and lets threads take
	// the next from a counter (WORKQUEUE), in batches of equal numbers of rows, of which
	// the first fits; rows shared with other joiners in batches of about equal results
	// (Gallet & Gowanlock, HEGJoin).
	OrderWorkQueue Order = "workqueue"
)

//lint:file-ignore U1000 the unexported fields are read by builds with GPU support

// Pairs says how the kernels over all pairs work (Pitaksirianan, Nouri & Tu,
// "2-Body Statistics on GPUs"). The zero value is what is fastest; answers are
// the same for all.
type Pairs struct {
	Tiling Tiling
	Output Output

	// What tests and comparisons with the paper set. copies is the number of copies
	// of a block's histogram in shared memory, for lanes of equal number modulo the
	// copies: 1, 2, 4, 8, 16 or 32; 0: chosen by a model of the card. OutputBlock
	// has one.
	copies     int
	width      int  // of loads of vectors, 1 to 4, by kernels that count pairs in three dimensions in half a set; 0: single numbers
	float64    bool // no float32 prefilter
	unbalanced bool // pairs inside a block: a thread meets all that follow it, not half of the others
	threads    int  // of a block, a multiple of 32 up to 512; 0: chosen
	points     int  // of the parts that the input is cut into, which are dealt out to streams and GPUs; 0: chosen
}

// A Tiling is where the points of a block of threads and those that it meets
// are held.
type Tiling string

const (
	TilingDefault Tiling = ""        // reg-shm
	TilingNaive   Tiling = "naive"   // global memory
	TilingBoth    Tiling = "shm-shm" // both in shared memory
	TilingShared  Tiling = "reg-shm" // queries in registers, tiles in shared memory
	TilingRoC     Tiling = "reg-roc" // tiles through the read-only cache
	TilingShuffle Tiling = "shuffle" // tiles in the registers of a warp
)

// An Output is where a histogram is gathered.
type Output string

const (
	OutputDefault Output = ""       // by its size, as the paper's decision tree
	OutputGlobal  Output = "global" // atomic operations on global memory
	OutputBlock   Output = "block"  // one copy a block in shared memory
	OutputLanes   Output = "lanes"  // copies for groups of lanes
)

// Launched says which kernels have been launched, and how, for the summary of a run.
type Launched struct {
	Kernels []string // that compare points, without their number of columns: "join_fill_packed"; sorted
	Devices []int    // the numbers of the GPUs that have launched them, ascending

	// Of the published kernels of joins; PatternDefault: none was launched.
	Pattern Pattern
	Threads int
	Order   Order

	// Of the kernels over all pairs; TilingDefault: none was launched.
	Tiling Tiling
	Output Output
	Copies int // of the counters of a block, if they are in shared memory
}
