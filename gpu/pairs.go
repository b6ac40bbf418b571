package gpu

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
