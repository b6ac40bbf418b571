/* Names of the pair functions, as they stand in names of kernels. */
#include "pairs.cuh"

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
