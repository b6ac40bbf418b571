/* The built-in pair kernels: pairs_TILING_OUTPUT_FUNCTION_DIM, where DIM 0 is
 * any number of columns up to MAX_DIM. 3 has all of them; 2, 4, 5 and 6, for the
 * image's size, histograms by the default tiling and output. */
#include "pairs.cuh"

#define PAIRS_OTHER_TILINGS(output, O, fn, F, D)                                                                   \
	KERNEL_IN_PLACE(pairs_naive_##output##_##fn##_##D, PairsParams, PAIRS_THREADS) { pairs_naive<F, O<F>>(p); }  \
	KERNEL_IN_PLACE(pairs_both_##output##_##fn##_##D, PairsParams, PAIRS_THREADS) { pairs_tiled<F, O<F>, TILE_SHARED_BOTH>(p); } \
	KERNEL_IN_PLACE(pairs_roc_##output##_##fn##_##D, PairsParams, PAIRS_THREADS) { pairs_tiled<F, O<F>, TILE_READ_ONLY>(p); } \
	KERNEL_IN_PLACE(pairs_shuffle_##output##_##fn##_##D, PairsParams, PAIRS_THREADS) { pairs_shuffle<F, O<F>>(p); }
#define PAIRS_SHARED(output, O, fn, F, D) \
	KERNEL_IN_PLACE(pairs_shm_##output##_##fn##_##D, PairsParams, PAIRS_THREADS) { pairs_tiled<F, O<F>, TILE_SHARED>(p); }
#define PAIRS_TILINGS(output, O, fn, F, D)   \
	PAIRS_OTHER_TILINGS(output, O, fn, F, D) \
	PAIRS_SHARED(output, O, fn, F, D)

#define PAIRS_FUNCTIONS(D)                              \
	typedef NearEven<D, false, true> near_open_##D;     \
	typedef NearEven<D, false, false> near_even_##D;    \
	typedef NearEven<D, true, false> near_wrapped_##D;  \
	typedef NearBins<D, false> near_bins_##D;           \
	typedef NearBins<D, true> near_bins_wrapped_##D;    \
	typedef ExactBins<D, false> exact_bins_##D;         \
	typedef ExactBins<D, true> exact_bins_wrapped_##D;  \
	typedef NearWithin<D, false> near_within_##D;       \
	typedef ExactWithin<D, false> exact_within_##D;     \
	typedef NearWithin<D, true> near_within_wrapped_##D; \
	typedef ExactWithin<D, true> exact_within_wrapped_##D;

#define PAIRS_DEFAULTS(D)                                                                     \
	PAIRS_SHARED(shared, SharedOutput, open, near_open_##D, D)                                \
	PAIRS_SHARED(shared, SharedOutput, even, near_even_##D, D)                                \
	PAIRS_SHARED(shared, SharedOutput, bins, near_bins_##D, D)                                \
	PAIRS_SHARED(shared, SharedOutput, exact, exact_bins_##D, D)                              \
	PAIRS_SHARED(shared, SharedOutput, even_wrapped, near_wrapped_##D, D)                     \
	PAIRS_SHARED(shared, SharedOutput, bins_wrapped, near_bins_wrapped_##D, D)                \
	PAIRS_SHARED(shared, SharedOutput, exact_wrapped, exact_bins_wrapped_##D, D)

#define PAIRS_HISTOGRAMS(D)                                                                   \
	PAIRS_DEFAULTS(D)                                                                         \
	PAIRS_OTHER_TILINGS(shared, SharedOutput, even, near_even_##D, D)                         \
	PAIRS_OTHER_TILINGS(shared, SharedOutput, bins, near_bins_##D, D)                         \
	PAIRS_OTHER_TILINGS(shared, SharedOutput, exact, exact_bins_##D, D)                       \
	PAIRS_TILINGS(global, GlobalOutput, even, near_even_##D, D)                               \
	PAIRS_TILINGS(global, GlobalOutput, bins, near_bins_##D, D)                               \
	PAIRS_TILINGS(global, GlobalOutput, exact, exact_bins_##D, D)                             \
	PAIRS_SHARED(global, GlobalOutput, even_wrapped, near_wrapped_##D, D)                     \
	PAIRS_SHARED(global, GlobalOutput, bins_wrapped, near_bins_wrapped_##D, D)                \
	PAIRS_SHARED(global, GlobalOutput, exact_wrapped, exact_bins_wrapped_##D, D)

#define PAIRS_PREDICATES(D)                                                                   \
	PAIRS_TILINGS(count, RegisterOutput, near, near_within_##D, D)                            \
	PAIRS_TILINGS(count, RegisterOutput, exact, exact_within_##D, D)                          \
	PAIRS_TILINGS(buffer, BufferOutput, near, near_within_##D, D)                             \
	PAIRS_TILINGS(buffer, BufferOutput, exact, exact_within_##D, D)                           \
	PAIRS_SHARED(found, CountingOutput, near, near_within_##D, D)                             \
	PAIRS_SHARED(found, CountingOutput, exact, exact_within_##D, D)                           \
	PAIRS_SHARED(fill, FillingOutput, near, near_within_##D, D)                               \
	PAIRS_SHARED(fill, FillingOutput, exact, exact_within_##D, D)                             \
	PAIRS_SHARED(count, RegisterOutput, near_wrapped, near_within_wrapped_##D, D)             \
	PAIRS_SHARED(count, RegisterOutput, exact_wrapped, exact_within_wrapped_##D, D)           \
	PAIRS_SHARED(buffer, BufferOutput, near_wrapped, near_within_wrapped_##D, D)              \
	PAIRS_SHARED(buffer, BufferOutput, exact_wrapped, exact_within_wrapped_##D, D)

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
PAIRS_HISTOGRAMS(3)
PAIRS_HISTOGRAMS(0)
PAIRS_PREDICATES(3)
PAIRS_PREDICATES(0)

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
