/* The tilings and outputs of Pitaksirianan, Nouri & Tu that default runs do not take:
 * names as in ../pairs.cu. 3 and 0, any number of columns, have all; in periodic boxes
 * there are those of any number. */
#include "pairs_functions.cuh"

#define PAIRS_KERNEL(tiling, output, fn, D, body) KERNEL_IN_PLACE(pairs_##tiling##_##output##_##fn##_##D, PairsParams, PAIRS_THREADS) { body(p); }
#define PAIRS_OTHER_TILINGS(output, O, fn, F, D)                                            \
	PAIRS_KERNEL(naive, output, fn, D, (pairs_naive<F, O<F>>))                              \
	PAIRS_KERNEL(both, output, fn, D, (pairs_tiled<F, O<F>, TILE_SHARED_BOTH>))             \
	PAIRS_KERNEL(roc, output, fn, D, (pairs_tiled<F, O<F>, TILE_READ_ONLY>))                \
	PAIRS_KERNEL(shuffle, output, fn, D, (pairs_shuffle<F, O<F>>))
#define PAIRS_SHARED(output, O, fn, F, D) PAIRS_KERNEL(shm, output, fn, D, (pairs_tiled<F, O<F>, TILE_SHARED>))
#define PAIRS_TILINGS(output, O, fn, F, D)   \
	PAIRS_OTHER_TILINGS(output, O, fn, F, D) \
	PAIRS_SHARED(output, O, fn, F, D)

/* Direct output buffer of section 3.3.3: a thread fills a page of the pool, of p.page
 * places, and takes the next by one atomic operation. Places that it leaves empty hold
 * NO_PAIR, which the host takes out. The paper's listing forgets to begin a new page at
 * its first place, and to look for the end of the pool. */
#define NO_PAIR (~0ull)

template <class F>
struct PagedOutput {
	enum { RARE = 1 };
	u64 at;
	u32 left; /* of the page */
	__device__ __forceinline__ PagedOutput(const PairsParams &p) : at(0), left(0) {}
	__device__ __forceinline__ void begin(const PairsParams &p, u32 pairs) {}
	__device__ __forceinline__ void add(const PairsParams &p, u32 bin, u32 i, u32 j) {
		if (!bin) return;
		if (left == 0) {
			at = atomicAdd(p.cursor, (u64)p.page);
			left = p.page;
		}
		if (at < p.capacity) p.pairs[at] = pair_rows(p, i, j);
		at++;
		left--;
	}
	__device__ __forceinline__ void finish(const PairsParams &p) {
		for (; left > 0; left--, at++)
			if (at < p.capacity) p.pairs[at] = NO_PAIR;
	}
};

#define PAIRS_HISTOGRAMS(D)                                                   \
	PAIRS_OTHER_TILINGS(shared, SharedOutput, even, near_even_##D, D)         \
	PAIRS_OTHER_TILINGS(shared, SharedOutput, bins, near_bins_##D, D)         \
	PAIRS_OTHER_TILINGS(shared, SharedOutput, exact, exact_bins_##D, D)       \
	PAIRS_OTHER_TILINGS(global, GlobalOutput, even, near_even_##D, D)         \
	PAIRS_OTHER_TILINGS(global, GlobalOutput, bins, near_bins_##D, D)         \
	PAIRS_OTHER_TILINGS(global, GlobalOutput, exact, exact_bins_##D, D)

#define PAIRS_WRAPPED(output, O, D)                                           \
	PAIRS_OTHER_TILINGS(output, O, even_wrapped, near_wrapped_##D, D)         \
	PAIRS_OTHER_TILINGS(output, O, bins_wrapped, near_bins_wrapped_##D, D)    \
	PAIRS_OTHER_TILINGS(output, O, exact_wrapped, exact_bins_wrapped_##D, D)

#define PAIRS_PREDICATES(D)                                                   \
	PAIRS_TILINGS(count, RegisterOutput, near, near_within_##D, D)            \
	PAIRS_TILINGS(count, RegisterOutput, exact, exact_within_##D, D)          \
	PAIRS_TILINGS(buffer, BufferOutput, near, near_within_##D, D)             \
	PAIRS_TILINGS(buffer, BufferOutput, exact, exact_within_##D, D)           \
	PAIRS_SHARED(paged, PagedOutput, near, near_within_##D, D)                \
	PAIRS_SHARED(paged, PagedOutput, exact, exact_within_##D, D)              \
	PAIRS_SHARED(found, CountingOutput, near, near_within_##D, D)             \
	PAIRS_SHARED(found, CountingOutput, exact, exact_within_##D, D)           \
	PAIRS_SHARED(fill, FillingOutput, near, near_within_##D, D)               \
	PAIRS_SHARED(fill, FillingOutput, exact, exact_within_##D, D)             \
	PAIRS_SHARED(count, RegisterOutput, near_wrapped, near_within_wrapped_##D, D)   \
	PAIRS_SHARED(count, RegisterOutput, exact_wrapped, exact_within_wrapped_##D, D) \
	PAIRS_SHARED(buffer, BufferOutput, near_wrapped, near_within_wrapped_##D, D)    \
	PAIRS_SHARED(buffer, BufferOutput, exact_wrapped, exact_within_wrapped_##D, D)

PAIRS_FUNCTIONS(3)
PAIRS_FUNCTIONS(0)
PAIRS_HISTOGRAMS(3)
PAIRS_HISTOGRAMS(0)
PAIRS_WRAPPED(shared, SharedOutput, 0)
PAIRS_WRAPPED(global, GlobalOutput, 0)
PAIRS_PREDICATES(3)
PAIRS_PREDICATES(0)
