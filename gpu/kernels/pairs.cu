/* The built-in pair kernels: pairs_TILING_OUTPUT_FUNCTION_DIM, where DIM 0 is
 * any number of columns up to MAX_DIM. 3 and 0 have all of the default tiling; 2, 4, 5
 * and 6, for the image's size, histograms in shared memory. Other tilings and outputs
 * are in published/pairs.cu. */
#include "pairs_functions.cuh"

#define PAIRS_SHARED(output, O, fn, F, D) \
	KERNEL_IN_PLACE(pairs_shm_##output##_##fn##_##D, PairsParams, PAIRS_THREADS) { pairs_tiled<F, O<F>, TILE_SHARED>(p); }
#define PAIRS_DEFAULTS(D)                                                                     \
	PAIRS_SHARED(shared, SharedOutput, open, near_open_##D, D)                                \
	PAIRS_SHARED(shared, SharedOutput, even, near_even_##D, D)                                \
	PAIRS_SHARED(shared, SharedOutput, bins, near_bins_##D, D)                                \
	PAIRS_SHARED(shared, SharedOutput, exact, exact_bins_##D, D)                              \
	PAIRS_SHARED(shared, SharedOutput, even_wrapped, near_wrapped_##D, D)                     \
	PAIRS_SHARED(shared, SharedOutput, bins_wrapped, near_bins_wrapped_##D, D)                \
	PAIRS_SHARED(shared, SharedOutput, exact_wrapped, exact_bins_wrapped_##D, D)

/* Where the counters do not fit the shared memory of a block. */
#define PAIRS_MANY(D)                                                                         \
	PAIRS_DEFAULTS(D)                                                                         \
	PAIRS_SHARED(global, GlobalOutput, even, near_even_##D, D)                                \
	PAIRS_SHARED(global, GlobalOutput, bins, near_bins_##D, D)                                \
	PAIRS_SHARED(global, GlobalOutput, exact, exact_bins_##D, D)                              \
	PAIRS_SHARED(global, GlobalOutput, even_wrapped, near_wrapped_##D, D)                     \
	PAIRS_SHARED(global, GlobalOutput, bins_wrapped, near_bins_wrapped_##D, D)                \
	PAIRS_SHARED(global, GlobalOutput, exact_wrapped, exact_bins_wrapped_##D, D)

PAIRS_FUNCTIONS(3)
PAIRS_FUNCTIONS(0)
PAIRS_FUNCTIONS(2)
PAIRS_FUNCTIONS(4)
PAIRS_FUNCTIONS(5)
PAIRS_FUNCTIONS(6)
PAIRS_DEFAULTS(2)
PAIRS_DEFAULTS(4)
PAIRS_DEFAULTS(5)
PAIRS_DEFAULTS(6)
PAIRS_MANY(3)
PAIRS_MANY(0)

/* Columns as the near kernels take them: moved, scaled, rounded to float32. */
struct PairsNearParams {
	const double *in;
	float *out;
	double centre[MAX_DIM];
	double scale;
	u32 stride, n;
	u32 dim, pad;
};

KERNEL(pairs_near, PairsNearParams) {
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= p.n) return;
	for (u32 c = 0; c < p.dim; c++) p.out[(size_t)c * p.stride + i] = (float)((p.in[(size_t)c * p.stride + i] - p.centre[c]) * p.scale);
}
